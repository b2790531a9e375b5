//===- Arena.h - The memory of an emulated device ---------------*- C++ -*-===//
//
// The arena addresses that the host and compiled code use are reserved without
// access (PROT_NONE), so that an access there crashes at once, as it would on a
// GPU. The device's memory is a separate mapping, filled with signalling NaNs
// where a program is not promised zeros. Views are host copies: a read waits
// for the device, a write is enqueued.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_EMULATED_ARENA_H
#define PCC_RUNTIME_EMULATED_ARENA_H

#include "runtime/emulated/Device.h"
#include "runtime/emulated/Emulator.h"

namespace pcc {

/// The device of this rank. The first call creates it, after backend::join():
/// its seed depends on the rank.
Device &device();

/// Fills device memory with signalling NaNs.
void poison(char *place, int64_t bytes);

/// The device code of the kernels.
struct KernelCodes {
  /// The first of an array.
  const pcc_emu_kernel *first;
  int64_t count;
};
/// The device code of the program's kernels. Empty for a CPU program, which
/// runs here to test its streams.
KernelCodes kernelCodes();

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_ARENA_H
