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
// so that 'head.bias' was lost. The rule is noted as well at nodes whose layer
// has no bias: these pass None there. What `%b_` marks is a buffer.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_LOSTBIASES_H
#define PCC_FRONTEND_LOSTBIASES_H

#include "frontend/Reader.h"
#include <string>
#include <vector>

namespace pcc::frontend {

/// The names of the parameters that the file lacks because they were biases of
/// zeros, in the order of the graph, each once. A bias that is not called
/// 'bias' goes by the exporter's spelling, with '_' for '.'.
std::vector<std::string> lostBiases(const onnx::GraphProto &graph);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_LOSTBIASES_H
