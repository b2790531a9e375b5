//===- Components.h - Dims that are split together --------------*- C++ -*-===//
//
// Splitting a dim of one value splits that of others: an op that has both as
// one loop computes only its part of it. Dims that hang together so are a
// component. In a layer of two products
//
//     %h = nn.contract "bsc,cm->bsm" %x, %up         x [b s c]   up [c m]
//     %a = nn.gelu %h                                h, a [b s m]
//     %y = nn.contract "bsm,mc->bsc" %a, %down       y [b s c]   down [m c]
//
// there are four: all b, all s, the c of x, y, up and down, and the m of h, a,
// up and down. The last is what tensor parallelism wants: m is a column of one
// weight (N: of the result only) and a row of another (K: summed over), so both
// weights are split, nothing between them is ever whole, and one sum over ranks
// behind the second is all that is needed. The component of c is the residual
// stream, which norms need whole: it is dead.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_SHARDING_COMPONENTS_H
#define PCC_PASSES_SHARDING_COMPONENTS_H

#include "passes/Sharding/Program.h"

namespace pcc {

/// A dim of a value, by the value's number.
using ValueDim = std::pair<unsigned, unsigned>;

/// The loop that the splitting of a dim begins with: the first of its factors
/// that has more than one iteration. The dim must have factors.
int majorFactor(const nn::ShardingRule &rule, const nn::DimFactors &dim);

/// The parameter operand of a contraction, and what one of its dims
/// is there: summed over (row parallel, if split) or a dim of the result only
/// (column parallel).
struct WeightUse {
  /// The contraction.
  const ShardedOp *op;
  unsigned param; ///< value number
  /// The parameter's dim.
  unsigned dim;
  /// It is summed over.
  bool isRow;
};

/// The dims of the forward pass, joined where an op has them as the major
/// part of one factor.
class Components {
public:
  /// Joins the dims of all ops of the forward pass. `program` must outlive
  /// this.
  explicit Components(const Program &program);

  /// A number that the dims of a component share.
  unsigned find(ValueDim dim) const;
  /// Some op needs such a dim whole, or it is a table's column.
  bool isDead(ValueDim dim) const { return dead.contains(find(dim)); }
  /// The first op that needs a dead dim whole; null of one that is not dead.
  const ShardedOp *whoNeeds(ValueDim dim) const {
    return dead.lookup(find(dim));
  }

  /// What tensor parallelism splits.
  struct Choice {
    /// In program order; both columns and rows occur.
    std::vector<WeightUse> uses;
  };
  /// Candidates, heads of attention first, then the largest, without those that
  /// share a parameter with an earlier one or with the classes.
  std::vector<Choice> choose(const Program &program) const;

private:
  void join(ValueDim a, ValueDim b);

  /// Dim d of value v is first[v] + d; parents lead to the component's number.
  std::vector<unsigned> first, parent;
  llvm::DenseMap<unsigned, const ShardedOp *> dead;
  std::vector<WeightUse> uses;
  std::vector<ValueDim> classDims, headDims;
};

} // namespace pcc

#endif // PCC_PASSES_SHARDING_COMPONENTS_H
