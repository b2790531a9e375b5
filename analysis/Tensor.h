//===- Tensor.h - Tensors known at compile time -----------------*- C++ -*-===//
//
// What the constant interpreter computes with: masks, positions, shapes. A
// tensor is a strided view of shared elements, so that moving and repeating
// elements copies nothing. Weights are never held here unless an operator
// without a derivative asks for their values.
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
  /// The value of an element of a float type, whatever its width.
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

/// A tensor known at compile time: a view, by extents, strides and an offset,
/// of elements that copies share. A stride of 0 stores one element for a whole
/// dim, so a broadcast constant costs nothing.
class Tensor {
public:
  /// A tensor of zeros to be filled through `elements()`.
  Tensor(mlir::Type element, llvm::ArrayRef<int64_t> shape);
  /// A tensor of one value everywhere, stored once.
  static Tensor splat(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                      Scalar value);
  /// A tensor of one dim, i64.
  static Tensor ofInts(mlir::MLIRContext *context,
                       llvm::ArrayRef<int64_t> values);
  /// Little-endian elements as files hold them (bool and i8: one byte each).
  static Tensor decode(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                       const char *bytes);
  /// The elements of an attribute; one that is a splat is stored once.
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
  /// The number of its elements, however many are stored.
  int64_t size() const;
  /// Whether scalars are floats (`f`), not integers (`i`).
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type); }

  /// The elements in row-major order; only of a tensor just made.
  std::vector<Scalar> &elements() { return *data; }
  /// The element at an index of each dim.
  Scalar at(llvm::ArrayRef<int64_t> index) const;
  /// The element with this number in row-major order.
  Scalar at(int64_t number) const;
  /// The elements in row-major order; only of integers.
  llvm::SmallVector<int64_t> ints() const;

  /// Whether all elements are equal (a NaN equals nothing).
  bool isUniform() const;
  /// Whether elements along diagonals are stored once.
  bool isByDistance() const;
  /// Where that is so: the elements by the index of one dim less that of
  /// another, from the lowest distance on.
  struct Diagonals {
    /// The two dims, and the distance of the first of the elements.
    int64_t minuend, subtrahend, lowest;
    /// One for each distance, as the element type has it.
    llvm::ArrayRef<Scalar> elements;
  };
  /// What isByDistance() tells in full; only of a tensor that is so.
  Diagonals diagonals() const;
  /// A row-major copy, or this if it is one already.
  Tensor dense() const;

  // Views.
  /// Dim i of the result is dim permutation[i].
  Tensor transpose(llvm::ArrayRef<int64_t> permutation) const;
  /// Element i of dim d is element starts[d] + i * steps[d] of this.
  Tensor slice(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps,
               llvm::ArrayRef<int64_t> shape) const;
  /// This broadcast, as numpy does, to a shape that it fits.
  Tensor expand(llvm::ArrayRef<int64_t> shape) const;
  /// The same elements, row major, in another shape; copies them where
  /// strides cannot say it.
  Tensor reshape(llvm::ArrayRef<int64_t> shape) const;
  /// The same elements, stored once along dims where they do not vary.
  Tensor compact() const;
  /// The part that has index 0 alone of every dim along which nothing varies.
  Tensor core() const;
  /// Whether elements along a dim are stored one by one; else they are surely
  /// equal.
  bool varies(int64_t dim) const {
    return extents[dim] != 1 && strides[dim] != 0;
  }

  /// The same numbers rounded to another element type.
  Tensor castTo(mlir::Type element) const;

  /// fn on the elements of all operands at each place of their common shape;
  /// the result is stored once along dims where no operand varies.
  static Tensor map(mlir::Type element, llvm::ArrayRef<Tensor> operands,
                    llvm::function_ref<Scalar(llvm::ArrayRef<Scalar>)> fn);

  /// Whether this is the other's view of the other's elements.
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

/// Numpy's broadcast of shapes; nothing if they do not fit.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<Shape> shapes);

/// The product of extents that a tensor has.
int64_t product(llvm::ArrayRef<int64_t> shape);

/// The distance, along each dim, of an element from the next in row-major
/// order.
Shape rowMajor(llvm::ArrayRef<int64_t> shape);

/// The product of any extents; nothing if one is negative or it overflows.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// Whether a value of this shape can exist: no dim is negative or longer than
/// 2^31, and it has at most 2^40 elements.
bool canBeHeld(llvm::ArrayRef<int64_t> shape);

/// Calls fn with every index of a shape in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> fn);

/// `value` as the element type can hold it.
Scalar roundTo(mlir::Type element, Scalar value);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_TENSOR_H
