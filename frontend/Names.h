//===- Names.h - Names that exporters lost ----------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_NAMES_H
#define PCC_FRONTEND_NAMES_H

#include "frontend/Reader.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::frontend {

/// Whether this may be the name of a parameter in the source model, and not
/// one that an exporter made up for the result of a node.
bool isParameterName(llvm::StringRef name);

/// Finds what the parameters of a graph are called in the source model.
///
/// Exporters that fold weights write them as `onnx::MatMul_703` or `val_77`.
/// In this order: the metadata of the initializer says what it was folded
/// from; the bias added behind the product is `<module>.bias`; the node that
/// reads it lies in the scope of its module.
class NameFinder {
public:
  explicit NameFinder(const onnx::GraphProto &graph);

  /// The name of an initializer: recovered if an exporter made it up, else its
  /// own.
  std::string find(const onnx::TensorProto &tensor) const;

  /// The name of the parameter that `node` reads as operand `i` by the module
  /// that the node lies in; "" if it lies in none.
  std::string byUse(const onnx::NodeProto &node, int i) const;

  /// Whether an exporter transposed this weight of a linear layer when it
  /// folded constants: products read it as it is, under a name it made up.
  bool isFolded(const onnx::TensorProto &tensor) const;

  /// Whether this is the scale that an exporter makes up for layer norms that
  /// have none, if its elements are ones: a norm's own scale keeps its name.
  bool isMadeUpScale(const onnx::TensorProto &tensor) const;

  /// How many nodes read a tensor other than to rename it, under its name and
  /// those that exporters make up for copies of it.
  size_t countUses(llvm::StringRef tensor) const;

private:
  struct Use {
    const onnx::NodeProto *node;
    int operand;
  };
  llvm::StringRef rootOf(llvm::StringRef tensor) const;

  llvm::StringMap<llvm::SmallVector<Use, 2>> uses;
  /// What a copy without a name of its own is a copy of.
  llvm::StringMap<std::string> roots;
  /// What optimized exports say initializers were folded from.
  llvm::StringMap<std::string> origins;
  /// The parameters of initializers that were folded from one and a constant.
  llvm::StringMap<std::string> sums;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_NAMES_H
