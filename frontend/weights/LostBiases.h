//===- LostBiases.h - Biases that an exporter removed -----------*- C++ -*-===//
//
// The dynamo exporter's optimizer takes a bias that is all zeros, as those of
// fresh layers are, away from Gemm and Conv. PyTorch trains it. What tells is
// the metadata that the exporter leaves at the node:
//
//   pkg.onnxscript.rewriter.rule_name   RemoveOptionalBiasFromGemm
//   pkg.torch.onnx.name_scopes          ['', 'head', 'linear_2']
//   pkg.torch.onnx.fx_node              ... aten.linear.default](args =
//                                       (%x, %p_head_weight, %p_head_bias)
//
// so that 'head.bias' was lost: as many zeros as the weight has rows. The rule
// is noted as well at nodes whose layer has no bias: these pass None there.
// What `%b_` marks is a buffer.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_LOSTBIASES_H
#define PCC_FRONTEND_WEIGHTS_LOSTBIASES_H

#include "frontend/onnx/Reader.h"
#include "frontend/weights/Provenance.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace pcc::frontend {

/// Gives nodes the biases back that an exporter removed because they were
/// zeros, as initializers that the file lacks.
class LostBiases {
public:
  LostBiases() = default;
  /// Looks for removed biases and adds them to the graph of `model`.
  LostBiases(Model &model, const TorchExport &module);

  /// Whether an initializer of this name was removed from the file.
  bool contains(llvm::StringRef name) const { return restored.contains(name); }
  /// What such an initializer is.
  Provenance provenanceOf(const onnx::TensorProto &tensor) const;
  /// Those whose weight is no initializer, so that nothing tells their size;
  /// in the order of the graph, each once.
  const std::vector<std::string> &unknown() const { return lost; }

private:
  llvm::StringSet<> restored;
  std::vector<std::string> lost;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_LOSTBIASES_H
