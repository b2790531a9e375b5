//===- RowEnds.h - States at the last marked position -----------*- C++ -*-===//
//
// BART, T5 and their kin classify by the state at the last end token:
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
// How many there are depends on the data, but every row must have as many as
// the others, so that the last of each is what is meant. The nodes are changed
// into
//
//   place = NonZero(marked), with kRowEnds      [batch, 1]
//   GatherND(states, Identity(place)), one batch dim
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_ONNX_ROWENDS_H
#define PCC_FRONTEND_ONNX_ROWENDS_H

#include "frontend/onnx/Reader.h"

namespace pcc::frontend {

/// The attribute of a NonZero of [rows, places] that gives, as [rows, 1], the
/// last place in each row.
inline constexpr llvm::StringLiteral kRowEnds = "pcc_row_ends";

/// Changes the nodes of the graph, none of which moves.
void markRowEnds(onnx::GraphProto &graph);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_ROWENDS_H
