//===- TorchExport.h - The module in a file of torch.export -----*- C++ -*-===//
//
// The dynamo exporter optimizes the graph of torch.export: it merges equal
// tensors and folds constants. In metadata it records the original: the
// parameters and buffers of the module
//
//   p_h_1_ln_weight: PARAMETER target='h.1.ln.weight'
//   b_pe: BUFFER target='pe' persistent=True
//
// and for each node the node of the exported program:
//
//   %layer_norm_1 : [num_users=1] = call_function[target=...layer_norm.default]
//     (args = (%add_1, [8], %p_h_1_ln_weight, %p_h_1_ln_bias, 1e-05, False))
//
// So a node that reads 'h.0.ln.weight' in the file may read 'h.1.ln.weight' in
// the module: the two were merged. A shared module has several names in the
// list, but its nodes use one.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_TORCHEXPORT_H
#define PCC_FRONTEND_WEIGHTS_TORCHEXPORT_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace pcc::frontend {

/// The parameters and buffers of the module in a file of the dynamo exporter,
/// and the program's node of each ONNX node.
class TorchExport {
public:
  /// Reads the metadata; nothing is known if the file has none.
  explicit TorchExport(const onnx::GraphProto &graph);

  /// The kind of the module's tensor of this name: PARAMETER, BUFFER,
  /// CONSTANT_TENSOR; "" if there is none.
  llvm::StringRef kindOf(llvm::StringRef name) const;

  /// The parameter or buffer with this name in the program; "" if there is
  /// none.
  llvm::StringRef nameOf(llvm::StringRef called) const;

  /// The parameters and buffers that the program's node of `node` reads, in
  /// order.
  std::vector<llvm::StringRef> readsOf(const onnx::NodeProto &node) const;

  /// The name of operand `i` in the program, if `node` is a norm and its
  /// program node has as many operands; "" for other nodes.
  std::string argumentOf(const onnx::NodeProto &node, int i) const;

  /// How often the program's node of `node` names this result.
  int64_t countReads(const onnx::NodeProto &node, llvm::StringRef result) const;

  /// Whether the program's node of `node` reads a value that is not in
  /// `results`, is no parameter or buffer, and is not known to be a moved
  /// tensor.
  bool readsComputed(const onnx::NodeProto &node,
                     const llvm::StringSet<> &results) const;

  /// Whether the program's node of `node` reads no tensor that is, or may be
  /// computed from, a parameter: names that the file lacks are matched by
  /// operands that are inputs or results.
  bool readsNoTensor(const onnx::NodeProto &node) const;

  /// Whether the file lists the parameters.
  bool isKnown() const { return !kinds.empty(); }

  /// The parameters without a trace in the graph: no node names them, no
  /// initializer is one or was folded from one. In the module's order; the
  /// module need not use them.
  std::vector<llvm::StringRef> findUnread(const onnx::GraphProto &graph) const;

  /// A parameter without a trace in the graph.
  struct Dropped {
    /// The parameter's path in the module.
    llvm::StringRef name;
    /// The parameter it was merged with; "" for a factor of 1 or a term of 0.
    llvm::StringRef other;
  };
  /// Unread parameters that the exporter may have dropped. A parameter that may
  /// be a scalar by its name, if results of sums or products are missing in the
  /// graph. A parameter whose result is missing, if a node reads another
  /// parameter's result twice, or that of a layer with another number in its
  /// place.
  std::vector<Dropped> findDropped(const onnx::GraphProto &graph) const;

  /// The label smoothing of the loss in the module, which the exporter omits in
  /// the graph. "" if there is none.
  std::string lostSmoothing(const onnx::NodeProto &node) const;

private:
  struct Tensor {
    std::string kind, name;
  };
  /// Names of results, initializers, their sources, and the tensors that nodes
  /// name.
  llvm::StringSet<> tracesIn(const onnx::GraphProto &graph) const;
  /// The parameters that are not in `traces`, in the module's order.
  std::vector<llvm::StringRef> without(const llvm::StringSet<> &traces) const;
  /// The parameters that the program's node of `node` reads.
  std::vector<llvm::StringRef> paramsOf(const onnx::NodeProto &node) const;
  /// The parameters that a value is computed from, by `node` or, along single
  /// operands, by the nearest node before it that reads any. `producers`: the
  /// node that produces each value.
  std::vector<llvm::StringRef> nearestParams(
      const onnx::NodeProto &node,
      const llvm::StringMap<const onnx::NodeProto *> &producers) const;
  /// The parameters among the sources of folded initializers, by the
  /// initializer's name.
  llvm::StringMap<std::vector<llvm::StringRef>>
  foldedSources(const onnx::GraphProto &graph) const;
  /// The parameters of `unread` that were merged, each with its counterpart.
  std::vector<Dropped> findMerged(const onnx::GraphProto &graph,
                                  const llvm::StringSet<> &traces,
                                  llvm::ArrayRef<llvm::StringRef> unread) const;

  /// The module's tensors by their names in the program.
  llvm::StringMap<Tensor> tensors;
  llvm::StringMap<std::string> kinds;
  /// Names of the graph's inputs and of node results.
  llvm::StringSet<> values;
  /// The module's names in the order of the file.
  std::vector<std::string> order;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_TORCHEXPORT_H
