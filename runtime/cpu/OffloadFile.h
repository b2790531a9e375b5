//===- OffloadFile.h - The file behind an offloaded range -------*- C++ -*-===//
//
// A CPU program may have its optimizer state in a file that is mapped at the
// beginning of the arena. Kernels access it as any memory. What a kernel, or a
// view of the host, has accessed is written back and leaves memory at once.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_OFFLOADFILE_H
#define PCC_RUNTIME_CPU_OFFLOADFILE_H

#include "runtime/Backend.h"
#include "runtime/Runtime.h"

namespace pcc {

/// Maps zeroed memory that a new file in the folder backs, in place of other
/// memory at `at`. The file has no name and all of its disk space. Exits with
/// ExitOutput if there is no such space, or if the folder is in memory; later,
/// if the disk fails.
void mapOffloadFile(char *at, const backend::Offload &offload);

/// Starts to read the buffers of a kernel that are in the file.
void readOffloaded(const pcc_kernel &kernel, void *const *args);
/// Drops them from memory once they are written back. Exits with ExitOutput if
/// the disk fails.
void dropOffloaded(const pcc_kernel &kernel, void *const *args);
/// The same for the part of some memory that is in the file.
void dropOffloaded(const char *begin, int64_t bytes);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_OFFLOADFILE_H
