//===- SharedInputs.h - Inputs without a batch dim --------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_SHAREDINPUTS_H
#define PCC_FRONTEND_IMPORT_SHAREDINPUTS_H

#include "frontend/import/Import.h"
#include "frontend/onnx/Reader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// Classifies a file's inputs, as the user chose or else by their declared
/// dims: a row per sample in the first dim, or the same for all samples.
class BatchDims {
public:
  /// Errors: a name in `options.inputs` that no input has, or that is chosen
  /// for both; a per-sample input without dims.
  static mlir::FailureOr<BatchDims> read(mlir::Location loc,
                                         const onnx::GraphProto &graph,
                                         const ImportOptions &options);

  /// Whether an input is the same for all samples.
  bool isShared(llvm::StringRef input) const { return shared.contains(input); }
  /// The input that is assumed to show the fixed batch, if neither the user nor
  /// ids confirm it; else "".
  std::string assumed;
  /// Whether an input is assumed to have rows of samples only because its size
  /// or dim allows it.
  bool isOpen(llvm::StringRef input) const {
    return open.contains(input) || isRenamed(input);
  }
  /// Whether an input is assumed to have rows of samples though its dynamic
  /// first dim has another name than the batch.
  bool isRenamed(llvm::StringRef input) const {
    return renamed.contains(input);
  }
  /// The name of that dim.
  std::string dimName(llvm::StringRef input) const {
    return renamed.lookup(input);
  }
  /// The name of the batch dim; "" if it is static or has none.
  std::string batchName;
  /// The batch that the file fixes; absent if it is dynamic.
  std::optional<int64_t> fixedBatch;

private:
  llvm::StringSet<> shared, open;
  llvm::StringMap<std::string> renamed;
};

/// Decides the undecided inputs by their use in @forward. Inputs that are not
/// used by sample get the role "shared"; a warning names those that stay
/// undecided.
void resolveOpenInputs(mlir::func::FuncOp forward, const BatchDims &dims);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_SHAREDINPUTS_H
