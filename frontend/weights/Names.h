//===- Names.h - Names that exporters lost ----------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_WEIGHTS_NAMES_H
#define PCC_FRONTEND_WEIGHTS_NAMES_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::frontend {

/// Whether this may be the name of a parameter in the source model, and not
/// one that an exporter made up for the result of a node.
bool isParameterName(llvm::StringRef name);

/// Whether an exporter made this name up: onnx::MatMul_703, val_77, 703.
bool isInvented(llvm::StringRef name);

/// Whether a tool that rewrites graphs made this name up, for what it merged:
/// ortshared_1_0_1_0_token_5.
bool isNameOfTool(llvm::StringRef name);

/// What a dotted name lies in, "" of one without dots: h.0 of h.0.weight.
llvm::StringRef ownerOf(llvm::StringRef name);
/// Its last part: what its owner calls it.
llvm::StringRef leafOf(llvm::StringRef name);

/// The operator of a result that dynamo names by it: mul of mul_3.
llvm::StringRef stemOf(llvm::StringRef result);

/// What wrote a file, as far as its names and merges depend on it.
enum class Exporter {
  /// PyTorch's, by tracing. It merges equal tensors behind Identity nodes.
  TorchScript,
  /// PyTorch's, by torch.export. It merges small equal tensors without a trace.
  Dynamo,
  /// Another, or one of these and then a tool that rewrote the graph.
  Other
};

/// The path of the module that a node lies in, "" if it is the model itself.
std::string modulePath(const onnx::NodeProto &node);

/// The function of PyTorch that the dynamo exporter made a node for, with a
/// number: gelu_1; "" of others.
std::string functionOf(const onnx::NodeProto &node);

/// Finds what the parameters of a graph are called in the source model.
///
/// Exporters that fold weights write them as `onnx::MatMul_703` or `val_77`.
/// In this order: the metadata of the initializer says what it was folded
/// from; the bias added behind the product is `<module>.bias`; the node that
/// reads it lies in the scope of its module.
class NameFinder {
public:
  /// `model` must outlive this.
  explicit NameFinder(const onnx::ModelProto &model);

  /// What wrote the file, by its producer and its names.
  Exporter exporter() const { return wroteIt; }
  /// Whether one of PyTorch's exporters wrote the file, also where a tool has
  /// rewritten it.
  bool isFromTorch() const { return fromTorch; }
  /// Whether names that are not made up are the source model's, each that of a
  /// parameter or buffer of its own.
  bool hasOwnNames() const { return wroteIt != Exporter::Other; }
  /// Whether the result of an Identity of an initializer is named by the source
  /// model: the node stands for a tensor that was merged with another.
  bool isOwnName(llvm::StringRef result) const;

  /// The name of an initializer: recovered if an exporter made it up, else its
  /// own.
  std::string find(const onnx::TensorProto &tensor) const;

  /// The name of the parameter that `node` reads as operand `i` by the module
  /// that the node lies in; "" if it lies in none.
  std::string byUse(const onnx::NodeProto &node, int i) const;

  /// The same, but if a bias with a name of its own is added to the product
  /// that `node` is, by that.
  std::string byRead(const onnx::NodeProto &node, int i) const;

  /// What optimized exports say a tensor was folded from; nothing if they do
  /// not.
  std::optional<llvm::ArrayRef<std::string>>
  foldedFrom(llvm::StringRef tensor) const;
  /// Whether the file says that of any tensor.
  bool saysFoldedFrom() const { return !folded.empty(); }

  /// Whether an exporter transposed this weight of a linear layer when it
  /// folded constants: products read it as it is, under a name it made up.
  bool isFolded(const onnx::TensorProto &tensor) const;

  /// Whether this is the scale that an exporter makes up for layer norms that
  /// have none, if its elements are ones: a norm's own scale keeps its name.
  bool isMadeUpScale(const onnx::TensorProto &tensor) const;

  /// How many nodes read a tensor other than to rename it, under its name and
  /// those that exporters make up for copies of it.
  size_t countUses(llvm::StringRef tensor) const {
    return usesOf(tensor).size();
  }
  /// An operand that is a tensor.
  struct Use {
    /// The node that reads it.
    const onnx::NodeProto *node;
    /// The operand's number in the node, from 0.
    int operand;
  };
  /// These, in the order of the graph.
  llvm::ArrayRef<Use> usesOf(llvm::StringRef tensor) const;

private:
  llvm::StringRef rootOf(llvm::StringRef tensor) const;

  llvm::StringMap<llvm::SmallVector<Use, 2>> uses;
  /// What a copy without a name of its own is a copy of.
  llvm::StringMap<std::string> roots;
  /// What optimized exports say initializers were folded from.
  llvm::StringMap<std::string> origins;
  /// The parameters of initializers that were folded from one and a constant.
  llvm::StringMap<std::string> sums;
  llvm::StringMap<std::vector<std::string>> folded;
  Exporter wroteIt = Exporter::Other;
  bool fromTorch = false;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_NAMES_H
