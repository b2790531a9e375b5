//===- HorizonTracker.h - How far the values of a program see ---*- C++ -*-===//
//
// The horizon of a value follows from those of its operands, op by op, by the
// correspondence of dims that says how ops are split over ranks. What an op
// adds up or compares along a dim is seen by each element of the result, but
// for what masks hide:
//
//   %s = nn.contract "qc,kc->qk" %x, %x     query q, key k see max(q, k)
//   %m = nn.where %causal, %s, -1e9         the same
//   %p = nn.softmax %m                      query q sees the keys up to q: q
//   %y = nn.contract "qk,kc->qc" %p, %x     %p is 0 behind q: q
//
// An op of which nothing is known sees from each element all that its operands
// see from any.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_HORIZONTRACKER_H
#define PCC_PASSES_TRAINING_HORIZONTRACKER_H

#include "dialects/NN/NN.h"
#include "passes/Training/Horizon.h"
#include "passes/Training/Visibility.h"
#include <map>

namespace pcc {

/// The horizons of a function's values, found op by op in program order.
class HorizonTracker {
public:
  /// Says what a value sees, such as an argument; the last word counts.
  void set(mlir::Value value, Horizon horizon) {
    known.insert_or_assign(value, std::move(horizon));
  }
  /// What does not depend on tokens sees nothing.
  Horizon of(mlir::Value value) const {
    auto it = known.find(value);
    return it == known.end() ? Horizon(nn::tensorType(value).getRank())
                             : it->second;
  }
  /// Finds those of an op's results.
  void visit(mlir::Operation *op);

private:
  /// An operand by the loops that its dims are, -1 for none.
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
  Horizon reduce(llvm::ArrayRef<Operand> operands, llvm::ArrayRef<int> kept,
                 int64_t along, int64_t extent, Visibility &visibility) const;
  Horizon concat(nn::ConcatOp op) const;

  llvm::DenseMap<mlir::Value, Horizon> known;
  /// Of attentions: layers share masks.
  std::map<std::vector<const void *>, Horizon> attentions;
};

/// The loop of each dim; -1 where a dim is several.
llvm::SmallVector<int> loopsOf(const nn::ShardingRule &rule,
                               const nn::ValueFactors &dims);

/// Of ops that put elements of one input elsewhere, and zeros beside them: the
/// index of the input that an element of the result is; nothing for zeros.
std::optional<Horizon::Shape> movedFrom(mlir::Operation *op,
                                        Horizon::Index index);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_HORIZONTRACKER_H
