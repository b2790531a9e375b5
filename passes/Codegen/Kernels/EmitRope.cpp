//===- EmitRope.cpp - Rotary embedding of a row of heads ------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Emitter.h"
#include "passes/Codegen/Kernels/Expr.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Computes cos and sin of the row's position once, then rotates the pairs of
/// every head.
void Emitter::emitRope(Value unit) {
  const Rope &rope = program.rope;
  row = unit;
  Type f32 = b.getF32Type();
  Window pairs{nullptr, b.getIndexAttr(rope.half)};
  Value cosines = allocate(f32, rope.half), sines = allocate(f32, rope.half);
  Value position = scalar(rope.position);
  auto identity = b.getMultiDimIdentityMap(1);
  auto parallel = utils::IteratorType::parallel;
  linalg::GenericOp::create(
      b, TypeRange{},
      ValueRange{slice(bufferOf(rope.frequency), index(0), 0, pairs)},
      ValueRange{cosines, sines},
      ArrayRef<AffineMap>(SmallVector<AffineMap>(3, identity)),
      ArrayRef<utils::IteratorType>{parallel},
      [&](OpBuilder &inner, Location loc, ValueRange v) {
        ScalarBuilder b(loc, inner);
        Value angle = arith::MulFOp::create(b, position, v[0]);
        Value c = math::CosOp::create(b, angle);
        Value s = math::SinOp::create(b, angle);
        if (rope.isInverse)
          s = arith::NegFOp::create(b, s);
        linalg::YieldOp::create(
            b, ValueRange{convertScalar(b, c, f32), convertScalar(b, s, f32)});
      });

  // The input row: in memory as an operand, or computed into a temporary.
  Value source, sourceRow = index(0);
  if (rope.input->kind == Node::Kind::Leaf) {
    source = bufferOf(rope.input);
    sourceRow = affineValue(rope.input->row);
  } else {
    source = allocate(rope.input->type, program.columns);
    emitGeneric({{rope.input, source, Root::Store}}, 0,
                {nullptr, b.getIndexAttr(program.columns)});
  }
  Value from = arith::MulIOp::create(b, sourceRow, index(program.columns));
  Value to = arith::MulIOp::create(b, row, index(program.columns));
  auto loop = scf::ForOp::create(b, index(0), index(rope.heads), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value head =
      arith::MulIOp::create(b, loop.getInductionVar(), index(rope.width));
  auto part = [&](Value buffer, Value start, int64_t first, int64_t size) {
    Value begin = arith::AddIOp::create(b, start, head);
    begin = arith::AddIOp::create(b, begin, index(first));
    return slice(buffer, index(0), 0, {begin, b.getIndexAttr(size)});
  };
  Value result = arguments[operands];
  Type element = elementOf(result);
  linalg::GenericOp::create(
      b, TypeRange{},
      ValueRange{part(source, from, 0, rope.half),
                 part(source, from, rope.half, rope.half), cosines, sines},
      ValueRange{part(result, to, 0, rope.half),
                 part(result, to, rope.half, rope.half)},
      ArrayRef<AffineMap>(SmallVector<AffineMap>(6, identity)),
      ArrayRef<utils::IteratorType>{parallel},
      [&](OpBuilder &inner, Location loc, ValueRange v) {
        ScalarBuilder b(loc, inner);
        auto mul = [&](Value x, Value y) -> Value {
          return arith::MulFOp::create(b, x, y);
        };
        Value x = convertScalar(b, v[0], f32), y = convertScalar(b, v[1], f32);
        Value first = arith::SubFOp::create(b, mul(x, v[2]), mul(y, v[3]));
        Value second = arith::AddFOp::create(b, mul(y, v[2]), mul(x, v[3]));
        linalg::YieldOp::create(b,
                                ValueRange{convertScalar(b, first, element),
                                           convertScalar(b, second, element)});
      });
  if (int64_t rest = rope.width - 2 * rope.half)
    linalg::CopyOp::create(b,
                           ValueRange{part(source, from, 2 * rope.half, rest)},
                           ValueRange{part(result, to, 2 * rope.half, rest)});
}
