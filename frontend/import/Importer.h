//===- Importer.h - One file on its way to nn -------------------*- C++ -*-===//
//
// What is known while a graph is translated: which value, tensor or weight each
// of its names stands for. Import.cpp walks the nodes; Initializers.cpp says
// what the tensors are that the file holds.
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

/// Translates one file, once: run() or readTables().
class Importer : public Translation {
public:
  /// All must outlive this; `report` is filled by run().
  Importer(mlir::MLIRContext &context, const ONNXFile &onnx,
           const ImportOptions &options, ImportReport &report)
      : options(options), report(report), builder(&context),
        file(mlir::FileLineColLoc::get(&context, onnx->getPath(), 0, 0)),
        model(onnx), weights(options.ties) {}

  /// The whole module, as importONNX() gives it, with its errors.
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
  /// The same without the elements of large tensors, for readTables().
  mlir::LogicalResult addShapes();
  /// Adds a tensor that may be trained, at `range`, or a parameter of `shape`
  /// that an exporter expanded to it.
  mlir::LogicalResult addWeight(const onnx::TensorProto &tensor,
                                llvm::ArrayRef<int64_t> shape, FileRange range,
                                Provenance provenance);
  /// Whether a tensor that the exporter made is as long as the batch is fixed
  /// to, so that it may be a parameter that it expanded.
  bool isExpanded(const onnx::TensorProto &tensor,
                  const Provenance &provenance) const;
  /// Names parameters of the module that the exporter left no trace of, and
  /// losses whose label smoothing it left out.
  void warnOfDropped() const;
  /// An error if a tensor, of type `type` in the file, is what is left of a
  /// table that is trained.
  mlir::LogicalResult checkFoldedLookup(const onnx::TensorProto &tensor,
                                        mlir::RankedTensorType type,
                                        const FileRange &range,
                                        const Provenance &provenance) const;
  /// Makes `item` the elements of a tensor of the file, or an expression.
  mlir::LogicalResult hold(const onnx::TensorProto &tensor, Item &item);
  mlir::LogicalResult importNodes();
  /// Puts the nodes of the branch that an If takes, node number `number`,
  /// behind it. Errors: the condition is not known.
  mlir::LogicalResult takeBranch(int64_t number);
  /// Translates node number `number` of the graph.
  mlir::LogicalResult importNode(int64_t number, const onnx::NodeProto &node,
                                 const OpEntry &entry);
  /// What a node reads.
  struct Operands {
    llvm::SmallVector<Item> items;
    bool areConstant = true;     ///< all are held
    bool areKnown = true;        ///< all follow from constants
    bool haveExpression = false; ///< some that follow are not held
    /// The weight of which the node looks up rows, and the row that gets no
    /// gradient from that.
    Weight *table = nullptr;
    std::optional<int64_t> paddingRow;
  };
  mlir::FailureOr<Operands> readOperands(int64_t number,
                                         const onnx::NodeProto &node);
  /// Makes `item`, a weight and the next of `operands`, what the node reads.
  mlir::LogicalResult readWeight(int64_t number, const onnx::NodeProto &node,
                                 Operands &operands, Item &item);
  /// Finds what a lookup's node says of the table's gradient. Errors: what no
  /// sum over samples is.
  mlir::LogicalResult readLookup(const onnx::NodeProto &node,
                                 Operands &operands);
  /// Says why there is nothing of the name that a node reads.
  mlir::LogicalResult refuseUndefined(const onnx::NodeProto &node,
                                      llvm::StringRef input) const;
  /// Folds or builds; an error if neither can be.
  mlir::FailureOr<ImportFn> chooseForm(Binder &binder, const OpEntry &entry,
                                       const Operands &operands,
                                       bool isExpression) const;
  mlir::LogicalResult checkResults(Binder &binder, const Operands &operands);
  /// Has the lookups that `binder` built of its operand 0 give no gradient to a
  /// row. False if that cannot be said of what it built.
  bool keepPaddingRow(Binder &binder, int64_t row);
  /// Gives the results their names.
  void keepResults(const onnx::NodeProto &node, Binder &binder,
                   bool areExpressions, mlir::Location loc);
  /// Whether a node of known operands is not to be folded.
  bool isLeftUnfolded(const onnx::NodeProto &node,
                      llvm::ArrayRef<Item> inputs) const;
  /// Makes constants of expressions; false if one is too large.
  bool foldExpressions(llvm::MutableArrayRef<Item> inputs) const;
  mlir::LogicalResult addOutputs();
  struct Output {
    llvm::StringRef name;
    mlir::Value value;
    bool mayBeLoss; ///< a number that parameters have a gradient from
  };
  mlir::FailureOr<std::vector<Output>> findOutputs();
  mlir::FailureOr<mlir::Value> findLoss(llvm::ArrayRef<Output> outputs);
  mlir::LogicalResult dropLosses(std::vector<Output> &outputs);
  /// Whether the type and shape are those of what may be trained.
  bool mayBeWeight(const onnx::TensorProto &tensor) const;
  /// An error if a batch norm is no longer apart from a convolution.
  mlir::LogicalResult checkFoldedNorm(const onnx::NodeProto &node) const;
  /// Says what batch norms do with running statistics.
  void warnOfBatchNorms() const;
  /// Names Dropout nodes whose mode the file leaves open, and idle ones.
  void warnOfDropout() const;
  /// Names the parameters that are missing in the file.
  void warnOfLostBiases() const;
  /// Whether an initializer is one element, the number one.
  bool isNumberOne(llvm::StringRef name);
  /// Whether all that reads a tensor multiplies by it, as norms by their
  /// scales.
  bool isScale(const onnx::TensorProto &tensor) const;
  /// The parameter that `node` reads as operand `i`, `weight` or one that an
  /// exporter merged with it.
  Weight *readBy(const onnx::NodeProto &node, int i, Weight *weight);
  mlir::Value asValue(const Item &item, mlir::Location loc);
  /// The same, with no gradient.
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
  /// Values that follow from constants, but were too large to fold.
  llvm::DenseSet<mlir::Value> expressions;
  int64_t randomIds = 0;
  /// Nodes that normalize by the batch, and those of a file in eval mode.
  std::vector<std::string> batchNorms, evalNorms;
  /// Dropout nodes whose mode the file leaves open, and those that it says are
  /// in inference mode.
  std::vector<std::string> openDropouts, idleDropouts;
  /// Of readTables() only.
  std::optional<TableReads> reads;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_IMPORTER_H
