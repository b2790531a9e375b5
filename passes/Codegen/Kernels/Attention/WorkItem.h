//===- WorkItem.h - Common parts of attention work items --------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_WORKITEM_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_WORKITEM_H

#include "passes/Codegen/Kernels/Attention/Attention.h"
#include "passes/Codegen/Kernels/Attention/Mask.h"
#include "passes/Codegen/Kernels/Attention/Tiles.h"

namespace pcc::codegen {

/// The sizes and attributes of an attention, forward or backward.
struct AttentionSizes {
  /// Of an `nn.attention` or `nn.attention_grad`.
  explicit AttentionSizes(mlir::Operation *op);

  /// The op's operands; optional ones may be null.
  mlir::Value q, k, v;
  mlir::Value qPos, kPos;
  /// The inputs of dropout's random numbers.
  mlir::Value samples, seed, step, headOrigin;
  /// Added to the scores.
  mlir::Value bias;
  /// The score of one more key per head, of an `nn.attention`; may be null.
  mlir::Value sinks;
  /// The positions [batch, queries] at which documents begin; may be null.
  mlir::Value starts;
  /// Dims: q is [batch, queries, heads, width], v is [batch, keys, keyHeads,
  /// valueWidth].
  int64_t batch, queries, keys, heads, keyHeads, width, valueWidth;
  /// The factor of the scores, their soft cap (0: none), and the dropout
  /// probability.
  double scale, softcap, p;
  /// Dropout's factor of probabilities that are kept.
  double keepScale() const { return 1 / (1 - p); }
  /// Whether keys are masked by positions, and which.
  bool isCausal;
  nn::VisibleKeys mask;
  /// Whether keys before a query may be masked.
  bool isBounded() const { return mask.isBounded() || starts; }
  /// The op's number among those that draw random numbers.
  int64_t id;
  /// Queries, and keys, with consecutive positions (kPieceAttr); 0: all.
  int64_t piece = 0;
  /// Query heads that share a key head.
  int64_t shared() const { return heads / keyHeads; }
  /// Queries of a forward work item, whole vectors.
  int64_t tileHeight(const KernelChoices &choices) const {
    return llvm::alignTo(std::min(choices.tileQueries, queries),
                         choices.vectorLanes);
  }
  /// Queries of a pair of tiles backward, whole register blocks.
  int64_t pairHeight(const KernelChoices &choices) const {
    return llvm::alignTo(std::min(choices.tileQueries, queries),
                         choices.productRows);
  }
  /// Whether dbias of an `nn.attention_grad` is used.
  bool asksForBias = false;
  /// The work items of dbias, which follow those of key heads.
  int64_t countBiasUnits(const KernelChoices &choices) const;
};

/// The bias of a head of a sample: that of a query and a key is at base + query
/// * ofQuery + key * ofKey.
struct ScoreBias {
  mlir::Value buffer; ///< rank 1, of any float
  mlir::Value base;   ///< index
  /// Strides; 0 if the bias is broadcast.
  int64_t ofQuery, ofKey;
};

/// Builds the common parts of forward and backward at the insertion point.
class AttentionUnit : public TileBuilder {
public:
  /// All arguments must outlive this; `outs` as for emitAttention.
  AttentionUnit(ScalarBuilder &b, mlir::Operation *op,
                const KernelChoices &choices, const OperandMap &operands,
                llvm::ArrayRef<Operand> outs)
      : TileBuilder(b, choices), b(b), sizes(op), choices(choices),
        operands(operands), outs(outs) {}

protected:
  /// The rows from `first` on of a sample's head, with the operand's or
  /// result's strides; `left` rows are valid.
  Tile rowsOf(mlir::Value operand, mlir::Value sample, mlir::Value first,
              mlir::Value head, mlir::Value left);
  Tile rowsOf(const Operand &at, mlir::Value sample, mlir::Value first,
              mlir::Value head);
  /// The same rows as f32, for scalar reads: in place if they are f32, else
  /// converted into `buffer`, which is allocated if null.
  Tile widened(const Tile &rows, mlir::Value &buffer, int64_t height,
               mlir::Value left, int64_t width);
  /// Element (sample, row, head) of an operand [b, s, h].
  mlir::Value loadRow(mlir::Value operand, mlir::Value sample, mlir::Value row,
                      mlir::Value head);
  /// A row's lse, or 0 if it is -inf: then all scores of the row are -inf, and
  /// their exponentials are zero for any finite lse.
  mlir::Value finite(mlir::Value lse);
  /// The bias of a sample's head, of an attention that has one.
  ScoreBias biasOf(mlir::Value sample, mlir::Value head);
  /// The sink of a head, as f32; at least kLowest.
  mlir::Value loadSink(mlir::Value head);
  /// `products` times the scale, after the soft cap; scalars or vectors of f32.
  mlir::Value scaled(mlir::Value products);
  /// The factor that the soft cap adds to the derivative of a `scaled` product.
  mlir::Value slopeOfCap(mlir::Value scaled);
  /// A number as f32, or as a vector like `like`.
  mlir::Value numberLike(double value, mlir::Type like);
  /// An integer operand's element as i32.
  mlir::Value loadWord(mlir::Value operand, mlir::Value index);
  /// The position at which the document of a sample's query begins, as i32.
  mlir::Value loadStart(mlir::Value sample, mlir::Value query);
  /// The positions of `count` keys from `first` on; null without a mask by
  /// positions.
  PositionRange rangeOfKeys(mlir::Value first, mlir::Value count);
  /// The same of queries, with the starts of their documents.
  PositionRange rangeOfQueries(mlir::Value sample, mlir::Value first,
                               mlir::Value count);
  /// Builds the body under the condition that some query of the pair of tiles
  /// may see some key, by their ranges.
  void ifSeen(PositionRange queries, PositionRange keys,
              llvm::function_ref<void()> body);
  /// to[i] = the positions of `height` rows from `first` on; after row `last`,
  /// that row's position.
  void copyPositions(mlir::Value operand, mlir::Value first, mlir::Value last,
                     int64_t height, mlir::Value to);
  /// The same of the starts of queries' documents.
  void copyStarts(mlir::Value sample, mlir::Value first, mlir::Value last,
                  int64_t height, mlir::Value to);

  /// Random.h on words or vectors of them; a coordinate may be a word.
  mlir::Value randomAdd(mlir::Value key, mlir::Value coordinate);
  /// Its steps: h ^ h >> shift, and the word that a coordinate contributes to a
  /// key.
  mlir::Value foldWord(mlir::Value h, unsigned shift);
  mlir::Value spreadWord(mlir::Value coordinate);
  /// The key of a sample's random numbers, to which heads are added, then
  /// positions of queries and of keys.
  mlir::Value randomKey(mlir::Value sample);
  mlir::Value headWord(mlir::Value head);
  /// `x`, or zero where the random words drop it.
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
  mlir::Value randomMix(mlir::Value hash);
  /// The lowest and the highest of `count` words from `first` on.
  std::pair<mlir::Value, mlir::Value>
  extremesOf(mlir::Value first, mlir::Value count,
             llvm::function_ref<mlir::Value(mlir::Value)> load);
};

/// Builds a work item of nn.attention: a tile of queries of a head.
void emitForward(ScalarBuilder &b, nn::AttentionOp op,
                 const KernelChoices &choices, mlir::Value unit,
                 const OperandMap &operands, llvm::ArrayRef<Operand> outs);
/// Builds a work item of nn.attention_grad: a key head of a sample, or a tile
/// of queries of dbias.
void emitBackward(ScalarBuilder &b, nn::AttentionGradOp op,
                  const KernelChoices &choices, mlir::Value unit,
                  const OperandMap &operands, llvm::ArrayRef<Operand> outs);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_WORKITEM_H
