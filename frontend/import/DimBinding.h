//===- DimBinding.h - Static shapes for a model's inputs --------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_DIMBINDING_H
#define PCC_FRONTEND_IMPORT_DIMBINDING_H

#include "analysis/Tensor.h"
#include "frontend/import/Import.h"
#include "frontend/import/SharedInputs.h"
#include "frontend/onnx/Reader.h"

namespace pcc::frontend {

/// A graph input that is not an initializer, with its static type.
struct Input {
  /// The declaration in the file, which must outlive this.
  const onnx::ValueInfoProto *info;
  /// The type with all dims bound.
  mlir::RankedTensorType type;
  bool isShared; ///< whether it is the same for all samples
};

/// The graph inputs that are not initializers.
llvm::SmallVector<const onnx::ValueInfoProto *>
fedInputs(const onnx::GraphProto &graph);

/// Whether dim `d` of an input is the sequence of ids [batch, seq], which --seq
/// binds.
bool isSequenceDim(const onnx::ValueInfoProto &input, int d);

/// The inputs of the model with every dim bound. Static dims stay; others get
/// the value of --dim by name. In inputs that are not shared, dim 0 gets the
/// batch and dim 1 of ids the value of --seq.
/// Errors: an unbound dim (the note names the flag that binds it); a flag that
/// contradicts the file or another flag, or names no dim.
mlir::FailureOr<llvm::SmallVector<Input>>
bindDims(mlir::Location loc, const onnx::GraphProto &graph,
         const ImportOptions &options, const BatchDims &batchDims);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_DIMBINDING_H
