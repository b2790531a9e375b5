//===- LostBiases.h - Biases that an exporter removed -----------*- C++ -*-===//
//
// The dynamo exporter's optimizer removes a bias of zeros, as fresh layers
// have, from Gemm and Conv. PyTorch trains such a bias. The exporter's metadata
// of the node still names it:
//
//   pkg.onnxscript.rewriter.rule_name   RemoveOptionalBiasFromGemm
//   pkg.torch.onnx.name_scopes          ['', 'head', 'linear_2']
//   pkg.torch.onnx.fx_node              ... aten.linear.default](args =
//                                       (%x, %p_head_weight, %p_head_bias)
//
// So 'head.bias' was removed; it has as many zeros as the layer has outputs.
// The rule is also recorded for layers without a bias, which pass None there.
// Names with the prefix `%b_` are buffers.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_LOSTBIASES_H
#define PCC_FRONTEND_WEIGHTS_LOSTBIASES_H

#include "frontend/onnx/Reader.h"
#include "frontend/weights/Provenance.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace pcc::frontend {

/// Restores biases that an exporter removed because they were zeros, as
/// initializers that the file lacks.
class LostBiases {
public:
  LostBiases() = default;
  /// Finds removed biases and adds them to the graph of `model`.
  LostBiases(Model &model, const TorchExport &module);

  /// Whether an initializer of this name was removed from the file.
  bool contains(llvm::StringRef name) const { return restored.contains(name); }
  /// The provenance of such an initializer.
  Provenance provenanceOf(const onnx::TensorProto &tensor) const;
  /// The biases that cannot be restored: their weight is no initializer, which
  /// leaves their size unknown; the node would scale them; or the file has
  /// another tensor of that name. In the order of the graph, without
  /// duplicates.
  const std::vector<std::string> &unknown() const { return lost; }

private:
  llvm::StringSet<> restored;
  std::vector<std::string> lost;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_LOSTBIASES_H
