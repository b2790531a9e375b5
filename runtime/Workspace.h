//===- Workspace.h - Device memory beside the arena ---------------*- C -*-===//

#ifndef PCC_RUNTIME_WORKSPACE_H
#define PCC_RUNTIME_WORKSPACE_H

/// Bytes that the library of products has on GPUs, in a rank of any program:
/// the runtime allocates them, the compiler counts them.
enum { PCC_WORKSPACE_BYTES = 32 << 20 };

#endif // PCC_RUNTIME_WORKSPACE_H
