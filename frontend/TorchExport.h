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

#ifndef PCC_FRONTEND_TORCHEXPORT_H
#define PCC_FRONTEND_TORCHEXPORT_H

#include "frontend/Reader.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace pcc::frontend {

/// The parameters and buffers of the module that a file of the dynamo exporter
/// was made of, and what its nodes were.
class TorchExport {
public:
  /// Empty for files that do not say.
  explicit TorchExport(const onnx::GraphProto &graph);

  /// What the module has under this name: PARAMETER, BUFFER, CONSTANT_TENSOR;
  /// "" if nothing.
  llvm::StringRef kindOf(llvm::StringRef name) const;

  /// The parameter or buffer that nodes of the module call this; "" if none.
  llvm::StringRef nameOf(llvm::StringRef called) const;

  /// The parameters and buffers that a node's own in the module reads, in
  /// order.
  std::vector<llvm::StringRef> readsOf(const onnx::NodeProto &node) const;

  /// Whether a node's own in the module reads the result of this name.
  bool mentions(const onnx::NodeProto &node, llvm::StringRef result) const;

  /// Whether the file lists the parameters.
  bool isKnown() const { return !kinds.empty(); }

  /// Parameters that may be scalars by their names, which nothing in the graph
  /// reads while it lacks sums or products: those of 1 or 0 are dropped.
  std::vector<llvm::StringRef> findDropped(const onnx::GraphProto &graph) const;

private:
  struct Tensor {
    std::string kind, name;
  };
  /// By what nodes call them.
  llvm::StringMap<Tensor> tensors;
  llvm::StringMap<std::string> kinds;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_TORCHEXPORT_H
