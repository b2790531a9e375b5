//===- LowerContract.cpp - Lowering of contractions and views -------------===//

#include "passes/Codegen/Kernels/Attention/Choice.h"
#include "passes/Codegen/Lower/TaskLowering.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace pcc;

static ContractLabels labelsOf(nn::ContractOp op) {
  return {op.getLhsLabels().str(), op.getRhsLabels().str(),
          op.getResultLabels().str()};
}

void TaskLowering::emitCalls(const GemmPlan &plan, Content lhs, Content rhs,
                             Content result, std::optional<int64_t> before) {
  auto at = [&](Value buffer, int64_t start) -> Value {
    if (start == 0)
      return buffer;
    MemRefType type = typeOf(buffer);
    int64_t bytes = rt::getElementBytes(type.getElementType());
    auto rest = MemRefType::get({rt::getSpanBytes(type) / bytes - start},
                                type.getElementType());
    return rt::ViewOp::create(builder, loc, rest, buffer, start);
  };
  rt::GemmAttr s = plan.shape;
  auto adding = rt::GemmAttr::get(
      s.getContext(), s.getM(), s.getN(), s.getK(), s.getTransA(),
      s.getTransB(), s.getLda(), s.getLdb(), s.getLdc(), s.getBatch(), s.getA(),
      s.getB(), s.getC(), s.getAlpha(), builder.getF32FloatAttr(1));
  for (auto [index, call] : llvm::enumerate(plan.calls)) {
    auto [l, r, c] = call.start;
    Value a = at(lhs.buffer, l), b = at(rhs.buffer, r);
    SmallVector<int64_t> values = {numberOfRest(lhs.number, l),
                                   numberOfRest(rhs.number, r)};
    if (plan.swapped) {
      std::swap(a, b);
      std::swap(values[0], values[1]);
    }
    // The results of calls interleave, so later calls add to elements of
    // several values (-1).
    if (call.adds || before)
      values.push_back(index == 0 ? numberOfRest(*before, c) : -1);
    values.push_back(numberOfRest(result.number, c));
    note(rt::GemmOp::create(builder, loc, a, b, at(result.buffer, c),
                            call.adds ? adding : s),
         values);
  }
}

void TaskLowering::emitFused(const GemmPlan &plan,
                             const codegen::FusedGemm &product, Content result,
                             std::optional<int64_t> before,
                             std::optional<Content> added) {
  Content a = contentOf(product.lhs), b = contentOf(product.rhs);
  rt::Epilogue epilogue = product.epilogue;
  if (plan.swapped) {
    std::swap(a, b);
    if (product.sums)
      epilogue = epilogue == rt::Epilogue::SumA ? rt::Epilogue::SumB
                                                : rt::Epilogue::SumA;
  }
  SmallVector<int64_t> values = {a.number, b.number};
  if (added)
    values.push_back(added->number);
  else if (before)
    values.push_back(*before);
  for (Value read : {product.bias, product.before})
    if (read)
      values.push_back(numberOf(read));
  values.push_back(result.number);
  Value vector = product.bias ? addressOf(product.bias) : Value();
  Value matrix = product.before ? addressOf(product.before) : Value();
  for (auto [made, to] :
       {std::pair(product.sums, &vector), std::pair(product.kept, &matrix)}) {
    if (!made)
      continue;
    *to = place(made).address;
    values.push_back(numberOf(made));
  }
  note(rt::GemmOp::create(builder, loc, a.buffer, b.buffer, result.buffer,
                          plan.shape, epilogue, vector, matrix,
                          added ? added->buffer : Value()),
       values);
}

FailureOr<GemmPlan> TaskLowering::plan(const codegen::FusedGemm &product,
                                       const std::array<MemRefType, 3> &types,
                                       bool accumulate) {
  auto plan = planGemm(labelsOf(product.contract), types, accumulate);
  if (failed(plan) || product.isPlain())
    return plan;
  Value vector = product.bias ? product.bias : Value(product.sums);
  int64_t elements =
      vector ? nn::tensorType(vector).getNumElements() : int64_t(0);
  if (!fitsEpilogue(*plan, product.epilogue, elements,
                    product.before || product.kept))
    return failure();
  return plan;
}

LogicalResult TaskLowering::emitGemm(const codegen::FusedGemm &product,
                                     Content result,
                                     std::optional<int64_t> before) {
  Operation *op = product.result.getOwner();
  // An accumulating GEMM keeps the location of the contraction.
  llvm::SaveAndRestore restore(loc, op->getLoc());
  Content lhs = contentOf(product.lhs), rhs = contentOf(product.rhs);
  MemRefType type = typeOf(result.buffer);
  Type factors = typeOf(lhs.buffer).getElementType(),
       products = type.getElementType();
  bool isWidened = factors.getIntOrFloatBitWidth() == 16 && products.isF32();
  if (factors != typeOf(rhs.buffer).getElementType() ||
      (factors != products && !isWidened))
    return op->emitOpError() << "cannot be lowered to a GEMM: its operands and "
                                "result differ in element type";
  std::optional<Content> added;
  if (product.added && !before)
    added = contentOf(product.added);
  auto planned = plan(product, {typeOf(lhs.buffer), typeOf(rhs.buffer), type},
                      added || before);
  if (succeeded(planned)) {
    if (product.isPlain())
      emitCalls(*planned, lhs, rhs, result, before);
    else
      emitFused(*planned, product, result, before, added);
    return success();
  }
  ContractLabels labels = labelsOf(product.contract);
  StringRef spec = nn::ContractOp(product.contract).getSpec();
  if (!product.isPlain())
    return op->emitOpError()
           << "'" << spec << "' cannot be lowered to a GEMM with epilogue '"
           << rt::stringifyEpilogue(product.epilogue) << "'";

  // Transposes operands and result to a layout that a single call supports.
  for (Value operand : {lhs.buffer, rhs.buffer})
    if (!rt::isContiguous(typeOf(operand)))
      return op->emitOpError()
             << "'" << spec << "' has an operand that is not contiguous";
  ContractLabels ordered = orderLabels(labels);
  auto permute = [](StringRef from, StringRef to) {
    return llvm::map_to_vector(
        to, [&](char label) { return int64_t(from.find(label)); });
  };
  auto inOrder = [&](Content from, int tensor) {
    if (labels[tensor] == ordered[tensor])
      return from;
    return emitTranspose(from, typeOf(from.buffer).getShape(),
                         permute(labels[tensor], ordered[tensor]));
  };
  lhs = inOrder(lhs, 0);
  rhs = inOrder(rhs, 1);
  SmallVector<int64_t> shape;
  for (int64_t dim : permute(labels[2], ordered[2]))
    shape.push_back(type.getDimSize(dim));
  bool isOrdered = ordered[2] == labels[2];
  auto orderedType = MemRefType::get(shape, type.getElementType());
  Content moved = result;
  if (!isOrdered)
    moved = {newTemporary(orderedType)->address, newNumber()};
  planned =
      planGemm(ordered, {typeOf(lhs.buffer), typeOf(rhs.buffer), orderedType},
               isOrdered && before);
  if (failed(planned))
    return op->emitOpError() << "'" << spec << "' cannot be lowered to a GEMM";
  emitCalls(*planned, lhs, rhs, moved,
            isOrdered ? before : std::optional<int64_t>());
  if (isOrdered)
    return success();
  SmallVector<int64_t> back = permute(ordered[2], labels[2]);
  if (before)
    emitAdd(result, *before, emitTranspose(moved, shape, back));
  else
    emitTranspose(moved, shape, back, result);
  return success();
}

LogicalResult TaskLowering::lowerProduct(Operation *op) {
  if (uses.isAdded(op))
    return success();
  std::optional<codegen::FusedGemm> product = codegen::readGemm(op);
  if (!product)
    return op->emitOpError("calls a function that is not a GEMM");
  // The sum may overwrite the added value, unless that is an operand of the
  // GEMM, too.
  SmallVector<unsigned> inplace;
  bool isFactor =
      product->added == product->lhs || product->added == product->rhs;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == product->added && !isFactor)
      inplace.push_back(operand.getOperandNumber());
  Storage to = place(product->result, inplace);
  std::optional<int64_t> before;
  if (product->added && places.lookup(product->added).root == to.root)
    before = numberOf(product->added);
  return emitGemm(*product, {to.address, numberOf(product->result)}, before);
}

LogicalResult TaskLowering::emitGrouped(nn::GroupedContractOp op,
                                        Content result,
                                        std::optional<int64_t> before) {
  llvm::SaveAndRestore restore(loc, op.getLoc());
  Content lhs = contentOf(op.getLhs()), rhs = contentOf(op.getRhs()),
          ends = contentOf(op.getEnds());
  for (Value buffer : {lhs.buffer, rhs.buffer, result.buffer})
    if (!rt::isContiguous(typeOf(buffer)))
      return op.emitOpError("has an operand that is not contiguous");
  rt::GroupedForm form = op.sumsRows() ? rt::GroupedForm::Sums
                         : op.getForm() == "rk,enk->rn"
                             ? rt::GroupedForm::Transposed
                             : rt::GroupedForm::Plain;
  SmallVector<int64_t> values = {lhs.number, rhs.number, ends.number};
  if (before)
    values.push_back(*before);
  values.push_back(result.number);
  note(rt::GroupedGemmOp::create(builder, loc, form, lhs.buffer, rhs.buffer,
                                 result.buffer, ends.buffer,
                                 before.has_value()),
       values);
  return success();
}

LogicalResult TaskLowering::lowerGrouped(nn::GroupedContractOp op) {
  if (uses.isAdded(op))
    return success();
  Storage to = place(op->getOpResult(0));
  return emitGrouped(op, {to.address, numberOf(op.getResult())});
}

LogicalResult TaskLowering::lowerReshape(nn::ReshapeOp op) {
  Storage from = places.lookup(op.getInput());
  // A GEMM that accumulates in place has no buffer of its own.
  if (!from.root)
    return success();
  if (!rt::isContiguous(typeOf(from.address)))
    return lowerAsKernel(op);
  bind(op.getResult(),
       {from.root, reshaped(from.address, op.getType().getShape())});
  noteView(op.getResult(), op.getInput(), 0);
  return success();
}

/// Whether the library's attention accepts a value as a strided view at an
/// element offset of an aligned buffer: rows and offset must be multiples of 16
/// bytes.
static bool readsRows(Operation *user, Value value, MemRefType view,
                      int64_t offset) {
  auto takes = [&](auto op) {
    return op &&
           (op.getQ() == value || op.getK() == value || op.getV() == value);
  };
  return codegen::isByLibrary(user) && rt::hasAlignedRows(view) &&
         offset * rt::getElementBytes(view.getElementType()) % 16 == 0 &&
         (takes(dyn_cast<nn::AttentionOp>(user)) ||
          takes(dyn_cast<nn::AttentionGradOp>(user)));
}

bool TaskLowering::lowerAsView(Operation *op, Value input) {
  Storage from = places.lookup(input);
  MemRefType type = typeOf(from.address);
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> strides = rt::getStrides(type);
  int64_t offset = 0;
  if (auto select = dyn_cast<nn::SelectOp>(op)) {
    offset = select.getIndex() * strides[select.getDim()];
    strides.erase(strides.begin() + select.getDim());
  } else if (auto slice = dyn_cast<nn::SliceOp>(op)) {
    for (auto [stride, start, step] :
         llvm::zip(strides, slice.getStarts(), slice.getSteps())) {
      offset += start * stride;
      stride *= step;
    }
  } else {
    SmallVector<int64_t> moved;
    for (int64_t dim : cast<nn::TransposeOp>(op).getPermutation())
      moved.push_back(strides[dim]);
    strides = moved;
  }
  auto layout = StridedLayoutAttr::get(op->getContext(), 0, strides);
  auto view = MemRefType::get(result.getShape(), type.getElementType(), layout);
  if (rt::isContiguous(view)) {
    view = bufferType(result);
  } else {
    // Only GEMMs and attention of the library accept strides, with
    // restrictions.
    for (Operation *user : op->getUsers()) {
      if (readsRows(user, op->getResult(0), view, offset))
        continue;
      std::optional<codegen::FusedGemm> product = codegen::readGemm(user);
      if (!product)
        return false;
      // The view must be used as an operand of the GEMM only, not by its
      // epilogue.
      for (Value beside : {product->bias, product->before, product->added})
        if (beside == op->getResult(0))
          return false;
      auto lies = [&](Value operand) {
        if (operand == op->getResult(0))
          return view;
        auto known = places.find(operand);
        return known == places.end() ? bufferType(operand.getType())
                                     : typeOf(known->second.address);
      };
      if (failed(plan(*product,
                      {lies(product->lhs), lies(product->rhs),
                       bufferType(product->result.getType())},
                      /*accumulate=*/false)))
        return false;
    }
  }
  Value address = rt::ViewOp::create(builder, loc, view, from.address, offset);
  bind(op->getResult(0), {from.root, address});
  noteView(op->getResult(0), input, offset);
  return true;
}
