//===- Arena.h - The memory of an emulated device ---------------*- C++ -*-===//
//
// What the host and compiled code call the arena is addresses alone, with
// nothing behind them: whoever reads or writes there dies at once, as it would
// on a GPU. The device's memory lies elsewhere, full of signalling NaNs where a
// program is not promised zeros. Views are copies that the device makes, in its
// turn.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_EMULATED_ARENA_H
#define PCC_RUNTIME_EMULATED_ARENA_H

#include "runtime/emulated/Device.h"
#include "runtime/emulated/Emulator.h"

namespace pcc {

/// The device of this rank; there from prepare() on.
Device &device();

/// Fills memory of the device with signalling NaNs.
void poison(char *place, int64_t bytes);

/// Device code of kernels.
struct KernelCodes {
  /// One after the other.
  const pcc_emu_kernel *first;
  /// How many there are.
  int64_t count;
};
/// That of the program's kernels; none in a program for CPUs, whose streams are
/// tried.
KernelCodes kernelCodes();

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_ARENA_H
