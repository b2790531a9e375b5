//===- Dump.h - Kernels for a machine with a GPU ----------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_KERNELS_DUMP_H
#define PCC_TOOLS_PCC_KERNELS_DUMP_H

#include "tools/pcc-kernels/Compare.h"

namespace pcc {

/// Writes into a folder, which is made, what a machine with a GPU and without
/// MLIR runs kernels by: `kernels.cubin`, `kernels.ptx`, `kernels.json` and, if
/// `withData`, `kernels.bin`. The JSON says of each kernel how it is launched,
/// what its buffers are, how many bytes of each are read or written at least,
/// which rows ids may name or that they are places in order, where in the data
/// buffers lie before and, as a CPU leaves them, after, and how far from that a
/// device may be. Returns 1, after a diagnostic, if that cannot be.
int dumpKernels(mlir::ModuleOp module, const KernelChoice &choice,
                llvm::StringRef folder, uint64_t seed, bool withData);

} // namespace pcc

#endif // PCC_TOOLS_PCC_KERNELS_DUMP_H
