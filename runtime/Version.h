//===- Version.h - The version of pcc ---------------------------*- C++ -*-===//
//
// Of the compiler, of programs and in checkpoints. CMakeLists.txt reads it
// here.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_VERSION_H
#define PCC_RUNTIME_VERSION_H

/// Follows Semantic Versioning; see CHANGELOG.md.
#define PCC_VERSION "0.1.0"

#endif
