//===- ExprRope.cpp - Rotary position embedding ---------------------------===//
//
// A rotation pairs column i with column i + dim/2, which no expression in one
// column can state. So it is a kernel shape of its own (Rope in RowProgram.h).
// A work item is one position: the angles position * theta^(-2i/dim) are
// computed once and used for all heads:
//
//     y[i]         = x[i] cos - x[i + dim/2] sin        i < dim/2
//     y[i + dim/2] = x[i + dim/2] cos + x[i] sin
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Expr.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

bool ExprBuilder::buildRope(nn::RopeOp op) {
  auto shape = nn::tensorType(op.getInput()).getShape();
  Rope &rope = program.rope;
  rope.heads = shape[2];
  rope.width = shape[3];
  rope.half = op.getDim() / 2;
  rope.isInverse = op.getInverse();
  program.rows = shape[0] * shape[1];
  program.columns = shape[2] * shape[3];
  rope.input = build(op.getInput(), {d0(), program.columns});
  bool isPerSample = nn::tensorType(op.getPositions()).getRank() == 2;
  AffineExpr position = shape[0] == 1 || isPerSample ? d0() : d0() % shape[1];
  rope.position = convert(build(op.getPositions(), {position, 0}), f64());
  if (!rope.input || !rope.position)
    return false;
  if (rope.input->level)
    return fail(op, "rotates a value that needs whole rows") != nullptr;
  // theta^(-2i/dim) in double, so that angles of late positions keep full
  // precision.
  double theta = op.getTheta().convertToDouble();
  SmallVector<double> frequencies;
  for (int64_t i = 0; i < rope.half; ++i)
    frequencies.push_back(std::pow(theta, -2.0 * i / op.getDim()));
  program.constants.push_back(
      DenseElementsAttr::get(RankedTensorType::get({rope.half}, f64()),
                             ArrayRef<double>(frequencies)));
  Node frequency{Node::Kind::Leaf, f64()};
  frequency.extent = rope.half;
  frequency.argument =
      RowProgram::kFirstConstant + program.constants.size() - 1;
  frequency.row = affine(0);
  rope.frequency = program.add(std::move(frequency));
  return true;
}
