//===- Tensor.h - A value of the interpreter --------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_TENSOR_H
#define PCC_INTERPRETER_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include <memory>
#include <vector>

namespace pcc::interp {

/// The elements of a tensor in row-major order: `real` for float types, in f64
/// for every declared element type; `integer` for integer types.
struct Tensor {
  /// The shape and the declared element type.
  mlir::RankedTensorType type;
  /// The elements of a float tensor; otherwise empty.
  std::vector<double> real;
  /// The elements of an integer tensor, bools as 0 and 1; otherwise empty.
  std::vector<int64_t> integer;

  /// A tensor of zeros.
  explicit Tensor(mlir::RankedTensorType type);

  /// Whether the elements are in `real`.
  bool isFloat() const;
  /// The extents of its dims.
  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
  /// The number of its dims.
  int64_t rank() const { return type.getRank(); }
  /// The extent of dim `d`.
  int64_t dim(int64_t d) const { return type.getDimSize(d); }
  /// The number of its elements, 1 for a scalar.
  int64_t size() const { return type.getNumElements(); }
  /// The extent of the last dim, and the number of rows along it.
  int64_t columns() const { return rank() ? shape().back() : 1; }
  int64_t rows() const { return columns() ? size() / columns() : 0; }
  /// Element i, of either kind.
  double get(int64_t i) const { return isFloat() ? real[i] : integer[i]; }
  /// Sets element i. For an integer tensor the value is truncated and clamped
  /// to the range of an i64; NaN becomes 0.
  void set(int64_t i, double value);
};

/// Values are shared and immutable once they are bound to a name.
using TensorRef = std::shared_ptr<const Tensor>;

/// Rounds all elements to the element type: floats to nearest even, unless
/// `exact`; integers wrap around.
void roundElements(Tensor &tensor, bool exact);

/// Returns the elements of a constant; null if the attribute does not contain
/// them.
TensorRef fromAttr(mlir::ElementsAttr attr);

/// Returns the strides of a row-major tensor, in elements.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// Calls visit(i, offset) for the elements of a box in row-major order: i
/// counts them, offset = base + sum of index[d] * strides[d].
template <typename Visit>
void forEachStrided(llvm::ArrayRef<int64_t> shape, int64_t base,
                    llvm::ArrayRef<int64_t> strides, Visit visit) {
  int64_t i = 0;
  auto walk = [&](auto &&self, size_t d, int64_t offset) -> void {
    if (d == shape.size())
      return visit(i++, offset);
    for (int64_t n = 0; n < shape[d]; ++n, offset += strides[d])
      self(self, d + 1, offset);
  };
  walk(walk, 0, base);
}

/// to[i] = from[offset], over the box of to's shape.
void readStrided(const Tensor &from, int64_t base,
                 llvm::ArrayRef<int64_t> strides, Tensor &to);
/// to[offset] = from[i], over the box of from's shape.
void writeStrided(const Tensor &from, int64_t base,
                  llvm::ArrayRef<int64_t> strides, Tensor &to);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_TENSOR_H
