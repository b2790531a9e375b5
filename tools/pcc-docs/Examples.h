//===- Examples.h - A node of every operator --------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DOCS_EXAMPLES_H
#define PCC_TOOLS_PCC_DOCS_EXAMPLES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace pcc {

/// An operator of the import table.
struct SupportedOperator {
  /// The operator's name, behind its domain unless that is ONNX's own.
  std::string name;
  /// The versions of its operator set that are known: "1 to 6, 7 and later".
  std::string opsets;
};

/// The operators of the import table, sorted by name.
std::vector<SupportedOperator> supportedOperators();

/// A small model of one operator.
struct ExampleModel {
  /// The bytes of an .onnx file.
  std::string file;
  /// Whether it is imported to be trained; else as it is.
  bool isTrained;
};

/// Models that show what becomes of an operator: usually one, several where it
/// depends on which operands are constant. `element` is that of the operands
/// that may have several types.
std::vector<ExampleModel> exampleModels(const SupportedOperator &op,
                                        mlir::Type element);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DOCS_EXAMPLES_H
