//===- MarkedWrites.h - One vector written at marked places -----*- C++ -*-===//
//
// Masked modelling puts a learned vector in place of what it hides:
//
//   x[hidden] = token         x [batch, seq, width], hidden [batch, seq]
//
// which the dynamo exporter writes by the numbers of the places:
//
//   marked = Expand(Unsqueeze(hidden, -1), Shape(x))
//   places = Transpose(NonZero(marked))                [count, 3]
//   values = Reshape(Expand(token, [count / width, width]), [-1])
//   ScatterND(x, places, values)
//
// How many there are depends on the data, but each gets the same. The
// ScatterND becomes Where(marked, token, x), the others go.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_ONNX_MARKEDWRITES_H
#define PCC_FRONTEND_ONNX_MARKEDWRITES_H

#include "frontend/onnx/Reader.h"

namespace pcc::frontend {

/// Changes the nodes of the graph.
void chooseMarkedWrites(onnx::GraphProto &graph);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_MARKEDWRITES_H
