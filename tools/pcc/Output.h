//===- Output.h - Files that appear whole or not at all ---------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_OUTPUT_H
#define PCC_TOOLS_PCC_OUTPUT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace pcc {

/// Whether two paths lead to one file or, where there is none yet, would: also
/// through links and other spellings.
bool isSameFile(llvm::StringRef a, llvm::StringRef b);

/// Refuses, before anything is computed, a destination that is a folder or one
/// of the files that are read, or whose folder cannot be written to.
mlir::LogicalResult checkDestination(llvm::StringRef path,
                                     llvm::ArrayRef<std::string> inputs);

/// Calls `write` with the path of a file to fill and renames that to `path`
/// when it succeeds; nothing is left behind when it fails. A destination that
/// exists and is not a regular file (/dev/null, a pipe) is written directly.
mlir::LogicalResult
writeWhole(llvm::StringRef path,
           llvm::function_ref<mlir::LogicalResult(llvm::StringRef)> write);

/// The same for text; "-" is standard output.
mlir::LogicalResult
writeText(llvm::StringRef path,
          llvm::function_ref<void(llvm::raw_ostream &)> print);

} // namespace pcc

#endif // PCC_TOOLS_PCC_OUTPUT_H
