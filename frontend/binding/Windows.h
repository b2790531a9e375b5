//===- Windows.h - What a kernel sees of a signal ---------------*- C++ -*-===//
//
// Convolutions and pools move a kernel over positions; strides, dilations and
// padding say which positions each of its taps reads. This reads the attributes
// that say so.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_BINDING_WINDOWS_H
#define PCC_FRONTEND_BINDING_WINDOWS_H

#include "frontend/binding/Binder.h"

namespace pcc::frontend {

/// The windows along one dim.
struct Window {
  /// Positions of the operand and of the result, and taps.
  int64_t in, out, kernel;
  int64_t stride = 1, dilation = 1;
  /// Padding before the first position and behind the last.
  int64_t low = 0, high = 0;
  /// Whether the windows are those of a transposed convolution, whose strides
  /// are between positions of the operand.
  bool transposed = false;

  /// The position that a tap reads for a position of the result; -1 for none.
  int64_t read(int64_t position, int64_t tap) const {
    int64_t at = transposed ? position + low - tap * dilation
                            : position * stride - low + tap * dilation;
    if (transposed && at % stride != 0)
      return -1;
    at = transposed ? at / stride : at;
    return at >= 0 && at < in ? at : -1;
  }

  /// Whether every position is read once, in order.
  bool tiles() const {
    return !transposed && stride == kernel && dilation == 1 && low == 0 &&
           out * kernel == in;
  }
};

/// The windows of a kernel with these taps over the spatial dims of operand 0
/// [n, channels, ...]. Errors: attributes of another rank, out of range, or
/// kernels larger than what they move over.
mlir::FailureOr<llvm::SmallVector<Window>>
slidingWindows(Binder &b, llvm::ArrayRef<int64_t> kernel);

/// The same of a transposed convolution, which has more positions of the result
/// than of the operand.
mlir::FailureOr<llvm::SmallVector<Window>>
transposedWindows(Binder &b, llvm::ArrayRef<int64_t> kernel);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_WINDOWS_H
