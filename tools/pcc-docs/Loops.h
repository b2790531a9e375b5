//===- Loops.h - Which dims of a function are one loop ----------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DOCS_LOOPS_H
#define PCC_TOOLS_PCC_DOCS_LOOPS_H

#include "dialects/NN/NN.h"
#include "dialects/NN/ShardingRule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc {

/// Follows the sharding rules of a function's ops from its arguments to its
/// results: dims that are one loop in all of them may be split over one mesh
/// axis without a collective between.
class Loops {
public:
  /// Follows `function`, which must outlive this and has one block.
  explicit Loops(mlir::func::FuncOp function);

  /// "ab,bc->ac": a letter for each dim of arguments and results, the same for
  /// the same loop, "-" for what every rank needs whole. Of a dim that is
  /// merged of several it is that of the major one, the others are whole.
  std::string text();

private:
  struct Loop {
    int64_t size;
    /// The loop this one is, or itself.
    int same;
    bool isWhole = false;
    /// Major to minor, if it is merged of others.
    llvm::SmallVector<int, 2> parts;
  };
  using Dim = llvm::SmallVector<int, 2>;

  Dim add(int64_t size, bool isWhole = false);
  int find(int loop) const;
  /// What a dim is merged of, without what has extent 1.
  void collect(int loop, Dim &leaves) const;
  Dim leaves(const Dim &dim) const;
  void markWhole(const Dim &dim);
  /// Makes two dims of one extent the same loops.
  void unify(const Dim &a, const Dim &b);
  void follow(nn::ShardingRuleInterface op);
  /// `known` has the loops that letters stand for, in order.
  std::string letters(mlir::Value value,
                      llvm::SmallVectorImpl<int> &known) const;

  mlir::func::FuncOp function;
  std::vector<Loop> loops;
  llvm::DenseMap<mlir::Value, std::vector<Dim>> dims;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_DOCS_LOOPS_H
