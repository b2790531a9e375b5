//===- DependenceTracker.h - Dependence bounds of a program -----*- C++ -*-===//
//
// The dependence bound of a value follows op by op from those of its operands,
// by the ops' sharding rules. A result depends on all elements that the op sums
// or compares along a dim, except those that masks hide:
//
//   %s = nn.contract "qc,kc->qk" %x, %x     query q, key k: max(q, k)
//   %m = nn.where %causal, %s, -1e9         the same
//   %p = nn.softmax %m                      query q sees keys up to q: q
//   %y = nn.contract "qk,kc->qc" %p, %x     %p is 0 for k > q: q
//
// Each result of an op without a sharding rule depends on all that any element
// of its operands depends on.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_DEPENDENCETRACKER_H
#define PCC_PASSES_TRAINING_DEPENDENCETRACKER_H

#include "dialects/NN/NN.h"
#include "passes/Training/DependenceBound.h"
#include "passes/Training/Visibility.h"
#include <map>

namespace pcc {

/// The dependence bounds of a function's values, computed in program order.
class DependenceTracker {
public:
  /// Sets the bound of a value, such as an argument; overwrites an earlier one.
  void set(mlir::Value value, DependenceBound bound) {
    known.insert_or_assign(value, std::move(bound));
  }
  /// The bound of a value; -1 if it does not depend on tokens.
  DependenceBound of(mlir::Value value) const {
    auto it = known.find(value);
    return it == known.end() ? DependenceBound(nn::tensorType(value).getRank())
                             : it->second;
  }
  /// Computes the bounds of an op's results.
  void visit(mlir::Operation *op);

private:
  /// An operand with the loop (factor of the sharding rule) of each dim; -1 for
  /// none.
  struct Operand {
    mlir::Value value;
    llvm::SmallVector<int> loops;
  };

  void visitByRule(mlir::Operation *op, const nn::ShardingRule &rule);
  void visitLookup(nn::EmbeddingOp op);
  void visitScatter(nn::EmbeddingGradOp op);
  static void hide(mlir::Operation *op, llvm::ArrayRef<Operand> operands,
                   int along, Visibility &visibility);
  std::vector<const void *> keyOf(nn::AttentionOp op) const;
  DependenceBound reduce(llvm::ArrayRef<Operand> operands,
                         llvm::ArrayRef<int> kept, int64_t along,
                         int64_t extent, Visibility &visibility) const;
  DependenceBound concat(nn::ConcatOp op) const;

  llvm::DenseMap<mlir::Value, DependenceBound> known;
  /// Bounds of attentions by `keyOf`: layers share masks.
  std::map<std::vector<const void *>, DependenceBound> attentions;
};

/// The loop of each dim; -1 for a dim of no factor or of several.
llvm::SmallVector<int> loopsOf(const nn::ShardingRule &rule,
                               const nn::ValueFactors &dims);

/// For a slice, pad, select or insert: the index of the input element that the
/// result's element at `index` is copied from; empty where the op fills in
/// zeros.
std::optional<DependenceBound::Shape> movedFrom(mlir::Operation *op,
                                                DependenceBound::Index index);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_DEPENDENCETRACKER_H
