//===- Visibility.h - Elements that masks hide ------------------*- C++ -*-===//
//
// Along one dim of an op's operands, elements that a mask hides do not
// contribute to a sum or maximum:
//
//   softmax(scores + mask) along keys      hidden: keys that the mask removes
//   contract "qk,kc->qc" probs, values     hidden: probabilities of 0
//   reduce where(k <= q, x, 0) along k     hidden: zeros
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_VISIBILITY_H
#define PCC_PASSES_TRAINING_VISIBILITY_H

#include "analysis/Lines.h"
#include <list>

namespace pcc {

/// The elements of a line, such as the keys of one query, that can contribute
/// to a result. Lines may differ per index of some loops. A loop is a factor of
/// the op's sharding rule.
class Visibility {
public:
  /// Half-open ranges, ascending.
  using Ranges = llvm::SmallVector<std::pair<int64_t, int64_t>, 4>;
  /// The condition under which an element of a value hides that of the line.
  enum Hides {
    /// The element is known to be 0.
    Zeros,
    /// Operand of a maximum: the element is the least that the value can be, or
    /// very negative (<= kRemovesKey) while another is not.
    Least,
    /// Score of a softmax, or a term added to it: the element is very negative;
    /// if all of a line are, only infinite ones hide.
    Removed
  };

  /// For lines of `extent` elements.
  explicit Visibility(int64_t extent) : extent(extent) {}

  /// Adds `value` as a mask along its dim `along`; dim d of it is loop
  /// `loops[d]`.
  void add(mlir::Value value, int64_t along, llvm::ArrayRef<int> loops,
           Hides hides);
  /// Hides keys at higher positions than the query's, where the queries are
  /// loop `query`. Returns false if the positions are not known.
  bool addCausal(mlir::Value queries, mlir::Value keys, int query);

  /// Whether no mask has been added.
  bool isEmpty() const { return masks.empty() && queries.empty(); }
  /// Whether the visible ranges differ along a loop.
  bool varies(int loop) const;
  /// Whether the visible ranges differ along a loop other than `loops`.
  bool variesBeyond(llvm::ArrayRef<int> loops) const;
  /// The visible ranges at an index of all loops. A mask may have dims that are
  /// no loop, such as the heads of grouped queries: the ranges are then the
  /// union over their indices.
  Ranges at(llvm::ArrayRef<int64_t> index);

private:
  /// A mask that covers the line from `offset` on.
  struct Mask {
    pcc::analysis::Lines lines;
    llvm::SmallVector<int> loops;
    Hides hides;
    int64_t offset;
    /// The lower bound of the elements, if it is known.
    std::optional<double> least = std::nullopt;
  };
  void addParts(mlir::Value value, int64_t along, llvm::ArrayRef<int> loops,
                Hides hides, int64_t offset);
  /// The visible ranges at an index of all loops, and at the index `others` of
  /// the masks' dims that are no loop.
  Ranges at(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> others);

  int64_t extent;
  std::list<Mask> masks;
  int query = -1;
  llvm::SmallVector<int64_t> queries;
  /// Runs of keys with ascending positions, each with the index of its first
  /// key.
  llvm::SmallVector<std::pair<int64_t, llvm::SmallVector<int64_t>>> keys;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_VISIBILITY_H
