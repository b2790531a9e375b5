//===- Windows.h - Windows of convolutions and pools ------------*- C++ -*-===//
//
// Convolutions and pools move a kernel over positions. Strides, dilations and
// padding determine the position that each tap reads. This reads their
// attributes.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_BINDING_WINDOWS_H
#define PCC_FRONTEND_BINDING_WINDOWS_H

#include "frontend/binding/Binder.h"

namespace pcc::frontend {

/// The windows along one dim.
struct Window {
  /// Positions of the operand, positions of the result, taps.
  int64_t in, out, kernel;
  int64_t stride = 1, dilation = 1;
  /// Padding before the first position and after the last.
  int64_t low = 0, high = 0;
  /// Whether the windows are a transposed convolution's, whose strides are
  /// between positions of the operand.
  bool transposed = false;

  /// The operand's position that a tap reads for a position of the result; -1
  /// for padding.
  int64_t read(int64_t position, int64_t tap) const {
    int64_t at = transposed ? position + low - tap * dilation
                            : position * stride - low + tap * dilation;
    if (transposed && at % stride != 0)
      return -1;
    at = transposed ? at / stride : at;
    return at >= 0 && at < in ? at : -1;
  }

  /// Whether the windows cover every position once, in order.
  bool tiles() const {
    return !transposed && stride == kernel && dilation == 1 && low == 0 &&
           out * kernel == in;
  }
};

/// The windows of a kernel with these taps over the spatial dims of operand 0
/// [n, channels, ...]. Errors: attributes of the wrong length or out of range,
/// or a kernel larger than its padded input.
mlir::FailureOr<llvm::SmallVector<Window>>
slidingWindows(Binder &b, llvm::ArrayRef<int64_t> kernel);

/// The same for a transposed convolution, which also has the attributes
/// output_padding and output_shape.
mlir::FailureOr<llvm::SmallVector<Window>>
transposedWindows(Binder &b, llvm::ArrayRef<int64_t> kernel);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_WINDOWS_H
