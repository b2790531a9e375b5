//===- ValuePatterns.h - Tables that are computed, not learned --*- C++ -*-===//
//
// A file of the TorchScript exporter does not tell parameters from buffers. But
// some buffers hold values that are never learned: every element follows from a
// formula, up to the rounding of its type. Zeros and ones are no pattern,
// because fresh parameters have them.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_VALUEPATTERNS_H
#define PCC_FRONTEND_WEIGHTS_VALUEPATTERNS_H

#include "frontend/onnx/Reader.h"
#include "mlir/IR/BuiltinTypes.h"

namespace pcc::frontend {

/// A description of the computed table of floats at `range`, with elements of
/// type `storage`: sines and cosines of positions or of places in a picture, a
/// triangle of ones, the slopes of ALiBi, rotary frequencies, distances between
/// positions, positions. Empty if the values match none or need not exist. A
/// test stops at the first mismatch, so large weights are cheap.
std::string findValuePattern(const FileRange &range,
                             llvm::ArrayRef<int64_t> shape, mlir::Type storage);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_VALUEPATTERNS_H
