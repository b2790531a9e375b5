//===- ValuePatterns.h - Tables that are computed, not learned --*- C++ -*-===//
//
// A file of the TorchScript exporter does not tell parameters from buffers. But
// some buffers hold what nothing that was learned does: every element follows
// from a formula, to the rounding of its type. Zeros and ones are no pattern:
// fresh parameters are so.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_VALUEPATTERNS_H
#define PCC_FRONTEND_WEIGHTS_VALUEPATTERNS_H

#include "frontend/onnx/Reader.h"
#include "mlir/IR/BuiltinTypes.h"

namespace pcc::frontend {

/// What table of floats, of elements of type `storage`, lies at `range`, in
/// words: sines and cosines of positions or of places in a picture, a triangle
/// of ones, the slopes of ALiBi, the frequencies of rotary embeddings,
/// distances between positions, positions, a mask that removes keys. Empty if
/// none, or if the values need not exist. Stops at the first element that does
/// not fit, so that a weight costs little.
std::string findValuePattern(const FileRange &range,
                             llvm::ArrayRef<int64_t> shape, mlir::Type storage);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_VALUEPATTERNS_H
