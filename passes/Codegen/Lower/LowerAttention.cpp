//===- LowerAttention.cpp - Lowering of attention to the library ----------===//
//
// The library reads q, k and v in place, also as slices of one GEMM's result.
// It writes their cotangents into the buffer of that GEMM's cotangent. The
// library's stats are the lse in another order. The buffer of the lse has that
// order, since only the library reads it:
//
//     %stats = rt.view %lse : memref<2x64x4xf32>
//         to memref<2x64x4xf32, strided<[256, 1, 64]>>
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Attention/Choice.h"
#include "passes/Codegen/Kernels/Stack.h"
#include "passes/Codegen/Lower/TaskLowering.h"

using namespace mlir;
using namespace pcc;

Value TaskLowering::statsIn(Value lse) {
  auto shape = nn::tensorType(lse).getShape();
  int64_t rows = shape[1], heads = shape[2];
  auto layout =
      StridedLayoutAttr::get(lse.getContext(), 0, {rows * heads, 1, rows});
  auto type = MemRefType::get(shape, builder.getF32Type(), layout);
  return rt::ViewOp::create(builder, loc, type, addressOf(lse), 0);
}

LogicalResult TaskLowering::lowerAttention(nn::AttentionOp op) {
  if (!codegen::isByLibrary(op))
    return op.emitOpError() << "is in no kernel and not marked 'rt.by_library'";
  SmallVector<Value> buffers;
  SmallVector<int64_t> values;
  for (Value operand : {op.getQ(), op.getK(), op.getV()}) {
    buffers.push_back(addressOf(operand));
    values.push_back(numberOf(operand));
  }
  buffers.push_back(place(op->getOpResult(0)).address);
  place(op->getOpResult(1));
  buffers.push_back(statsIn(op.getLse()));
  values.append({numberOf(op.getResult()), numberOf(op.getLse())});
  note(rt::AttentionOp::create(builder, loc, buffers[0], buffers[1], buffers[2],
                               buffers[3], buffers[4], op.getScaleAttr(),
                               op.getCausalAttr()),
       values);
  return success();
}

Value TaskLowering::placePart(OpResult part) {
  codegen::Strided lies = codegen::findDestination(part);
  if (lies.root == part)
    return place(part).address;
  auto all = cast<OpResult>(lies.root);
  if (!places.contains(all))
    place(all);
  Storage whole = places.lookup(all);
  RankedTensorType type = nn::tensorType(part);
  auto layout =
      StridedLayoutAttr::get(part.getContext(), /*offset=*/0, lies.strides);
  Value address = rt::ViewOp::create(
      builder, loc,
      MemRefType::get(type.getShape(), type.getElementType(), layout),
      whole.address, lies.offset);
  bind(part, {whole.root, address});
  noteView(part, all, lies.offset);
  return address;
}

LogicalResult TaskLowering::lowerAttentionGrad(nn::AttentionGradOp op) {
  if (!codegen::isByLibrary(op))
    return op.emitOpError() << "is in no kernel and not marked 'rt.by_library'";
  SmallVector<int64_t> values;
  for (Value operand : {op.getDResult(), op.getQ(), op.getK(), op.getV(),
                        op.getResult(), op.getLse()})
    values.push_back(numberOf(operand));
  SmallVector<Value> made;
  for (OpResult result : op->getResults()) {
    made.push_back(placePart(result));
    values.push_back(numberOf(result));
  }
  codegen::AttentionWork work = codegen::getAttentionWork(op);
  auto bytes = MemRefType::get({work.workspace}, builder.getI8Type());
  Root *workspace = newTemporary(bytes);
  values.push_back(newNumber());
  IntegerAttr keyHeads;
  if (work.keyHeads != nn::tensorType(op.getK()).getDimSize(2))
    keyHeads = builder.getI64IntegerAttr(work.keyHeads);
  note(rt::AttentionGradOp::create(
           builder, loc, addressOf(op.getDResult()), addressOf(op.getQ()),
           addressOf(op.getK()), addressOf(op.getV()),
           addressOf(op.getResult()), statsIn(op.getLse()), made[0], made[1],
           made[2], workspace->address, builder.getI64IntegerAttr(work.samples),
           keyHeads, op.getScaleAttr(), op.getCausalAttr()),
       values);
  return success();
}
