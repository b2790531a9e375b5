//===- Names.h - Names of parameters in the source model --------*- C++ -*-===//

#ifndef PCC_FRONTEND_WEIGHTS_NAMES_H
#define PCC_FRONTEND_WEIGHTS_NAMES_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::frontend {

/// Whether this may be the name of a parameter in the source model, not an
/// exporter's name for the result of a node.
bool isParameterName(llvm::StringRef name);

/// Whether an exporter generated this name: onnx::MatMul_703, val_77, 703.
bool isGeneratedName(llvm::StringRef name);

/// Whether a graph-rewriting tool generated this name for merged tensors:
/// ortshared_1_0_1_0_token_5.
bool isNameOfTool(llvm::StringRef name);

/// The prefix of a dotted name, its module: h.0 of h.0.weight; "" without dots.
llvm::StringRef ownerOf(llvm::StringRef name);
/// The last component of a dotted name: weight of h.0.weight.
llvm::StringRef leafOf(llvm::StringRef name);

/// The operator in dynamo's name of a result: mul of mul_3.
llvm::StringRef stemOf(llvm::StringRef result);

/// The exporter of a file; names and merged tensors depend on it.
enum class Exporter {
  /// PyTorch's tracing exporter. It replaces equal tensors by Identity nodes of
  /// one.
  TorchScript,
  /// PyTorch's exporter on torch.export. It merges small equal tensors without
  /// a trace in the graph.
  Dynamo,
  /// Another exporter, or one of PyTorch's followed by a tool that rewrote the
  /// graph.
  Other
};

/// The path of a node's module; "" for the model itself.
std::string modulePath(const onnx::NodeProto &node);

/// The PyTorch function of a node of the dynamo exporter, with a number:
/// gelu_1; "" for other nodes.
std::string functionOf(const onnx::NodeProto &node);

/// Finds the names of a graph's parameters in the source model.
///
/// Exporters that fold weights name them `onnx::MatMul_703` or `val_77`. The
/// name is taken, in this order, from the initializer's metadata, which lists
/// the tensors it was folded from; from the bias added to the matmul,
/// `<module>.bias`; from the module scope of the node that reads it.
class NameFinder {
public:
  /// `model` must outlive this.
  explicit NameFinder(const onnx::ModelProto &model);

  /// The exporter, by the file's producer and names.
  Exporter exporter() const { return wroteIt; }
  /// Whether one of PyTorch's exporters wrote the file, even if a tool rewrote
  /// it afterwards.
  bool isFromTorch() const { return fromTorch; }
  /// Whether names that are not generated are the source model's, each the name
  /// of a distinct parameter or buffer.
  bool hasOwnNames() const { return wroteIt != Exporter::Other; }
  /// Whether the source model named this result of an Identity of an
  /// initializer. Such a node stands for a tensor that was merged with another.
  bool isOwnName(llvm::StringRef result) const;

  /// The name of an initializer in the source model: recovered if an exporter
  /// generated it, else the initializer's own.
  std::string find(const onnx::TensorProto &tensor) const;

  /// The name of the parameter that `node` reads as operand `i`, derived from
  /// the node's module; "" if it has none.
  std::string byUse(const onnx::NodeProto &node, int i) const;

  /// The same, but a named bias that is added to a MatMul's result takes
  /// precedence.
  std::string byRead(const onnx::NodeProto &node, int i) const;

  /// The tensors that an optimized export states as the sources of a folded
  /// tensor; nothing if it states none.
  std::optional<llvm::ArrayRef<std::string>>
  foldedFrom(llvm::StringRef tensor) const;
  /// Whether the file states such sources for any tensor.
  bool saysFoldedFrom() const { return !folded.empty(); }

  /// Whether an exporter transposed this weight of a linear layer while folding
  /// constants: it is a matrix, every reader is a MatMul with it as operand 1,
  /// and its name is generated or its only source is a parameter.
  bool isFolded(const onnx::TensorProto &tensor) const;

  /// Whether this has the name and readers of the scale that an exporter
  /// generates for layer norms without one. The caller checks that it is all
  /// ones.
  bool isGeneratedScale(const onnx::TensorProto &tensor) const;

  /// The number of operands that read a tensor, directly or through Identity
  /// copies with generated names. The copies are not counted.
  size_t countUses(llvm::StringRef tensor) const {
    return usesOf(tensor).size();
  }
  /// An operand that reads a tensor.
  struct Use {
    const onnx::NodeProto *node;
    /// The operand's index, from 0.
    int operand;
  };
  /// These operands, in the order of the graph.
  llvm::ArrayRef<Use> usesOf(llvm::StringRef tensor) const;

private:
  llvm::StringRef rootOf(llvm::StringRef tensor) const;

  llvm::StringMap<llvm::SmallVector<Use, 2>> uses;
  /// The original of a copy that has no name of its own.
  llvm::StringMap<std::string> roots;
  /// The only source of folded initializers with one source, a parameter.
  llvm::StringMap<std::string> origins;
  /// The only parameter among several sources of folded initializers.
  llvm::StringMap<std::string> sums;
  llvm::StringMap<std::vector<std::string>> folded;
  Exporter wroteIt = Exporter::Other;
  bool fromTorch = false;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_NAMES_H
