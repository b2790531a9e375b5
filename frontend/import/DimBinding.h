//===- DimBinding.h - Static shapes for a model's inputs --------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_DIMBINDING_H
#define PCC_FRONTEND_IMPORT_DIMBINDING_H

#include "analysis/Tensor.h"
#include "frontend/import/Import.h"
#include "frontend/import/SharedInputs.h"
#include "frontend/onnx/Reader.h"

namespace pcc::frontend {

/// A graph input that is no initializer, with its static type.
struct Input {
  /// The input as the file declares it; the file must outlive this.
  const onnx::ValueInfoProto *info;
  /// Its type with all dims bound.
  mlir::RankedTensorType type;
  bool isShared; ///< by all samples
};

/// The inputs that are fed, not initialized.
llvm::SmallVector<const onnx::ValueInfoProto *>
fedInputs(const onnx::GraphProto &graph);

/// Whether dim `d` of an input is the sequence of ids [batch, seq]: what --seq
/// is about.
bool isSequenceDim(const onnx::ValueInfoProto &input, int d);

/// The inputs of the model with every dim bound: static dims stay, others get
/// the value of --dim by name and, but for shared inputs, dim 0 that of the
/// batch, dim 1 that of --seq.
/// Errors: a dim nobody gives (the note says which flag does), a flag that
/// contradicts the file or another flag or names no dim.
mlir::FailureOr<llvm::SmallVector<Input>>
bindDims(mlir::Location loc, const onnx::GraphProto &graph,
         const ImportOptions &options, const BatchDims &batchDims);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_DIMBINDING_H
