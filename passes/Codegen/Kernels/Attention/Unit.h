//===- Unit.h - What units of attention have in common ----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_UNIT_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_UNIT_H

#include "passes/Codegen/Kernels/Attention/Attention.h"
#include "passes/Codegen/Kernels/Attention/Tiles.h"

namespace pcc::codegen {

/// The sizes and attributes of an attention, forward or backward.
struct AttentionSizes {
  /// Of an `nn.attention` or `nn.attention_grad`.
  explicit AttentionSizes(mlir::Operation *op);

  /// The op's operands, null where it has none.
  mlir::Value q, k, v;
  /// Positions of queries and keys.
  mlir::Value qPos, kPos;
  /// What dropout counts by.
  mlir::Value samples, seed, step, headOrigin;
  /// What is added to scores.
  mlir::Value bias;
  /// Dims: q is [batch, queries, heads, width], v is [batch, keys, keyHeads,
  /// valueWidth].
  int64_t batch, queries, keys, heads, keyHeads, width, valueWidth;
  /// What scores are multiplied by, and the probability to be dropped.
  double scale, p;
  /// What a probability that is not dropped is multiplied by.
  double whatIsKept() const { return 1 / (1 - p); }
  /// Whether keys behind a query are masked.
  bool isCausal;
  /// The op's number among those that draw random numbers.
  int64_t id;
  /// Query heads that share a key head.
  int64_t shared() const { return heads / keyHeads; }
  /// Queries of a forward unit, whole vectors.
  int64_t tileHeight(const KernelChoices &choices) const {
    return llvm::alignTo(std::min(choices.tileQueries, queries),
                         choices.vectorLanes);
  }
  /// Queries of a pair of tiles backward, whole blocks of registers.
  int64_t pairHeight(const KernelChoices &choices) const {
    return llvm::alignTo(std::min(choices.tileQueries, queries),
                         choices.productRows);
  }
  /// Whether dbias is asked for, of an `nn.attention_grad`.
  bool asksForBias = false;
  /// The units that make it, behind those of key heads.
  int64_t countBiasUnits(const KernelChoices &choices) const;
};

/// What is added to the scores of a head of a sample: that of a query and a key
/// is at base + query * ofQuery + key * ofKey.
struct ScoreBias {
  mlir::Value buffer; ///< rank 1, of any float
  mlir::Value base;   ///< index
  /// 0 where one number stands for all.
  int64_t ofQuery, ofKey;
};

/// Builds what forward and backward both need, at the builder's place.
class AttentionUnit : public TileBuilder {
public:
  /// All that is given must outlive this; `outs` as emitAttention has them.
  AttentionUnit(ScalarBuilder &b, mlir::Operation *op,
                const KernelChoices &choices, const OperandMap &operands,
                llvm::ArrayRef<Operand> outs)
      : TileBuilder(b, choices), b(b), sizes(op), choices(choices),
        operands(operands), outs(outs) {}

protected:
  /// Row `first` and those behind it of a sample's head, as the operand or the
  /// result lies; `left` rows are there.
  Tile rowsOf(mlir::Value operand, mlir::Value sample, mlir::Value first,
              mlir::Value head, mlir::Value left);
  Tile rowsOf(const Operand &at, mlir::Value sample, mlir::Value first,
              mlir::Value head);
  /// The same rows as f32, which numbers are taken from one by one: where they
  /// lie, or in `buffer`, allocated if it is needed.
  Tile widened(const Tile &rows, mlir::Value &buffer, int64_t height,
               mlir::Value left, int64_t width);
  /// Element (sample, row, head) of an operand [b, s, h].
  mlir::Value loadRow(mlir::Value operand, mlir::Value sample, mlir::Value row,
                      mlir::Value head);
  /// A row's lse, or 0 where it is -inf: of a row all of whose scores are,
  /// whose exponentials are zero whatever is subtracted.
  mlir::Value finite(mlir::Value lse);
  /// The bias of a sample's head, of an attention that has one.
  ScoreBias biasOf(mlir::Value sample, mlir::Value head);
  /// An integer operand's element as i32.
  mlir::Value loadWord(mlir::Value operand, mlir::Value index);
  /// Builds what is done with a pair of tiles if it has a key that a query may
  /// see.
  void ifSeen(mlir::Value firstQuery, mlir::Value queries, mlir::Value firstKey,
              mlir::Value keys, llvm::function_ref<void()> body);
  /// to[i] = the positions of `height` rows from `first` on; behind `last`,
  /// its own.
  void copyPositions(mlir::Value operand, mlir::Value first, mlir::Value last,
                     int64_t height, mlir::Value to);

  /// Random.h on words or vectors of them; a coordinate may be a word.
  mlir::Value randomAdd(mlir::Value key, mlir::Value coordinate);
  /// Its parts: h ^ h >> shift, and what a coordinate adds to a key.
  mlir::Value foldWord(mlir::Value h, unsigned shift);
  mlir::Value spreadWord(mlir::Value coordinate);
  /// The key of a sample's random numbers, to which heads are added, then
  /// positions of queries and of keys.
  mlir::Value randomKey(mlir::Value sample);
  mlir::Value headWord(mlir::Value head);
  /// Where random words say that a probability is dropped, zero; else itself.
  mlir::Value drop(mlir::Value words, mlir::Value x);

  mlir::Value word(uint32_t value, mlir::Type type);
  mlir::Value exp(mlir::Value x);
  mlir::Value mulf(mlir::Value x, mlir::Value y);
  mlir::Value subf(mlir::Value x, mlir::Value y);
  mlir::Value divide(mlir::Value x, int64_t by);
  mlir::Value remainder(mlir::Value x, int64_t by);

  ScalarBuilder &b;
  AttentionSizes sizes;
  const KernelChoices &choices;
  const OperandMap &operands;
  llvm::ArrayRef<Operand> outs;

private:
  mlir::Value sees(mlir::Value firstQuery, mlir::Value queries,
                   mlir::Value firstKey, mlir::Value keys);
  mlir::Value randomMix(mlir::Value hash);
};

/// Builds a unit of nn.attention: a tile of queries of a head.
void emitForward(ScalarBuilder &b, nn::AttentionOp op,
                 const KernelChoices &choices, mlir::Value unit,
                 const OperandMap &operands, llvm::ArrayRef<Operand> outs);
/// Builds a unit of nn.attention_grad: a key head of a sample.
void emitBackward(ScalarBuilder &b, nn::AttentionGradOp op,
                  const KernelChoices &choices, mlir::Value unit,
                  const OperandMap &operands, llvm::ArrayRef<Operand> outs);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_UNIT_H
