//===- TorchExport.h - What torch.export says of a module -------*- C++ -*-===//
//
// The dynamo exporter optimizes the graph that torch.export made of a module:
// it merges equal tensors and folds what is constant. Beside the ONNX graph it
// writes what there was before: the parameters and buffers of the module
//
//   p_h_1_ln_weight: PARAMETER target='h.1.ln.weight'
//   b_pe: BUFFER target='pe' persistent=True
//
// and for each node the one that it was made for:
//
//   %layer_norm_1 : [num_users=1] = call_function[target=...layer_norm.default]
//     (args = (%add_1, [8], %p_h_1_ln_weight, %p_h_1_ln_bias, 1e-05, False))
//
// So a node that reads 'h.0.ln.weight' in the file reads 'h.1.ln.weight' in the
// module: the two were merged. A module that is shared has several names in the
// list, but its nodes read one.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_TORCHEXPORT_H
#define PCC_FRONTEND_WEIGHTS_TORCHEXPORT_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace pcc::frontend {

/// The parameters and buffers of the module that a file of the dynamo exporter
/// was made of, and what its nodes were.
class TorchExport {
public:
  /// Reads what the file says of the module; finds nothing in files that do not
  /// say.
  explicit TorchExport(const onnx::GraphProto &graph);

  /// What the module has under this name: PARAMETER, BUFFER, CONSTANT_TENSOR;
  /// "" if nothing.
  llvm::StringRef kindOf(llvm::StringRef name) const;

  /// The parameter or buffer that nodes of the module call this; "" if none.
  llvm::StringRef nameOf(llvm::StringRef called) const;

  /// The parameters and buffers that a node's own in the module reads, in
  /// order.
  std::vector<llvm::StringRef> readsOf(const onnx::NodeProto &node) const;

  /// What a node's own in the module reads as operand `i`, where its operands
  /// are the same; "" where they are not known to be.
  std::string argumentOf(const onnx::NodeProto &node, int i) const;

  /// How often a node's own in the module reads the result of this name.
  int64_t countReads(const onnx::NodeProto &node, llvm::StringRef result) const;

  /// Whether a node's own in the module reads a result of which the file has
  /// no trace among its `results`, and which is not known to be something
  /// moved.
  bool readsComputed(const onnx::NodeProto &node,
                     const llvm::StringSet<> &results) const;

  /// Whether all that a node's own in the module reads are results or inputs,
  /// none of which may stand for something that was computed of parameters:
  /// there are as many operands that no parameter is.
  bool readsNoTensor(const onnx::NodeProto &node) const;

  /// Whether the file lists the parameters.
  bool isKnown() const { return !kinds.empty(); }

  /// The parameters that nothing in the graph is, says that it reads or was
  /// folded from, in the module's order. The module need not use them.
  std::vector<llvm::StringRef> findUnread(const onnx::GraphProto &graph) const;

  /// A parameter that the exporter left no trace of.
  struct Dropped {
    /// Its path in the module.
    llvm::StringRef name;
    /// What it was merged with; "" for a factor of 1 or a term of 0.
    llvm::StringRef other;
  };
  /// Those that may be scalars by their names, while the graph lacks sums or
  /// products; and those of which a result is lacking where a node reads that
  /// of another parameter twice, or in its place that of a layer with another
  /// number.
  std::vector<Dropped> findDropped(const onnx::GraphProto &graph) const;

  /// The label smoothing of the loss that a node was made for, as the module
  /// has it: the exporter leaves it out. "" if there is none.
  std::string lostSmoothing(const onnx::NodeProto &node) const;

private:
  struct Tensor {
    std::string kind, name;
  };
  /// Names of results, initializers and what they were folded from, and of
  /// what nodes read.
  llvm::StringSet<> tracesIn(const onnx::GraphProto &graph) const;
  /// The parameters that are not among these, in the module's order.
  std::vector<llvm::StringRef> without(const llvm::StringSet<> &traces) const;
  /// The parameters among what a node reads.
  std::vector<llvm::StringRef> paramsOf(const onnx::NodeProto &node) const;
  /// The parameters that a value is computed from by its node, or by the last
  /// one before it, of one value each, that reads some. `producers`: what
  /// computes a value.
  std::vector<llvm::StringRef>
  paramsBehind(const onnx::NodeProto &node,
               const llvm::StringMap<const onnx::NodeProto *> &producers) const;
  /// The parameters that initializers were folded from, by their names.
  llvm::StringMap<std::vector<llvm::StringRef>>
  foldedSources(const onnx::GraphProto &graph) const;
  /// What each of the parameters `unread` was merged with.
  std::vector<Dropped> findMerged(const onnx::GraphProto &graph,
                                  const llvm::StringSet<> &traces,
                                  llvm::ArrayRef<llvm::StringRef> unread) const;

  /// By what nodes call them.
  llvm::StringMap<Tensor> tensors;
  llvm::StringMap<std::string> kinds;
  /// Names of the graph's inputs and of results of nodes.
  llvm::StringSet<> values;
  /// Names in the order of the file.
  std::vector<std::string> order;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_TORCHEXPORT_H
