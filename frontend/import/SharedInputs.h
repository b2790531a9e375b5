//===- SharedInputs.h - Inputs without a batch dim --------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_SHAREDINPUTS_H
#define PCC_FRONTEND_IMPORT_SHAREDINPUTS_H

#include "frontend/import/Import.h"
#include "frontend/onnx/Reader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// Which inputs of a file have a row per sample in their first dim, and which
/// are the same for all samples: as far as their declared dims tell.
class BatchDims {
public:
  /// Errors: a name of `choices` that no input has, or that is there twice.
  static mlir::FailureOr<BatchDims> read(mlir::Location loc,
                                         const onnx::GraphProto &graph,
                                         const ImportOptions &options);

  /// Whether all samples have the same values of an input.
  bool isShared(llvm::StringRef input) const { return shared.contains(input); }
  /// The input that shows a fixed batch, if its size alone speaks for it.
  std::string assumed;
  /// Taken for rows of samples only because there are as many.
  bool isOpen(llvm::StringRef input) const {
    return open.contains(input) || isRenamed(input);
  }
  /// Taken for rows of samples though their dynamic dim has another name than
  /// the batch.
  bool isRenamed(llvm::StringRef input) const {
    return renamed.contains(input);
  }
  /// What that dim is called.
  std::string dimName(llvm::StringRef input) const {
    return renamed.lookup(input);
  }
  /// What the batch is called; "" for a number.
  std::string batchName;
  /// The batch that the file fixes; absent where it is dynamic.
  std::optional<int64_t> fixedBatch;

private:
  llvm::StringSet<> shared, open;
  llvm::StringMap<std::string> renamed;
};

/// Looks how @forward uses the inputs that are open, gives those that are not
/// used by sample the role "shared", and warns where nothing shows it.
void resolveOpenInputs(mlir::func::FuncOp forward, const BatchDims &dims);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_SHAREDINPUTS_H
