//===- Sharing.h - Parameters that share a tensor of the file ---*- C++ -*-===//
//
// Exporters merge tensors of equal values: if one block started as a copy of
// another, the file may hold the tensors of one only. PyTorch trains both. The
// readers tell a merged tensor from a shared one:
//
//   TorchScript  merges folded tensors through Identity nodes with generated
//                names; a tensor with its own name that is read directly is
//                shared
//   dynamo       merges tensors of at most 1024 elements; larger ones are
//                shared. Its nodes record the parameters that they read
//
// Otherwise, a reader in another module than the tensor's reads a parameter of
// the reader's module: 'h.1.ln_1.weight' if a norm in h.1.ln_1 reads
// 'h.0.ln_1.weight'. A module that is called several times is one module.
// TorchScript names its calls h.0, h.0_1, h.0_2. If a list holds a module
// twice, dynamo names it h.0 and h.1, and its tensors by the last name.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_SHARING_H
#define PCC_FRONTEND_WEIGHTS_SHARING_H

#include "frontend/weights/Names.h"
#include "frontend/weights/TorchExport.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// Finds the parameter that a node reads, if several may be merged into one
/// tensor.
class SharingFinder {
public:
  /// All must outlive this.
  SharingFinder(const onnx::GraphProto &graph, const NameFinder &names,
                const TorchExport &module);

  /// A parameter, and whether the file proves that the node reads it.
  struct Read {
    /// The parameter's name, as from NameFinder.
    std::string name;
    /// Whether metadata or the exporter's rules prove it; otherwise it is
    /// guessed from the node's module.
    bool isProven = false;
    /// Whether the node reads a value computed from the parameter, other than
    /// by moving its elements.
    bool isComputed = false;
  };
  /// The parameter that operand `i` of `node` is. `own` is the name of the
  /// initializer `tensor` with its values. Returns `own`, or the name of a
  /// parameter that was merged with it. `isUniform`: all elements are equal, as
  /// in fresh parameters, so two reads in one call of a module are two
  /// parameters.
  Read find(const onnx::TensorProto &tensor, llvm::StringRef own,
            const onnx::NodeProto &node, int i, bool isUniform) const;

  /// Whether operand `i` of `node` is a literal of the program that was merged
  /// with the one-element parameter `tensor`.
  bool isConstant(const onnx::TensorProto &tensor, const onnx::NodeProto &node,
                  int i) const;

private:
  /// The reader that determines a tensor's own parameter.
  struct OwnRead {
    std::string scope;
    const onnx::NodeProto *node = nullptr;
    int operand = 0;
  };
  /// Whether the node's metadata names `tensor` itself as operand `i`. A node
  /// may read two merged tensors.
  bool isStated(const onnx::TensorProto &tensor, const onnx::NodeProto &node,
                int i) const;
  /// The parameter that operand `i` of `node` is according to the metadata of
  /// the graph's nodes; "" if these do not determine it.
  std::string statedName(const onnx::TensorProto &tensor, llvm::StringRef own,
                         const onnx::NodeProto &node, int i) const;
  /// The same if the node's metadata names no parameter, because it reads a
  /// value computed from one: a parameter of its module that no node names. The
  /// reads of `tensor` in the module and these parameters are matched in order.
  std::string unreadName(const onnx::TensorProto &tensor, llvm::StringRef own,
                         const onnx::NodeProto &node, int i) const;
  /// A guess from the node's module.
  std::string guessName(const onnx::TensorProto &tensor, llvm::StringRef own,
                        const onnx::NodeProto &node, int i,
                        bool isUniform) const;
  OwnRead findOwnRead(const onnx::TensorProto &tensor,
                      llvm::StringRef own) const;
  /// The path of a node's module, the same for all its calls.
  std::string scopeOf(const onnx::NodeProto &node) const;
  std::string withoutCallNumbers(llvm::StringRef path) const;
  void findAliases(const onnx::GraphProto &graph);
  void countCalls(const onnx::GraphProto &graph);
  /// The index of this read among the reads of `tensor` in one call of its
  /// module.
  int64_t indexInCall(const onnx::TensorProto &tensor,
                      const onnx::NodeProto &node, int i) const;
  /// The same if each call has its own path.
  int64_t indexInPath(const onnx::TensorProto &tensor,
                      const onnx::NodeProto &node, int i) const;

  const NameFinder &names;
  const TorchExport &module;
  /// The names of initializers in the module.
  llvm::StringMap<std::string> owns;
  /// Paths of modules, from the names of tensors.
  llvm::StringSet<> modules;
  /// Paths of modules, from nodes.
  llvm::StringSet<> paths;
  /// Parameters that no node's metadata names.
  std::vector<llvm::StringRef> unread;
  /// Names of inputs, results and initializers of a graph of dynamo.
  llvm::StringSet<> results;
  /// Modules that dynamo knows by a second path.
  llvm::StringMap<std::string> aliases;
  /// How often each module is called: the least number of reads of a parameter
  /// in it.
  llvm::StringMap<int64_t> calls;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_SHARING_H
