//===- MarkedWrites.h - Masked writes of one vector -------------*- C++ -*-===//
//
// Masked modelling replaces the states of hidden positions by a learned vector:
//
//   x[hidden] = token         x [batch, seq, width], hidden [batch, seq]
//
// The dynamo exporter writes it with the indices of the hidden positions:
//
//   marked = Expand(Unsqueeze(hidden, -1), Shape(x))
//   places = Transpose(NonZero(marked))                [count, 3]
//   values = Reshape(Expand(token, [count / width, width]), [-1])
//   ScatterND(x, places, values)
//
// The number of positions depends on the data, but all of them get the same
// vector. The ScatterND becomes Where(marked, token, x); nodes that are then
// unread are removed.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_ONNX_MARKEDWRITES_H
#define PCC_FRONTEND_ONNX_MARKEDWRITES_H

#include "frontend/onnx/Reader.h"

namespace pcc::frontend {

/// Replaces all such ScatterND nodes of the graph.
void chooseMarkedWrites(onnx::GraphProto &graph);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_MARKEDWRITES_H
