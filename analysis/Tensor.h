//===- Tensor.h - Tensors known at compile time -----------------*- C++ -*-===//
//
// The tensors of the constant interpreter: masks, positions, shapes. A tensor
// is a strided view of shared elements, so moving and repeating elements copies
// nothing, except in a reshape that strides cannot express. It holds weights
// only for an operator without a derivative or an analysis (Evaluate.h,
// Lines.h) that needs their values.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_ANALYSIS_TENSOR_H
#define PCC_ANALYSIS_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <vector>

namespace pcc::analysis {

/// Extents, or another number for each dim.
using Shape = llvm::SmallVector<int64_t, 4>;

/// One element: `f` where the element type is a float, else `i`.
union Scalar {
  /// The value of an element of a float type of any width.
  double f;
  /// The value of an element of an integer type; bools are 0 and 1.
  int64_t i;
};
/// A scalar of an integer element type.
inline Scalar ofInt(int64_t i) {
  Scalar s;
  s.i = i;
  return s;
}
/// A scalar of a float element type.
inline Scalar ofFloat(double f) {
  Scalar s;
  s.f = f;
  return s;
}

/// A tensor known at compile time: a view, with extents, strides and an offset,
/// of elements that are shared with its copies. Along a dim of stride 0 one
/// element is stored, so a broadcast constant needs no memory.
class Tensor {
public:
  /// A tensor of zeros to be filled through `elements()`.
  Tensor(mlir::Type element, llvm::ArrayRef<int64_t> shape);
  /// A tensor of equal elements, stored once.
  static Tensor splat(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                      Scalar value);
  /// A tensor of one dim, i64.
  static Tensor ofInts(mlir::MLIRContext *context,
                       llvm::ArrayRef<int64_t> values);
  /// Decodes little-endian elements (bool and i8: one byte each).
  static Tensor decode(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                       const char *bytes);
  /// The elements of an attribute; those of a splat are stored once.
  static Tensor ofAttr(mlir::DenseElementsAttr attr);
  /// A matrix by distance: element (i, j) is `diagonals`[rows - 1 + j - i].
  static Tensor byDistance(mlir::Type element, int64_t rows, int64_t columns,
                           std::vector<Scalar> diagonals);

  /// The element type.
  mlir::Type element() const { return type; }
  /// The extents of its dims.
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  /// The number of its dims.
  int64_t rank() const { return extents.size(); }
  /// The number of its elements, which may exceed the number stored.
  int64_t size() const;
  /// Whether scalars are floats (`f`), not integers (`i`).
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type); }

  /// The elements in row-major order; only for a tensor that was just
  /// constructed or is dense().
  std::vector<Scalar> &elements() { return *data; }
  /// The element at an index of each dim.
  Scalar at(llvm::ArrayRef<int64_t> index) const;
  /// The element with this number in row-major order.
  Scalar at(int64_t number) const;
  /// The elements in row-major order; only for integer tensors.
  llvm::SmallVector<int64_t> ints() const;

  /// Whether all elements are equal (a NaN equals nothing).
  bool isUniform() const;
  /// Whether it is stored by distance: one element for each diagonal.
  bool isByDistance() const;
  /// The elements of a tensor by distance. The distance is the index of one dim
  /// minus the index of another.
  struct Diagonals {
    /// The two dims, and the distance of the first element.
    int64_t minuend, subtrahend, lowest;
    /// One element for each distance, ascending, in the element type's
    /// representation.
    llvm::ArrayRef<Scalar> elements;
  };
  /// The elements by distance; only if isByDistance().
  Diagonals diagonals() const;
  /// A row-major copy, or this if it is one already.
  Tensor dense() const;

  // Views.
  /// Dim i of the result is dim permutation[i] of this.
  Tensor transpose(llvm::ArrayRef<int64_t> permutation) const;
  /// Element i of dim d is element starts[d] + i * steps[d] of this.
  Tensor slice(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps,
               llvm::ArrayRef<int64_t> shape) const;
  /// Broadcasts to a compatible shape by numpy's rules.
  Tensor expand(llvm::ArrayRef<int64_t> shape) const;
  /// The same elements, row major, in another shape; copies them if strides
  /// cannot express it.
  Tensor reshape(llvm::ArrayRef<int64_t> shape) const;
  /// The same elements, stored once along dims in which they do not vary. A
  /// tensor by distance is returned as it is.
  Tensor compact() const;
  /// The slice with extent 1 in every dim of stride 0.
  Tensor core() const;
  /// Whether elements along a dim are stored separately; otherwise they are
  /// equal.
  bool varies(int64_t dim) const {
    return extents[dim] != 1 && strides[dim] != 0;
  }

  /// The same numbers in another element type. A float type rounds, an integer
  /// type truncates floats, and bool is whether a number is not 0.
  Tensor castTo(mlir::Type element) const;

  /// Applies fn elementwise to the operands, broadcast to their common shape.
  /// The result is stored once along dims in which no operand varies.
  static Tensor map(mlir::Type element, llvm::ArrayRef<Tensor> operands,
                    llvm::function_ref<Scalar(llvm::ArrayRef<Scalar>)> fn);

  /// Whether both are the same view of the same shared elements.
  bool isSameView(const Tensor &other) const {
    return data == other.data && offset == other.offset &&
           extents == other.extents && strides == other.strides;
  }

  /// The elements as an attribute, row major.
  mlir::DenseElementsAttr attr() const;

private:
  Tensor() = default;
  static std::optional<Tensor>
  mapDiagonals(mlir::Type element, llvm::ArrayRef<Tensor> operands,
               llvm::function_ref<Scalar(llvm::ArrayRef<Scalar>)> fn);
  int64_t place(llvm::ArrayRef<int64_t> index) const;
  bool isRowMajor() const;

  mlir::Type type;
  Shape extents, strides;
  int64_t offset = 0;
  std::shared_ptr<std::vector<Scalar>> data;
};

/// Numpy's broadcast of shapes; nullopt if they are incompatible.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<Shape> shapes);

/// The product of the extents of an existing tensor, which does not overflow.
int64_t product(llvm::ArrayRef<int64_t> shape);

/// The row-major strides of a shape.
Shape rowMajor(llvm::ArrayRef<int64_t> shape);

/// The product of arbitrary extents; nullopt if one is negative or it
/// overflows.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// Whether a value of this shape can exist: no dim is negative or longer than
/// 2^31, and it has at most 2^40 elements.
bool canBeHeld(llvm::ArrayRef<int64_t> shape);

/// Calls fn with every index of a shape in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> fn);

/// Rounds a float to a value that the element type can represent; returns
/// integers as they are.
Scalar roundTo(mlir::Type element, Scalar value);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_TENSOR_H
