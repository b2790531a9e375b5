//===- Examples.h - Example models of every operator ------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DOCS_EXAMPLES_H
#define PCC_TOOLS_PCC_DOCS_EXAMPLES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace pcc {

/// An operator of the import table.
struct SupportedOperator {
  /// The operator's name, prefixed by its domain unless that is ONNX's own.
  std::string name;
  /// The supported versions of its operator set: "1 to 6, 7 and later".
  std::string opsets;
};

/// Returns the operators of the import table, sorted by name.
std::vector<SupportedOperator> supportedOperators();

/// A small model of one operator.
struct ExampleModel {
  /// The bytes of an .onnx file.
  std::string file;
  /// Whether it is imported for training; otherwise as a forward-only model.
  bool isTrained;
};

/// Returns example models of an operator: usually one, or several if its
/// lowering depends on attributes, shapes or constant operands. `element` is
/// the element type of operands that may have several.
std::vector<ExampleModel> exampleModels(const SupportedOperator &op,
                                        mlir::Type element);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DOCS_EXAMPLES_H
