//===- Backward.h - Blocks of attention's backward on a GPU -----*- C++ -*-===//
//
// The backward kernel of attention has three kinds of blocks. Each block
// accumulates only results that it alone writes, in a fixed order:
//
// - dk and dv: a block has a tile of keys of one key head and iterates over
//   the queries of all heads that share it;
// - dq: a block has a tile of queries of one head and iterates over its keys;
// - dbias, if it is used: a block has a tile of queries and keys and iterates
//   over the samples and heads that the bias is broadcast over.
//
// Below, rows are the tile that stays in shared memory, columns the tiles that
// are streamed. A block of dbias loads both again for each sample and head.
//
//                    dk and dv               dq             dbias
//     rows           keys                    queries        queries
//     S, dP          k q^T, v do^T           q k^T, do v^T  as dq
//     P, dS          by lse of columns       by lse of rows as dq
//     results        dv += P do, dk += dS q  dq += dS k     dbias += dS / scale
//
// with P = exp(S - lse) and dS = scale * P * (dP - rowsum(do * o)). The row sum
// is recomputed by each block. With a bias, P = exp(S + bias - max - lse).
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_ATTENTION_BACKWARD_H
#define PCC_PASSES_CODEGEN_GPU_ATTENTION_BACKWARD_H

#include "passes/Codegen/Gpu/Attention/Block.h"

namespace pcc::codegen {

/// The number of blocks of each kind of a backward kernel; 0 if their results
/// are unused.
struct BackwardBlocks {
  /// Blocks of dk and dv.
  int64_t ofKeys = 0;
  /// Blocks of dq.
  int64_t ofQueries = 0;
  /// Blocks of dbias.
  int64_t ofBias = 0;

  /// `outs` are as for emitBackwardBlock().
  BackwardBlocks(const AttentionSizes &sizes, const DeviceTiles &tiles,
                 llvm::ArrayRef<Operand> outs);
};

/// Builds a block of nn.attention_grad.
class Backward : public AttentionBlock {
public:
  /// References to the arguments are kept. `outs` are as for
  /// emitBackwardBlock().
  Backward(ScalarBuilder &b, nn::AttentionGradOp op,
           const KernelChoices &choices, const DeviceTiles &tiles,
           const OperandMap &operands, llvm::ArrayRef<Operand> outs)
      : AttentionBlock(b, op, choices, tiles, operands, outs), op(op) {}
  /// Emit a block of dk and dv, of dq, or of dbias; `block` is its number among
  /// the blocks of that kind.
  void emitKeys(mlir::Value block);
  void emitQueries(mlir::Value block);
  void emitBias(mlir::Value block);

private:
  /// Per-query values in shared memory: positions, starts of documents, dropout
  /// words, -lse * log2(e), rowsum(do * o), and with a bias the maximum score.
  struct Queries {
    mlir::Value positions, starts, words, lessLse, dots, highest;
  };
  /// The values of one query, in registers.
  struct Query {
    mlir::Value position, start, word, lessLse, dot, highest;
  };
  /// The values of one key: its position, and the word that dropout derives
  /// from it.
  struct Key {
    mlir::Value position, word;
  };
  /// A pair of a resident and a streamed tile.
  struct Pair {
    mlir::Value firstColumn;
    bool haveKeys;     ///< rows are keys
    mlir::Value isCut; ///< some query does not see all keys of the pair
    BiasRows bias;
    double factor; ///< what dS is multiplied by
    /// dbias is computed, which the soft cap does not apply to.
    bool isOfBias = false;
  };

  /// Derives the sample, head, tile and chunk of a block from its number.
  void place(mlir::Value block, int64_t heads);
  void allocate();
  bool needsPositions() const { return sizes.isCausal || sizes.p > 0; }
  Query queryAt(mlir::Value at);
  Key keyAt(mlir::Value at);
  /// Loads the positions of `count` queries of the sample into shared memory,
  /// and the starts of their documents.
  void loadPlaces(mlir::Value firstQuery, int64_t count,
                  mlir::Value taken = {});
  /// The range of `count` of them.
  PositionRange rangeOfPlaces(int64_t count) {
    return rangeOf(ofQueries.positions, count, ofQueries.starts);
  }
  /// Loads the values of `count` keys into shared memory.
  void loadKeys(mlir::Value firstKey, int64_t count, mlir::Value taken = {});
  HeadRows rowsOfHead(mlir::Value operand, mlir::Value first, mlir::Value head,
                      int64_t all, int64_t rowCount) {
    return headRows(operand, sample, first, head, all, rowCount);
  }
  /// The rows of o for loadQueries().
  HeadRows resultsOf(mlir::Value firstQuery, mlir::Value head, int64_t count) {
    return rowsOfHead(op.getResult(), firstQuery, head, sizes.queries, count);
  }
  /// Loads the values of `count` queries into shared memory. Their rows of do
  /// are in the tile `cotangents`; `results` are the rows of o that
  /// prefetchRows() prefetched from resultsOf().
  void loadQueries(mlir::Value firstQuery, mlir::Value head,
                   const SharedTile &cotangents,
                   llvm::ArrayRef<mlir::Value> results, int64_t count);
  /// Computes P after dropout, without the factor sizes.keepScale(), and dS of
  /// the tiles in shared memory.
  std::pair<Numbers, Numbers> emitScores(const Pair &pair);
  /// Replaces S by that P, and dP by dS.
  void computeProbabilities(const Pair &pair, Numbers &scores,
                            Numbers &cotangents);
  /// Adds the contribution of a pair of tiles to the accumulators of the
  /// results.
  Numbers emitPair(const Pair &pair, llvm::ArrayRef<mlir::Value> sums);
  int64_t rows() const { return product->rows(); }

  nn::AttentionGradOp op;
  mlir::Value sample, head, first, chunk;
  mlir::Value randomStart;
  SharedTile resident, residentValues, streamed, streamedValues, stage;
  Queries ofQueries;
  mlir::Value keyPositions, keyWords;
  llvm::SmallVector<Query> queries; ///< by row
  llvm::SmallVector<Key> keys;      ///< by row
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_ATTENTION_BACKWARD_H
