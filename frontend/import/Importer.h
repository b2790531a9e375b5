//===- Importer.h - The import of one file ----------------------*- C++ -*-===//
//
// The state of the translation of a graph: the value, tensor or weight that
// each name stands for. Import.cpp iterates over the nodes; Initializers.cpp
// classifies the file's tensors.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_IMPORT_IMPORTER_H
#define PCC_FRONTEND_IMPORT_IMPORTER_H

#include "analysis/Axes.h"
#include "frontend/binding/Binder.h"
#include "frontend/binding/OpTable.h"
#include "frontend/import/Import.h"
#include "frontend/import/SharedInputs.h"
#include "frontend/import/TableReads.h"
#include "frontend/import/TrainChoice.h"
#include "frontend/onnx/Metadata.h"
#include "frontend/onnx/TensorProto.h"
#include "frontend/weights/Detached.h"
#include "frontend/weights/LostBiases.h"
#include "frontend/weights/Names.h"
#include "frontend/weights/Provenance.h"
#include "frontend/weights/Sharing.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <deque>

namespace pcc::frontend {

/// Translates one file, once, by run() or readTables().
class Importer : public Translation {
public:
  /// All must outlive this; `report` is filled by run().
  Importer(mlir::MLIRContext &context, const ONNXFile &onnx,
           const ImportOptions &options, ImportReport &report)
      : options(options), report(report), builder(&context),
        file(mlir::FileLineColLoc::get(&context, onnx->getPath(), 0, 0)),
        model(onnx), weights(options.ties) {}

  /// Builds the module of importONNX(), with its errors.
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> run();
  /// See ContextLength.h.
  TableReads readTables();

  bool drops(const onnx::NodeProto &node,
             std::optional<bool> isTraining) override;
  bool isForward() const override { return options.forward; }
  bool isOfTorch() const override {
    return model.proto.producer_name() == "pytorch";
  }
  mlir::FailureOr<analysis::Tensor>
  load(mlir::Location loc, const onnx::TensorProto &tensor) override {
    return loadTensor(loc, model, tensor, options.forward);
  }
  mlir::Value &constantFor(const analysis::Tensor &tensor) override {
    for (auto &[known, value] : constants)
      if (known.isSameView(tensor))
        return value;
    return constants.emplace_back(tensor, mlir::Value()).second;
  }
  mlir::Value argument(nn::InputRole role) override {
    return analysis::entryArgument(forward, role);
  }
  int64_t nextRandomId() override { return randomIds++; }
  bool normalizesByBatch(const onnx::NodeProto &node, bool isTraining) override;
  mlir::Value valueNamed(llvm::StringRef name) override {
    auto it = items.find(name);
    return it == items.end() ? mlir::Value() : asValue(it->second, file);
  }
  bool isRead(llvm::StringRef name) const override;

private:
  mlir::LogicalResult begin();
  mlir::LogicalResult addInitializers();
  /// Adds initializers without the elements of large tensors, for readTables().
  mlir::LogicalResult addShapes();
  /// Adds a tensor that may be trained, whose elements are at `range`. If an
  /// exporter expanded a parameter to it, `shape` is the parameter's.
  mlir::LogicalResult addWeight(const onnx::TensorProto &tensor,
                                llvm::ArrayRef<int64_t> shape, FileRange range,
                                Provenance provenance);
  /// Whether a tensor that the exporter computed has the first dim of an input,
  /// which may be a fixed batch, so it may be an expanded parameter.
  bool isExpanded(const onnx::TensorProto &tensor,
                  const Provenance &provenance) const;
  /// Warns of parameters that the exporter dropped, unknown detached operands,
  /// and lost label smoothing.
  void warnOfDropped() const;
  /// Reports a tensor, of type `type` in the file, that is the folded lookup of
  /// a trained table.
  mlir::LogicalResult checkFoldedLookup(const onnx::TensorProto &tensor,
                                        mlir::RankedTensorType type,
                                        const FileRange &range,
                                        const Provenance &provenance) const;
  /// Sets `item` to the elements of a tensor of the file, or to an expression.
  mlir::LogicalResult hold(const onnx::TensorProto &tensor, Item &item);
  mlir::LogicalResult importNodes();
  /// Inserts the nodes of the taken branch after the If, node number `number`.
  /// Errors: the condition is unknown.
  mlir::LogicalResult takeBranch(int64_t number);
  /// Translates node number `number` of the graph.
  mlir::LogicalResult importNode(int64_t number, const onnx::NodeProto &node,
                                 const OpEntry &entry);
  /// The operands of a node.
  struct Operands {
    llvm::SmallVector<Item> items;
    bool areConstant = true;     ///< all are folded
    bool areKnown = true;        ///< all follow from constants
    bool haveExpression = false; ///< some are known but not folded
    /// The weight whose rows the node looks up, and the row that gets no
    /// gradient from the lookup.
    Weight *table = nullptr;
    std::optional<int64_t> paddingRow;
  };
  mlir::FailureOr<Operands> readOperands(int64_t number,
                                         const onnx::NodeProto &node);
  /// Replaces `item`, a weight and the next of `operands`, by the value that
  /// the node reads.
  mlir::LogicalResult readWeight(int64_t number, const onnx::NodeProto &node,
                                 Operands &operands, Item &item);
  /// Reads how a lookup's table gets its gradient. Errors: the gradient is not
  /// a sum over samples.
  mlir::LogicalResult readLookup(const onnx::NodeProto &node,
                                 Operands &operands);
  /// Reports that a name that a node reads is undefined, and why.
  mlir::LogicalResult reportUndefined(const onnx::NodeProto &node,
                                      llvm::StringRef input) const;
  /// Chooses to fold or to build. Errors: neither is possible.
  mlir::FailureOr<ImportFn> chooseForm(Binder &binder, const OpEntry &entry,
                                       const Operands &operands,
                                       bool isExpression) const;
  mlir::LogicalResult checkResults(Binder &binder, const Operands &operands);
  /// Marks the lookups of operand 0 that `binder` built, so that the row gets
  /// no gradient. False if the node is no such lookup.
  bool keepPaddingRow(Binder &binder, int64_t row);
  /// Records the results under their names.
  void keepResults(const onnx::NodeProto &node, Binder &binder,
                   bool areExpressions, mlir::Location loc);
  /// Whether a node with known operands is not folded.
  bool isLeftUnfolded(const onnx::NodeProto &node,
                      llvm::ArrayRef<Item> inputs) const;
  /// Folds expressions to constants; false if one is too large.
  bool foldExpressions(llvm::MutableArrayRef<Item> inputs) const;
  mlir::LogicalResult addOutputs();
  struct Output {
    llvm::StringRef name;
    mlir::Value value;
    bool mayBeLoss; ///< one number with a gradient for parameters
  };
  mlir::FailureOr<std::vector<Output>> findOutputs();
  mlir::FailureOr<mlir::Value> findLoss(llvm::ArrayRef<Output> outputs);
  mlir::LogicalResult dropLosses(std::vector<Output> &outputs);
  /// Whether a tensor's type and shape allow it to be trained.
  bool mayBeWeight(const onnx::TensorProto &tensor) const;
  /// Reports a batch norm that an exporter folded into a node's weights.
  mlir::LogicalResult checkFoldedNorm(const onnx::NodeProto &node) const;
  /// Warns how batch norms use running statistics.
  void warnOfBatchNorms() const;
  /// Warns of Dropout nodes whose mode the file does not state, and of inactive
  /// ones.
  void warnOfDropout() const;
  /// Warns of removed biases that cannot be restored.
  void warnOfLostBiases() const;
  /// Whether a tensor is a single element of value 1.
  bool isNumberOne(llvm::StringRef name);
  /// Whether every reader multiplies by a tensor, as norms by their scales.
  bool isScale(const onnx::TensorProto &tensor) const;
  /// The parameter that `node` reads as operand `i`: `weight`, or one that an
  /// exporter merged with it.
  Weight *readBy(const onnx::NodeProto &node, int i, Weight *weight);
  mlir::Value asValue(const Item &item, mlir::Location loc);
  /// Returns the item as a value without gradient.
  Item detach(const Item &item, mlir::Location loc);

  const ImportOptions &options;
  ImportReport &report;
  mlir::OpBuilder builder;
  mlir::Location file;
  Model model;
  int64_t opset = 0;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp forward;
  BatchDims batchDims;
  llvm::StringMap<Item> items;
  Weights weights;
  std::optional<NameFinder> names;
  std::optional<TorchExport> source;
  DetachedReads detachedReads;
  LostBiases biases;
  std::optional<SharingFinder> sharing;
  std::optional<Declarations> declared;
  std::optional<TrainChoice> choice;
  /// Large constants, such as a mask that every layer uses.
  std::deque<std::pair<analysis::Tensor, mlir::Value>> constants;
  /// Values that follow from constants but are too large to fold.
  llvm::DenseSet<mlir::Value> expressions;
  int64_t randomIds = 0;
  /// Names of batch norms in training mode, and of those in eval mode.
  std::vector<std::string> batchNorms, evalNorms;
  /// Names of Dropout nodes without a mode in the file, and of inactive ones.
  std::vector<std::string> openDropouts, idleDropouts;
  /// Set by readTables() only.
  std::optional<TableReads> reads;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_IMPORTER_H
