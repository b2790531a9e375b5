//===- TrainChoice.h - The user's choices of trained tensors ----*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_TRAINCHOICE_H
#define PCC_FRONTEND_IMPORT_TRAINCHOICE_H

#include "frontend/import/Import.h"
#include "frontend/weights/Weights.h"
#include "llvm/Support/Regex.h"

namespace pcc::frontend {

/// --freeze, --train and --norm-plus-one, which override the file's facts and
/// the compiler's guesses, and the warnings about guesses that no flag
/// confirms. Names are those of --list-params, or probable names in the module.
class TrainChoice {
public:
  /// Errors: a flag that is not a regular expression.
  static mlir::FailureOr<TrainChoice> parse(mlir::Location loc,
                                            const ImportOptions &options);

  /// Classifies a scale that --norm-plus-one names as 1 + a parameter, unless
  /// the file proves otherwise.
  void applyPlusOne(Provenance &provenance, const onnx::TensorProto &tensor);

  /// Classifies tensors that --train names as parameters, and reports
  /// constants.
  void apply(Provenance &provenance, const onnx::TensorProto &tensor,
             mlir::RankedTensorType type, ImportReport &report);

  /// Whether --freeze names a tensor.
  bool keeps(const Provenance &provenance, const onnx::TensorProto &tensor);

  /// Sets `frozen` on the parameters of a module, reports the evidence about
  /// them, and warns if it proves nothing. Errors: a flag that matches nothing.
  mlir::LogicalResult finish(mlir::ModuleOp module, const Weights &weights,
                             ImportReport &report);

private:
  /// Whether correction biases of routers are parameters.
  bool keepsBiases = false;
  /// A flag; `regex` is absent if the flag is not given.
  struct Flag {
    llvm::StringRef name, text;
    std::optional<llvm::Regex> regex;
    bool wasUsed = false;

    /// Whether the flag names a parameter that may have two names.
    bool matches(llvm::StringRef name, llvm::StringRef other = "") {
      bool matches = regex && (regex->match(name) ||
                               (!other.empty() && regex->match(other)));
      wasUsed |= matches;
      return matches;
    }
  };

  explicit TrainChoice(mlir::Location loc) : loc(loc) {}

  mlir::Location loc;
  Flag freeze, train, plusOne;
  /// Tensors that were classified as constants by values or names, with the
  /// evidence.
  std::vector<std::pair<std::string, std::string>> presumed;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_TRAINCHOICE_H
