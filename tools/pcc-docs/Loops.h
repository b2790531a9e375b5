//===- Loops.h - Dims that can be sharded together --------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DOCS_LOOPS_H
#define PCC_TOOLS_PCC_DOCS_LOOPS_H

#include "dialects/NN/NN.h"
#include "dialects/NN/ShardingRule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc {

/// Propagates the factors of a function's sharding rules from its arguments to
/// its results. Dims that belong to the same loop can be sharded over one mesh
/// axis without a collective; a result without such a dim is then partial.
class Loops {
public:
  /// Analyzes `function`, which must outlive this and have one block.
  explicit Loops(mlir::func::FuncOp function);

  /// Returns for example "ab,bc->ac": a letter for each dim of arguments and
  /// results, the same for the same loop, "-" for a dim that cannot be sharded
  /// or has extent 1, and "1" for a scalar. For a dim merged of several, it is
  /// the letter of the major one; the others cannot be sharded.
  std::string text();

private:
  struct Loop {
    int64_t size;
    /// The loop that this one was unified with, or itself.
    int same;
    bool isWhole = false;
    /// The loops that it is merged of, major to minor.
    llvm::SmallVector<int, 2> parts;
  };
  using Dim = llvm::SmallVector<int, 2>;

  Dim add(int64_t size, bool isWhole = false);
  int find(int loop) const;
  /// Collects the unmerged loops of a dim, without those of extent 1.
  void collect(int loop, Dim &leaves) const;
  Dim leaves(const Dim &dim) const;
  void markWhole(const Dim &dim);
  /// Unifies the loops of two dims with the same extent.
  void unify(const Dim &a, const Dim &b);
  void follow(nn::ShardingRuleInterface op);
  /// Returns the letters of a value's dims; `known` are the loops of the
  /// letters in order.
  std::string letters(mlir::Value value,
                      llvm::SmallVectorImpl<int> &known) const;

  mlir::func::FuncOp function;
  std::vector<Loop> loops;
  llvm::DenseMap<mlir::Value, std::vector<Dim>> dims;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_DOCS_LOOPS_H
