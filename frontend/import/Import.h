//===- Import.h - ONNX to nn ------------------------------------*- C++ -*-===//
//
// The frontend's interface. A model goes through two steps:
//
//   importONNX     reads, binds dims, folds constants, translates operator by
//                  operator (--emit=import)
//   nn-recognize   rewrites to the forms that the compiler optimizes: layer
//                  norm, gelu, attention, factored projections (--emit=nn)
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_IMPORT_IMPORT_H
#define PCC_FRONTEND_IMPORT_IMPORT_H

#include "frontend/import/InputChoices.h"
#include "frontend/weights/Ties.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pcc {

namespace frontend {
class ModelFile;
} // namespace frontend

/// A .onnx file, read and parsed; shared by all queries and imports.
using ONNXFile = std::shared_ptr<frontend::ModelFile>;

/// Reads the file at `path`, as given on the command line. Errors: it cannot be
/// read, is not ONNX, is truncated.
mlir::FailureOr<ONNXFile> readONNX(mlir::MLIRContext &context,
                                   llvm::StringRef path);

/// The user's choices that affect the import.
struct ImportOptions {
  /// Extents of dynamic dims by name (--dim name=N).
  std::map<std::string, int64_t> dims;
  /// Extent of dim 1 of the token inputs (--seq N).
  std::optional<int64_t> seq;
  /// Extent of dim 0 of the inputs, for all data-parallel ranks together. If
  /// absent, dynamic dims get the value of --dim, or 1.
  std::optional<int64_t> batch;
  /// Initial values are random, so the weights' data need not exist.
  bool randomInit = false;
  /// Dropout nodes are the identity.
  bool noDropout = false;
  /// Whether correction biases of routers are frozen parameters, which
  /// --moe-bias-rate changes, and not constants.
  bool keepsBiases = false;
  /// Batch norms use the file's running statistics, as constants.
  bool runningNorms = false;
  /// attention_mask is an input; otherwise it is a constant of ones.
  bool paddingMask = false;
  /// --loss attaches a loss to an output; the model's own loss is then not an
  /// output.
  bool attachesLoss = false;
  /// Imports the model for inference: every input is data, every output a
  /// result. The model's loss is the number in the file, not a sum and a count.
  bool forward = false;
  /// Regular expressions for parameters that are not trained, and for those
  /// that are; they override the file. Empty for none.
  std::string freeze, train;
  /// Regular expression for scales, by their names in the file or the module,
  /// whose values are 1 + the module's parameter; empty for none.
  std::string plusOne;
  /// The user's ties of parameters (--tie, --untie), which override the file.
  TieChoices ties;
  /// Inputs named by --shared-input and --per-sample.
  InputChoices inputs;
};

/// The evidence for the classification of a file's tensors.
struct ImportReport {
  /// A tensor that was classified as a constant.
  struct Constant {
    /// Its name in the file, its type as pcc prints it, and the evidence.
    std::string name, type, evidence;
  };

  /// The evidence for each parameter, by name.
  std::map<std::string, std::string> evidence;
  /// Named tensors that are not parameters, in the file's order.
  std::vector<Constant> constants;
};

/// Imports a model. The module has nn.param symbols in the file's order, then
/// @forward. Its arguments are the model's inputs (with nn.role and nn.name;
/// the role is "shared" without a batch dim), then the positions [seq], samples
/// [batch], seed and step that it uses.
///
/// A model that computes its loss has nn.has_loss and returns, for each term of
/// the loss, the sum and its divisor if it has one (see splitLoss).
///
/// Errors go to the context's diagnostic engine, with the file as location;
/// they include a `freeze`, `train` or `plusOne` that is not a regular
/// expression or matches nothing. Warnings report where the file does not prove
/// which tensors are trained or tied, or which were computed from parameters.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importONNX(mlir::MLIRContext &context, const ONNXFile &file,
           const ImportOptions &options, ImportReport *report = nullptr);

/// Facts about a file that are known without importing it.
struct ModelOutline {
  /// The batch of its inputs; absent if it is dynamic.
  std::optional<int64_t> batch;
  /// The paths of its external data.
  std::vector<std::string> files;
};

/// Reads the outline of a file. Errors: those of BatchDims::read(), for example
/// an input in `options` that the file does not have.
mlir::FailureOr<ModelOutline> readModelOutline(mlir::MLIRContext &context,
                                               const ONNXFile &file,
                                               const ImportOptions &options);

/// The greatest extent of a sequence dim of a model's inputs.
struct ContextLength {
  /// The dim's name; "" for an unnamed dim of ids, which --seq binds.
  std::string dim;
  int64_t length;
  /// The evidence: "table 'wpe.weight'".
  std::string source;
};

/// The context length of each dim, other than the batch, that the options leave
/// unbound, in the order of the inputs: the minimum of the length in the file's
/// metadata and the positions that each table serves. Dims without either are
/// left out. Errors: the metadata is not a positive integer.
mlir::FailureOr<std::vector<ContextLength>>
findContextLengths(mlir::MLIRContext &context, const ONNXFile &file,
                   const ImportOptions &options);

/// Prints a line per parameter (name, type, whether and why it is trained, its
/// origin), then the constants of the report and the total numbers of elements.
void printParams(mlir::ModuleOp module, const ImportReport &report,
                 llvm::raw_ostream &os);

} // namespace pcc

#endif // PCC_FRONTEND_IMPORT_IMPORT_H
