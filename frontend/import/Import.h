//===- Import.h - ONNX to nn ------------------------------------*- C++ -*-===//
//
// The frontend's interface. A model goes through two steps:
//
//   importONNX     reads, binds dims, folds constants, translates operator by
//                  operator (--emit=import)
//   nn-recognize   rewrites to the forms that the compiler is built for: layer
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

/// A .onnx file that was read and parsed, whatever is then asked of it.
using ONNXFile = std::shared_ptr<frontend::ModelFile>;

/// `path` as given on the command line. Errors: it cannot be read, is not ONNX,
/// is truncated.
mlir::FailureOr<ONNXFile> readONNX(mlir::MLIRContext &context,
                                   llvm::StringRef path);

/// What the user chose that bears on how a file is read.
struct ImportOptions {
  /// Extents of dynamic dims by name (--dim name=N).
  std::map<std::string, int64_t> dims;
  /// Extent of dim 1 of the token inputs (--seq N).
  std::optional<int64_t> seq;
  /// Extent of dim 0 of the inputs, for all data-parallel ranks together; 1
  /// for a dynamic dim if absent.
  std::optional<int64_t> batch;
  /// Initial values are random: the weights' data need not exist.
  bool randomInit = false;
  /// Dropout is left out.
  bool noDropout = false;
  /// Batch norms are by running statistics, which stay as the file has them.
  bool runningNorms = false;
  /// An attention_mask is an input; else it is taken as all ones.
  bool paddingMask = false;
  /// A loss is attached to an output (--loss): one that the model computes
  /// itself is no output then.
  bool attachesLoss = false;
  /// The model as it is: every input is data, every output a result, a loss is
  /// the number that the file says, not a sum and a count.
  bool forward = false;
  /// Parameters by name that are not trained, and those that are in spite of it
  /// or of what the file looks like: regular expressions, empty for none.
  std::string freeze, train;
  /// Scales of the file, by their names there or in the module, that are 1 +
  /// what the module has: a regular expression, empty for none.
  std::string plusOne;
  /// Parameters that are to be one, or not, whatever the file says (--tie,
  /// --untie).
  TieChoices ties;
  /// What --shared-input and --per-sample name.
  InputChoices inputs;
};

/// Why the tensors of a file were taken for what they are.
struct ImportReport {
  /// A tensor that was taken for no parameter.
  struct Constant {
    /// Its name in the file, its type as pcc prints one, and why, in words.
    std::string name, type, evidence;
  };

  /// The evidence about parameters, by name.
  std::map<std::string, std::string> evidence;
  /// Tensors with a name that are not trained, in the file's order.
  std::vector<Constant> constants;
};

/// The module of one model: nn.param symbols in the file's order, then
/// @forward. Its arguments are the model's inputs (with nn.role and nn.name;
/// those without a batch dim have the role "shared"),
/// then those of positions [seq], samples [batch], seed and step that it
/// uses. Errors go to the context's diagnostic engine, with the file as
/// location. A model that computes its loss has nn.has_loss and returns (sum
/// of the losses, number of targets that count), both f32: the division of
/// the mean is left to the update. Warnings tell where the file does not say
/// what is trained or tied, or what was computed of a parameter. Errors: also
/// `freeze`, `train` or `plusOne` that is no regular expression or matches
/// nothing.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importONNX(mlir::MLIRContext &context, const ONNXFile &file,
           const ImportOptions &options, ImportReport *report = nullptr);

/// What a file says before it is imported.
struct ModelOutline {
  /// The batch of its inputs; absent where dynamic.
  std::optional<int64_t> batch;
  /// The paths of its external data.
  std::vector<std::string> files;
};

/// Errors: `options` name inputs that the file does not have.
mlir::FailureOr<ModelOutline> readModelOutline(mlir::MLIRContext &context,
                                               const ONNXFile &file,
                                               const ImportOptions &options);

/// The longest sequence that a dim of a model's inputs may be.
struct ContextLength {
  /// Its name; "" for a dim of ids without one, which --seq binds.
  std::string dim;
  int64_t length;
  /// What says so: "table 'wpe.weight'".
  std::string source;
};

/// What a file tells of the sequences that the options leave open, in the order
/// of its inputs: the fewest positions that any table serves, or its metadata.
/// Left out: a dim that nothing tells of. Errors: its metadata is no length.
mlir::FailureOr<std::vector<ContextLength>>
findContextLengths(mlir::MLIRContext &context, const ONNXFile &file,
                   const ImportOptions &options);

/// One line per parameter: name, shape and type, trained or not and why, where
/// it comes from; then the constants of the report.
void printParams(mlir::ModuleOp module, const ImportReport &report,
                 llvm::raw_ostream &os);

} // namespace pcc

#endif // PCC_FRONTEND_IMPORT_IMPORT_H
