//===- Visibility.h - What masks hide ---------------------------*- C++ -*-===//
//
// Along one dim of an op's operands, what is added up or compared is not seen
// where a mask hides it:
//
//   softmax(scores + mask) along keys      what the mask removes
//   contract "qk,kc->qc" probs, values     where the probabilities are 0
//   reduce where(k <= q, x, 0) along k     where it is 0
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_VISIBILITY_H
#define PCC_PASSES_TRAINING_VISIBILITY_H

#include "analysis/Lines.h"
#include <list>

namespace pcc {

/// Which elements of a line, such as the keys of a query, can matter to what is
/// computed of it. The line may be another one for each index of some loops.
class Visibility {
public:
  /// Half-open, ascending.
  using Stretches = llvm::SmallVector<std::pair<int64_t, int64_t>, 4>;
  /// Which elements of a value make those of the line not matter.
  enum Hides {
    /// Elements that are known to be 0.
    Zeros,
    /// Of a maximum, elements that are the least that the value can be, or very
    /// negative where another is not.
    Least,
    /// Scores of a softmax, or what is added to them, that are very negative;
    /// if all of a line are, only those that are infinite.
    Removed
  };

  /// Of lines of `extent` elements.
  explicit Visibility(int64_t extent) : extent(extent) {}

  /// What `value` hides along its dim `along`; dim d of it is loop `loops[d]`.
  void add(mlir::Value value, int64_t along, llvm::ArrayRef<int> loops,
           Hides hides);
  /// Keys at higher positions than the query's, loop `query`, are hidden; false
  /// if the positions are not known.
  bool addCausal(mlir::Value queries, mlir::Value keys, int query);

  /// Whether it hides something, or may.
  bool isEmpty() const { return masks.empty() && queries.empty(); }
  /// Whether stretches differ along a loop.
  bool varies(int loop) const;
  /// Whether they differ along a loop that is none of these.
  bool variesBeyond(llvm::ArrayRef<int> loops) const;
  /// What is seen at an index of all loops; along dims of masks that are no
  /// loop, such as the heads of grouped queries, at any of their indices.
  Stretches at(llvm::ArrayRef<int64_t> index);

private:
  /// A part of a value, from `offset` of the line on.
  struct Mask {
    pcc::analysis::Lines lines;
    llvm::SmallVector<int> loops;
    Hides hides;
    int64_t offset;
    /// What no element is less than, if that is known.
    std::optional<double> least = std::nullopt;
  };
  void addParts(mlir::Value value, int64_t along, llvm::ArrayRef<int> loops,
                Hides hides, int64_t offset);
  /// At an index of all loops, and one of all dims of masks that are none.
  Stretches at(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> others);

  int64_t extent;
  std::list<Mask> masks;
  int query = -1;
  llvm::SmallVector<int64_t> queries;
  /// Ascending stretches of keys' positions, with where each begins.
  llvm::SmallVector<std::pair<int64_t, llvm::SmallVector<int64_t>>> keys;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_VISIBILITY_H
