//===- RowEnds.h - States at the last marked position -----------*- C++ -*-===//
//
// BART, T5 and similar models classify by the state at the last end token:
//
//   marked = ids == eos                         [batch, seq]
//   states[marked].view(batch, -1, width)[:, -1]
//
// which exports as
//
//   places = Transpose(NonZero(marked))         [count, 2]
//   GatherND(states, places)                    [count, width]
//   Gather(Reshape(.., [batch, -1, width]), -1, axis 1)
//
// The count depends on the data. All sequences must have the same number of
// marks, so the result is the state at the last mark of each sequence. The
// nodes are changed into
//
//   place = NonZero(marked), with kRowEnds      [batch, 1]
//   GatherND(states, Identity(place)), one batch dim
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_ONNX_ROWENDS_H
#define PCC_FRONTEND_ONNX_ROWENDS_H

#include "frontend/onnx/Reader.h"

namespace pcc::frontend {

/// Attribute of a NonZero of a mask [rows, positions]. The node's result is
/// then [rows, 1], the last marked position of each row.
inline constexpr llvm::StringLiteral kRowEnds = "pcc_row_ends";

/// Changes such nodes of the graph in place; their order is unchanged.
void markRowEnds(onnx::GraphProto &graph);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_ROWENDS_H
