//===- Input.h - Input files of pcc -----------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_INPUT_H
#define PCC_TOOLS_PCC_INPUT_H

#include "frontend/import/Import.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/pcc/Arguments.h"

namespace pcc {

/// A module and the phase it is at.
struct Input {
  /// Null until readInput() has succeeded.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The index in getPhases() of the phase that the module is at.
  int phase = 0;
  /// The paths of the files: the input, then the files of the model's weights.
  std::vector<std::string> files;
  /// The parsed file; null if the input is not an ONNX file.
  ONNXFile onnx;
  /// The reasons for the classification of tensors; only for an ONNX file.
  ImportReport report;
  /// The text of standard input, which can be read only once.
  std::string standardInput;
};

/// Reads an ONNX file, or the printed module of a phase (standard input or a
/// path that ends with .mlir). Completes arguments.options. An ONNX file or
/// standard input that `input` contains already is not read again.
mlir::LogicalResult readInput(mlir::MLIRContext &context, Arguments &arguments,
                              Input &input);

/// The name of the model in summaries and programs.
std::string modelName(const Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_INPUT_H
