//===- Dump.h - Export of kernels to a machine with a GPU -------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_KERNELS_DUMP_H
#define PCC_TOOLS_PCC_KERNELS_DUMP_H

#include "tools/pcc-kernels/Compare.h"

namespace pcc {

/// Writes the files by which a machine with a GPU, but without MLIR, runs the
/// kernels: `kernels.cubin`, `kernels.ptx`, `kernels.json` and, if `withData`,
/// `kernels.bin`. Creates the folder. The JSON contains for each kernel:
/// - its launch configuration and its buffers, with the bytes of each that are
///   read or written at least;
/// - which rows ids may refer to, or that they are positions in order;
/// - the offsets in the data of the buffers' contents before and, as computed
///   by a CPU, after a run, and the differences that are allowed.
/// Returns 1 after a diagnostic if that fails.
int dumpKernels(mlir::ModuleOp module, const KernelChoice &choice,
                llvm::StringRef folder, uint64_t seed, bool withData);

} // namespace pcc

#endif // PCC_TOOLS_PCC_KERNELS_DUMP_H
