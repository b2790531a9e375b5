//===- TrainChoice.h - What a user says is trained --------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_TRAINCHOICE_H
#define PCC_FRONTEND_IMPORT_TRAINCHOICE_H

#include "frontend/import/Import.h"
#include "frontend/weights/Weights.h"
#include "llvm/Support/Regex.h"

namespace pcc::frontend {

/// --freeze, --train and --norm-plus-one, which override what the file says or
/// looks like, and the warnings about what was taken for a parameter, a buffer
/// or a parameter's elements without any of them saying so. Names are those of
/// --list-params, or those that the module seems to have.
class TrainChoice {
public:
  /// Errors: an expression that is none.
  static mlir::FailureOr<TrainChoice> parse(mlir::Location loc,
                                            const ImportOptions &options);

  /// Makes 1 + a parameter of a scale that --norm-plus-one names, unless the
  /// file proves that it is something else.
  void takeOne(Provenance &provenance, const onnx::TensorProto &tensor);

  /// Makes a parameter of what --train names, and reports constants.
  void apply(Provenance &provenance, const onnx::TensorProto &tensor,
             mlir::RankedTensorType type, ImportReport &report);

  /// Whether --freeze names a tensor.
  bool keeps(const Provenance &provenance, const onnx::TensorProto &tensor);

  /// Sets `frozen` on the parameters of a module, reports the evidence about
  /// them, and warns where there is too little. Errors: an expression that
  /// matched nothing.
  mlir::LogicalResult finish(mlir::ModuleOp module, const Weights &weights,
                             ImportReport &report);

private:
  /// A flag; `regex` is absent where it is not given.
  struct Flag {
    llvm::StringRef name, text;
    std::optional<llvm::Regex> regex;
    bool wasUsed = false;

    /// Whether it names a parameter, that has two names maybe.
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
  /// Constants by their values or names, and the evidence.
  std::vector<std::pair<std::string, std::string>> presumed;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_TRAINCHOICE_H
