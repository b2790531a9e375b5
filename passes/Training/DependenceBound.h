//===- DependenceBound.h - The last token a value depends on ----*- C++ -*-===//
//
// The dependence bound of an element is the last token position that it may
// depend on, or -1. For 3 positions:
//
//   tokens [2, 3]            0 1 2             the same for both samples
//   x[:, 1:] [2, 2]          1 2
//   q k^T    [2, 3, 3]       0 1 2 / 1 1 2 / 2 2 2
//   cumsum x [2, 3]          0 1 2
//   mean x   [2]             2
//
// Bounds are tables that have extent 1 along dims where the bound does not
// vary, so the table of a hidden state has only `seq` entries. Ops that do not
// change a table mostly share it.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_DEPENDENCEBOUND_H
#define PCC_PASSES_TRAINING_DEPENDENCEBOUND_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <vector>

namespace pcc {

/// The dependence bound of each element of a value.
class DependenceBound {
public:
  /// Extents, and an index per dim.
  using Shape = llvm::SmallVector<int64_t>;
  using Index = llvm::ArrayRef<int64_t>;

  /// All elements depend on positions up to `position`; -1: on none.
  explicit DependenceBound(size_t rank = 0, int32_t position = -1);
  /// Index i of `dim` depends on positions up to i.
  static DependenceBound along(size_t rank, size_t dim, int64_t extent);
  /// Builds the table from `at` for each index of `shape`, which is 1 where the
  /// bound does not vary. A table of more than 2^24 entries becomes the uniform
  /// bound `highest`.
  static DependenceBound build(Shape shape,
                               llvm::function_ref<int32_t(Index)> at,
                               llvm::function_ref<int32_t()> highest);

  /// The table's shape: 1 for dims along which the bound does not vary.
  Index shape() const { return extents; }
  /// Whether the bound varies along a dim.
  bool varies(size_t dim) const { return extents[dim] > 1; }
  /// Whether all elements have one bound.
  bool isUniform() const { return values->size() == 1; }
  /// The bound at an index of shape(); -1: no token.
  int32_t at(Index index) const;
  /// The maximum over all elements.
  int32_t highest() const;
  /// Whether the table is ascending in row-major order, which implies that the
  /// bound does not fall along any dim.
  bool rises() const;
  /// Calls `fn` for every index of `shape()`.
  void forEach(llvm::function_ref<void(Index, int32_t)> fn) const;

  /// The bounds of a value whose dim i is dim `sourceDims[i]` of this one, or
  /// new if that is -1.
  DependenceBound mapDims(llvm::ArrayRef<int64_t> sourceDims) const;
  /// The maximum along the reduced dims, which then have extent 1.
  DependenceBound reduce(llvm::function_ref<bool(size_t)> isReduced) const;
  /// The element-wise maximum of two tables of equal rank.
  DependenceBound join(const DependenceBound &other) const;
  /// The bounds of the value after a reshape from `from` to `to`.
  DependenceBound reshape(Index from, Index to) const;

  bool operator==(const DependenceBound &other) const {
    return extents == other.extents &&
           (values == other.values || *values == *other.values);
  }
  /// Identifies the shared table.
  const void *identity() const { return values.get(); }

private:
  using Values = std::vector<int32_t>;

  DependenceBound(Shape extents, std::shared_ptr<const Values> values)
      : extents(std::move(extents)), values(std::move(values)) {}
  DependenceBound trimmed() const;

  Shape extents;
  std::shared_ptr<const Values> values;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_DEPENDENCEBOUND_H
