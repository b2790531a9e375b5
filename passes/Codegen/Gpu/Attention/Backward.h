//===- Backward.h - A block of attention's gradient on a device -*- C++ -*-===//
//
// Blocks are of three kinds, so that each adds up what it alone writes, in one
// order. Some have a tile of keys of a key head and go through the queries of
// all heads that share it, others a tile of queries of a head and go through
// its keys. If the bias' cotangent is asked for, the last have a tile of it,
// of queries and keys, and go through the samples and heads that it is added up
// over. Rows are what a block has, columns what comes:
//
//                    dk and dv               dq             dbias
//     rows           keys                    queries        queries
//     S, dP          k q^T, v do^T           q k^T, do v^T  as dq
//     P, dS          by lse of columns       by lse of rows as dq
//     results        dv += P do, dk += dS q  dq += dS k     dbias += dS / scale
//
// with P = exp(S - lse), dS = scale * P * (dP - rowsum(do * o)). The last is
// computed where it is needed. With a bias P is exp(S + bias - max - lse).
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_ATTENTION_BACKWARD_H
#define PCC_PASSES_CODEGEN_GPU_ATTENTION_BACKWARD_H

#include "passes/Codegen/Gpu/Attention/Block.h"

namespace pcc::codegen {

/// How many blocks of each kind a backward kernel has; 0 where nobody asks for
/// what they make.
struct BackwardBlocks {
  /// Those of dk and dv.
  int64_t ofKeys = 0;
  /// Those of dq.
  int64_t ofQueries = 0;
  /// Those of dbias.
  int64_t ofBias = 0;

  /// `outs` are those of emitBackwardBlock().
  BackwardBlocks(const AttentionSizes &sizes, const DeviceTiles &tiles,
                 llvm::ArrayRef<Operand> outs);
};

/// Builds a block of nn.attention_grad.
class Backward : public AttentionBlock {
public:
  /// All that is given must outlive this; `outs` as emitBackwardBlock() has
  /// them.
  Backward(ScalarBuilder &b, nn::AttentionGradOp op,
           const KernelChoices &choices, const DeviceTiles &tiles,
           const OperandMap &operands, llvm::ArrayRef<Operand> outs)
      : AttentionBlock(b, op, choices, tiles, operands, outs), op(op) {}
  /// The blocks of a kind, by their number among those.
  void emitKeys(mlir::Value block);
  void emitQueries(mlir::Value block);
  void emitBias(mlir::Value block);

private:
  /// What belongs to queries, of each a number in shared memory: its position,
  /// its key of dropout, lse of powers of two, less than zero, rowsum(do * o),
  /// and with a bias its highest score.
  struct Queries {
    mlir::Value positions, words, lessLse, dots, highest;
  };
  /// The same of one, where it is needed.
  struct Query {
    mlir::Value position, word, lessLse, dot, highest;
  };
  /// And of a key: its position, and what dropout has of that.
  struct Key {
    mlir::Value position, word;
  };
  /// A pair of tiles: what comes, and what is known of its scores.
  struct Pair {
    mlir::Value firstColumn;
    bool haveKeys;     ///< rows are keys
    mlir::Value isCut; ///< a query does not see all of the keys
    BiasRows bias;
    double factor; ///< of dS
  };

  /// Of a sample's head.
  void place(mlir::Value block, int64_t heads);
  void allocate();
  bool needsPositions() const { return sizes.isCausal || sizes.p > 0; }
  Query queryAt(mlir::Value at);
  Key keyAt(mlir::Value at);
  /// Brings what belongs to keys.
  void bringKeys(mlir::Value firstKey, int64_t count, mlir::Value taken = {});
  HeadRows rowsOfHead(mlir::Value operand, mlir::Value first, mlir::Value head,
                      int64_t all, int64_t rowCount) {
    return headRows(operand, sample, first, head, all, rowCount);
  }
  /// The rows of o that bringQueries() needs.
  HeadRows resultsOf(mlir::Value firstQuery, mlir::Value head, int64_t count) {
    return rowsOfHead(op.getResult(), firstQuery, head, sizes.queries, count);
  }
  /// Brings what belongs to queries, with their rows of do in a tile; `results`
  /// are what takeRows() has of resultsOf().
  void bringQueries(mlir::Value firstQuery, mlir::Value head,
                    const SharedTile &cotangents,
                    llvm::ArrayRef<mlir::Value> results, int64_t count);
  /// P without what is dropped, not multiplied by sizes.whatIsKept(), and dS of
  /// the tiles in shared memory.
  std::pair<Numbers, Numbers> emitScores(const Pair &pair);
  /// The same in place of S and dP.
  void takePowers(const Pair &pair, Numbers &scores, Numbers &cotangents);
  /// And what they give to the results.
  Numbers emitPair(const Pair &pair, llvm::ArrayRef<mlir::Value> sums);
  int64_t rows() const { return product->rows(); }

  nn::AttentionGradOp op;
  mlir::Value sample, head, first, chunk;
  mlir::Value randomStart;
  SharedTile stay, stayValues, come, comeValues, stage;
  Queries ofQueries;
  mlir::Value keyPositions, keyWords;
  llvm::SmallVector<Query> queries; ///< by row
  llvm::SmallVector<Key> keys;      ///< by row
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_ATTENTION_BACKWARD_H
