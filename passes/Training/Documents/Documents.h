//===- Documents.h - Attention masks and positions of documents -*- C++ -*-===//
//
// Samples may hold several documents. For two of 3 and 2 tokens:
//
//     token               a b | c d e      the first document ends at b
//     starts              0 0   2 2 2
//     position, reset     0 1   0 1 2      index - start
//
// Attention sees no key before the start of its query's document. Values that
// depend on the position alone, such as a learned position table, are looked up
// by the reset position. All other ops must compute each position separately.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_DOCUMENTS_DOCUMENTS_H
#define PCC_PASSES_TRAINING_DOCUMENTS_DOCUMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Training/Documents/TargetShift.h"
#include "passes/Training/LoopTracker.h"
#include <map>

namespace pcc {

/// The position of each token within its document, [batch, seq], and values
/// that are looked up by it.
class ResetPositions {
public:
  /// Adds the inputs document_starts and positions if they are missing.
  explicit ResetPositions(mlir::func::FuncOp function);

  /// The positions at which documents begin, [batch, seq].
  mlir::Value getStarts() const { return starts; }
  /// The reset positions; built at the first call.
  mlir::Value get();
  /// Replaces `operand` of an elementwise op, which varies along the op's dim
  /// `sequence`, by its rows of the reset positions, where the samples are
  /// dim `batch`. Calls `visit` for each new op. Returns why it cannot: "";
  /// or text that follows "it".
  std::string lookUp(mlir::OpOperand &operand, int64_t batch, int64_t sequence,
                     llvm::function_ref<void(mlir::Operation *)> visit);

private:
  mlir::func::FuncOp function;
  mlir::Value starts, reset;
  /// Looked-up values by the value they replace and its dims.
  std::map<std::tuple<void *, int64_t, int64_t>, mlir::Value> found;
};

/// Adds the starts of documents to the attentions of a function, and resets
/// positions. Reports the first op that may mix documents.
class DocumentSplitter {
public:
  /// `keepsPositions`: positions are not reset.
  DocumentSplitter(mlir::func::FuncOp function, bool keepsPositions);
  /// Changes the function. Errors: an op that may mix documents, and the others
  /// of --nn-documents.
  mlir::LogicalResult run();

private:
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitAttention(nn::AttentionOp op);
  mlir::LogicalResult visitRope(nn::RopeOp op);
  mlir::LogicalResult resetOperands(mlir::Operation *op);
  /// The operands of an op that depend on the position alone and differ along
  /// the sequence. `along`: an operand that runs along it.
  llvm::SmallVector<unsigned> findNumbered(mlir::Operation *op,
                                           mlir::Value &along);
  void noteNumbered(mlir::Operation *op);
  mlir::LogicalResult startInputs();
  mlir::LogicalResult checkBias(nn::AttentionOp op);
  bool isFreeOfPositions(mlir::Value bias);
  /// The number of first positions that a slice along the sequence in the loss
  /// drops, less those that a pad or concat of targets adds; nullopt for other
  /// ops.
  std::optional<int64_t> findShift(mlir::Operation *op);
  /// Visits an op that computes each position separately.
  mlir::LogicalResult follow(mlir::Operation *op);
  LoopTracker &trackerOf(int64_t extent);
  /// The tracker and the dim of a value with the sequence; null without.
  std::pair<LoopTracker *, const LoopTracker::Dependence *>
  find(mlir::Value value);
  /// Whether the first two dims of a value are the samples and the positions.
  bool hasSamplesAndPositions(mlir::Value value);
  mlir::InFlightDiagnostic refuse(mlir::Operation *op,
                                  const llvm::Twine &problem);

  mlir::func::FuncOp function;
  bool keepsPositions;
  int64_t length = 0;
  ResetPositions positions;
  /// By the number of positions: a loss may drop the first or the last.
  std::map<int64_t, LoopTracker> trackers;
  TargetShift shifts;
  /// Values that attentions depend on by queries, keys and values, and those
  /// that they depend on by biases of scores alone.
  llvm::DenseSet<mlir::Value> ofLayers, ofScores;
  /// Of the latter, those that depend on tokens and on their positions.
  llvm::DenseSet<mlir::Value> numberedScores;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_DOCUMENTS_DOCUMENTS_H
