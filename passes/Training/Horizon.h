//===- Horizon.h - How far a value sees -------------------------*- C++ -*-===//
//
// The horizon of an element is the last position of the tokens on which it may
// depend, -1 if there is none. Of 3 positions:
//
//   tokens [2, 3]            0 1 2             the same for both samples
//   x[:, 1:] [2, 2]          1 2
//   q k^T    [2, 3, 3]       0 1 2 / 1 1 2 / 2 2 2
//   cumsum x [2, 3]          0 1 2
//   mean x   [2]             2
//
// Horizons are tables that have extent 1 where nothing varies, so that one of a
// model's hidden states is as long as the sequence; equal ones are one.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_HORIZON_H
#define PCC_PASSES_TRAINING_HORIZON_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <vector>

namespace pcc {

/// Of each element of a value the last position of the tokens that it depends
/// on.
class Horizon {
public:
  /// Extents, and an index of each dim.
  using Shape = llvm::SmallVector<int64_t>;
  using Index = llvm::ArrayRef<int64_t>;

  /// All elements see positions up to this one; -1: none.
  explicit Horizon(size_t rank = 0, int32_t position = -1);
  /// Index i of `dim` sees position i.
  static Horizon along(size_t rank, size_t dim, int64_t extent);
  /// By `at` of each index of `shape`, which has 1 where nothing varies;
  /// of the highest alone where the table would be too large.
  static Horizon build(Shape shape, llvm::function_ref<int32_t(Index)> at,
                       llvm::function_ref<int32_t()> highest);

  /// 1 for dims along which nothing varies.
  Index shape() const { return extents; }
  /// Whether elements along a dim may see different positions.
  bool varies(size_t dim) const { return extents[dim] > 1; }
  /// Whether all elements see positions up to the same one.
  bool isUniform() const { return values->size() == 1; }
  /// The last position that the element at an index of shape() sees; -1: none.
  int32_t at(Index index) const;
  /// The greatest of all elements.
  int32_t highest() const;
  /// Whether it is seen at once that it never falls along any dim.
  bool rises() const;
  /// Calls `fn` for every index of `shape()`.
  void forEach(llvm::function_ref<void(Index, int32_t)> fn) const;

  /// As a value of these dims, which has the same elements in the same order.
  /// Dim i is dim `places[i]`, or new, -1.
  Horizon spread(llvm::ArrayRef<int64_t> places) const;
  /// The furthest along dims, which then have extent 1.
  Horizon reduce(llvm::function_ref<bool(size_t)> isReduced) const;
  /// The further of both, of equal rank.
  Horizon join(const Horizon &other) const;
  /// Of a value with the same elements in another shape.
  Horizon reshape(Index from, Index to) const;

  bool operator==(const Horizon &other) const {
    return extents == other.extents &&
           (values == other.values || *values == *other.values);
  }
  /// For equal tables that should be one.
  const void *identity() const { return values.get(); }

private:
  using Values = std::vector<int32_t>;

  Horizon(Shape extents, std::shared_ptr<const Values> values)
      : extents(std::move(extents)), values(std::move(values)) {}
  Horizon trimmed() const;

  Shape extents;
  std::shared_ptr<const Values> values;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_HORIZON_H
