//===- Components.h - Dims that are split together --------------*- C++ -*-===//
//
// If a dim of one value is split, dims of other values are split with it: an op
// that has both dims in one loop computes only a part of that loop. Dims that
// are connected so form a component. A layer of two contractions
//
//     %h = nn.contract "bsc,cm->bsm" %x, %up         x [b s c]   up [c m]
//     %a = nn.gelu %h                                h, a [b s m]
//     %y = nn.contract "bsm,mc->bsc" %a, %down       y [b s c]   down [m c]
//
// has five: all b, all s, the c of x and up, the c of y and down, and the m of
// h, a, up and down. Tensor parallelism splits the last one: m is a column dim
// of one weight (N: in the result only) and a row dim of another (K: summed
// over). So both weights are split, no value between them is ever gathered, and
// one all_reduce after the second contraction is enough. The residual sum of x
// and y joins both c to one component, the residual stream. Norms need it
// whole, so it is unsplittable ("dead").
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_SHARDING_COMPONENTS_H
#define PCC_PASSES_SHARDING_COMPONENTS_H

#include "passes/Sharding/Program.h"

namespace pcc {

/// A dim of a value, by the value's number.
using ValueDim = std::pair<unsigned, unsigned>;

/// Returns the loop that is split first when a dim is split: the first of its
/// factors with more than one iteration. The dim must have factors.
int majorFactor(const nn::ShardingRule &rule, const nn::DimFactors &dim);

/// A use of a parameter's dim in a contraction, or in one of experts: either
/// summed over (row parallel if split) or a dim of the result only (column
/// parallel).
struct WeightUse {
  const ShardedOp *op;
  unsigned param; ///< value number
  unsigned dim;
  /// Whether the dim is summed over.
  bool isRow;
};

/// The components of dims in the forward pass. Dims are connected if they have
/// the same major factor in an op.
class Components {
public:
  /// Connects the dims of all ops of the forward pass. `program` must outlive
  /// this.
  explicit Components(const Program &program);

  /// Returns a number that all dims of a component share.
  unsigned find(ValueDim dim) const;
  /// Whether an op needs a dim of this component whole, or it is a table's
  /// column dim.
  bool isUnsplittable(ValueDim dim) const { return dead.contains(find(dim)); }
  /// Returns the first op that needs a dead dim whole; null for other dims.
  const ShardedOp *whoNeeds(ValueDim dim) const {
    return dead.lookup(find(dim));
  }

  /// A component that tensor parallelism splits.
  struct Choice {
    /// In program order; both column and row uses occur.
    std::vector<WeightUse> uses;
  };
  /// Returns the components to split: attention heads first, then the largest.
  /// A component that shares a parameter with an earlier one, or with class
  /// dims that can be split, is left out.
  std::vector<Choice> choose(const Program &program) const;

private:
  void join(ValueDim a, ValueDim b);
  void addExperts(const ShardedOp &op, nn::ExpertsOp experts);

  /// Dim d of value v is first[v] + d; parents lead to the component's number.
  std::vector<unsigned> first, parent;
  llvm::DenseMap<unsigned, const ShardedOp *> dead;
  std::vector<WeightUse> uses;
  std::vector<ValueDim> classDims, headDims;
};

} // namespace pcc

#endif // PCC_PASSES_SHARDING_COMPONENTS_H
