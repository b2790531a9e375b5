//===- Sharing.h - One tensor read for several parameters -------*- C++ -*-===//
//
// Exporters merge tensors of equal values: of two blocks, of which one began as
// a copy of the other, a file may have the tensors of one. PyTorch trains both.
// What tells a merged tensor from a shared one is where it is read:
//
//   TorchScript  merges what was folded behind Identity nodes with made-up
//                names; what keeps its own name and is read directly is shared
//   dynamo       merges tensors of at most 1024 elements; a larger one is
//                shared. Its nodes say what they read in the module
//
// Where neither tells, a reader in another module than the tensor's own reads a
// parameter of that module: 'h.1.ln_1.weight' where a norm in h.1.ln_1 reads
// 'h.0.ln_1.weight'. A module that is called several times is one: TorchScript
// calls it h.0, h.0_1, h.0_2; dynamo calls one module that a list holds twice
// h.0 and h.1, and its tensors by the last of these.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_SHARING_H
#define PCC_FRONTEND_WEIGHTS_SHARING_H

#include "frontend/weights/Names.h"
#include "frontend/weights/TorchExport.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// Tells which parameter a node reads where several may be merged.
class SharingFinder {
public:
  /// All must outlive this.
  SharingFinder(const onnx::GraphProto &graph, const NameFinder &names,
                const TorchExport &module);

  /// A parameter, and whether the file says that it is this one.
  struct Read {
    /// As NameFinder has names of parameters.
    std::string name;
    /// Whether metadata or the exporter's rules say so; else it is a guess from
    /// the module that the node lies in.
    bool isProven = false;
    /// Whether the node reads, not the parameter, but what is computed from it
    /// otherwise than by moving its elements.
    bool isComputed = false;
  };
  /// The parameter that operand `i` of `node` is, `own` being the name of the
  /// initializer `tensor` that holds its values: `own` itself, or the name of
  /// one that was merged with it. `isUniform`: all elements are equal, as those
  /// of fresh parameters are, so that two reads in one call of a module are of
  /// two parameters.
  Read find(const onnx::TensorProto &tensor, llvm::StringRef own,
            const onnx::NodeProto &node, int i, bool isUniform) const;

  /// Whether operand `i` of `node` is a number that the exporter wrote, which
  /// was merged with the parameter `tensor` of one element.
  bool isConstant(const onnx::TensorProto &tensor, const onnx::NodeProto &node,
                  int i) const;

private:
  /// Where a tensor's own parameter is read.
  struct OwnRead {
    std::string scope;
    const onnx::NodeProto *node = nullptr;
    int operand = 0;
  };
  /// Whether the node says that operand `i` is `tensor` itself: of two that
  /// were merged, it may read both.
  bool isStated(const onnx::TensorProto &tensor, const onnx::NodeProto &node,
                int i) const;
  /// What the node says that it reads; "" if it does not.
  std::string statedName(const onnx::TensorProto &tensor, llvm::StringRef own,
                         const onnx::NodeProto &node, int i) const;
  /// The same where the node reads something computed from the parameter:
  /// parameters of its module that nothing else reads, in order.
  std::string unreadName(const onnx::TensorProto &tensor, llvm::StringRef own,
                         const onnx::NodeProto &node, int i) const;
  /// What the place of the node in the module suggests.
  std::string guessName(const onnx::TensorProto &tensor, llvm::StringRef own,
                        const onnx::NodeProto &node, int i,
                        bool isUniform) const;
  OwnRead findOwnRead(const onnx::TensorProto &tensor,
                      llvm::StringRef own) const;
  /// The path of the module that `node` lies in, one for all its calls.
  std::string scopeOf(const onnx::NodeProto &node) const;
  std::string withoutCallNumbers(llvm::StringRef path) const;
  void findAliases(const onnx::GraphProto &graph);
  void countCalls(const onnx::GraphProto &graph);
  /// Which of the reads of `tensor` in one call of its module this is.
  int64_t placeInCall(const onnx::TensorProto &tensor,
                      const onnx::NodeProto &node, int i) const;
  /// The same where every call has a path of its own.
  int64_t placeInPath(const onnx::TensorProto &tensor,
                      const onnx::NodeProto &node, int i) const;

  const NameFinder &names;
  const TorchExport &module;
  /// What the names of initializers are in the module.
  llvm::StringMap<std::string> owns;
  /// Paths of modules by the names of tensors.
  llvm::StringSet<> modules;
  /// Paths of modules by the nodes in them.
  llvm::StringSet<> paths;
  /// Parameters that no node says that it reads.
  std::vector<llvm::StringRef> unread;
  /// What nodes and initializers of a graph of dynamo are called.
  llvm::StringSet<> results;
  /// Modules that dynamo knows by another path as well.
  llvm::StringMap<std::string> aliases;
  /// How often each module is called: no parameter in it is read less often.
  llvm::StringMap<int64_t> calls;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_SHARING_H
