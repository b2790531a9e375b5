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

namespace pcc {

/// The device of this rank; there from prepare() on.
Device &device();

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_ARENA_H
