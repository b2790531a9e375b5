//===- Input.h - What pcc reads ---------------------------------*- C++ -*-===//

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
  /// The index of the phase in getPhases() that it was printed at.
  int phase = 0;
  /// The paths that it was read from, the one of the command line first, then
  /// those of the model's weights.
  std::vector<std::string> files;
  /// The parsed file; null if the input is no ONNX file.
  ONNXFile onnx;
  /// Why tensors were taken for what they are; only of an ONNX file.
  ImportReport report;
  /// What standard input said, which can be read only once.
  std::string standardInput;
};

/// Reads an ONNX file, or the printed form of a phase (by its content: text
/// that begins with a module). Completes arguments.options. An ONNX file or
/// standard input that `input` has already is not read again.
mlir::LogicalResult readInput(mlir::MLIRContext &context, Arguments &arguments,
                              Input &input);

} // namespace pcc

#endif // PCC_TOOLS_PCC_INPUT_H
