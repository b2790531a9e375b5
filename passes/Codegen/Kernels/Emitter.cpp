//===- Emitter.cpp - The passes of a work item ----------------------------===//

#include "passes/Codegen/Kernels/Emitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Expr.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

Value Emitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

int64_t Emitter::getUnits() const {
  if (program.shape == KernelShape::Rows ||
      program.shape == KernelShape::Rope ||
      program.shape == KernelShape::Groups)
    return program.rows;
  if (isByRow())
    return program.scatter.tableRows +
           (program.scatter.base < 0 ? 0 : program.scatter.tokens);
  return program.rows * llvm::divideCeil(program.columns, choices.columnBlock);
}

Value Emitter::affineValue(AffineExpr expr) {
  auto map = AffineMap::get(2, 0, expr);
  Value other = reducedRow ? reducedRow : row;
  return affine::AffineApplyOp::create(b, map, ValueRange{row, other});
}

Value Emitter::allocate(Type element, int64_t length) {
  SmallVector<int64_t> shape;
  if (length)
    shape.push_back(length);
  OpBuilder::InsertionGuard guard(b);
  if (rowLoop)
    b.setInsertionPoint(rowLoop);
  return memref::AllocaOp::create(b, MemRefType::get(shape, element),
                                  b.getI64IntegerAttr(64));
}

Value Emitter::slice(Value buffer, Value row, int64_t extent, Window window) {
  Value offset = arith::MulIOp::create(b, row, index(extent));
  if (window.begin)
    offset = arith::AddIOp::create(b, offset, window.begin);
  return memref::SubViewOp::create(b, buffer, ArrayRef<OpFoldResult>{offset},
                                   ArrayRef<OpFoldResult>{window.size},
                                   ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

Value Emitter::scalar(const Node *node) {
  if (Value known = scalars.lookup(node))
    return known;
  SmallVector<Value> in;
  if (node->kind != Node::Kind::Reduce)
    for (const Node *operand : node->operands)
      in.push_back(scalar(operand));
  Value value;
  switch (node->kind) {
  case Node::Kind::Leaf:
    value = memref::LoadOp::create(b, bufferOf(node),
                                   ValueRange{affineValue(node->row)});
    value = convertScalar(b, value, node->type);
    break;
  case Node::Kind::Gather:
    value = memref::LoadOp::create(b, bufferOf(node), ValueRange{in[0]});
    value = convertScalar(b, value, node->type);
    break;
  case Node::Kind::Row:
    value = affineValue(node->row);
    break;
  case Node::Kind::Op:
    value = node->build(b, in);
    break;
  case Node::Kind::Reduce:
    value = reduced.lookup(node);
    if (node->scale != 1)
      value = arith::MulFOp::create(
          b, value,
          arith::ConstantOp::create(
              b, b.getFloatAttr(value.getType(), node->scale)));
    value = convertScalar(b, value, node->type);
    break;
  default:
    llvm_unreachable("node has a column");
  }
  return scalars[node] = value;
}

Type Emitter::accumulatorOf(const Node *node) {
  bool isExact = node->kind == Node::Kind::Reduce &&
                 (node->join == Combiner::Max || node->join == Combiner::Min ||
                  node->join == Combiner::MaxNumber);
  auto type = dyn_cast<FloatType>(node->type);
  if (!type || isExact || type.getWidth() >= choices.accumulatorBits)
    return node->type;
  return choices.accumulatorBits > 32 ? Type(b.getF64Type())
                                      : Type(b.getF32Type());
}

/// The initial value of a reduction.
static TypedAttr startOf(Builder &b, Combiner join, Type type) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    double infinity = std::numeric_limits<double>::infinity();
    switch (join) {
    case Combiner::Sum:
    case Combiner::SumOfSquares:
      return b.getFloatAttr(type, 0);
    case Combiner::Prod:
      return b.getFloatAttr(type, 1);
    case Combiner::Max:
    case Combiner::MaxNumber:
      return b.getFloatAttr(type, -infinity);
    case Combiner::Min:
      return b.getFloatAttr(type, infinity);
    }
  }
  unsigned width = type.getIntOrFloatBitWidth();
  // On bools, minimum and maximum are unsigned: 0 < 1.
  bool isBool = width == 1;
  switch (join) {
  case Combiner::Sum:
  case Combiner::SumOfSquares:
    return b.getIntegerAttr(type, 0);
  case Combiner::Prod:
    return b.getIntegerAttr(type, 1);
  case Combiner::Max:
  case Combiner::MaxNumber:
    return b.getIntegerAttr(type, isBool ? APInt::getMinValue(width)
                                         : APInt::getSignedMinValue(width));
  case Combiner::Min:
    return b.getIntegerAttr(type, isBool ? APInt::getMaxValue(width)
                                         : APInt::getSignedMaxValue(width));
  }
}

/// Combines `old` with `value`, both of the accumulator's type; for a sum of
/// squares `value` is already squared.
static Value join(ScalarBuilder &b, Combiner join, Value old, Value value) {
  bool isFloat = isa<FloatType>(value.getType());
  bool isBool = value.getType().isInteger(1);
  auto reassoc = arith::FastMathFlags::reassoc;
  switch (join) {
  case Combiner::Sum:
  case Combiner::SumOfSquares:
    if (isFloat)
      return arith::AddFOp::create(b, old, value, reassoc);
    return arith::AddIOp::create(b, old, value);
  case Combiner::Prod:
    if (isFloat)
      return arith::MulFOp::create(b, old, value, reassoc);
    return arith::MulIOp::create(b, old, value);
  case Combiner::Max:
    if (isFloat)
      return arith::MaximumFOp::create(b, old, value);
    if (isBool)
      return arith::MaxUIOp::create(b, old, value);
    return arith::MaxSIOp::create(b, old, value);
  case Combiner::Min:
    if (isFloat)
      return arith::MinimumFOp::create(b, old, value);
    if (isBool)
      return arith::MinUIOp::create(b, old, value);
    return arith::MinSIOp::create(b, old, value);
  case Combiner::MaxNumber:
    return arith::MaxNumFOp::create(
        b, old, value, arith::FastMathFlags::nnan | arith::FastMathFlags::nsz);
  }
}

void Emitter::emitGeneric(ArrayRef<Root> roots, int pass, Window window) {
  // `order`: nodes computed per column, operands first. `inputs`: nodes that
  // are read.
  SmallVector<const Node *> order;
  SmallVector<const Node *> inputs;
  SmallVector<Value> ins;
  llvm::DenseSet<const Node *> seen;
  std::function<void(const Node *)> visit = [&](const Node *node) {
    if (!seen.insert(node).second)
      return;
    if (!node->extent) {
      scalar(node);
      return;
    }
    int keptAt = passPlan.getKeptAt(node);
    bool isKept =
        node->kind == Node::Kind::ColReduce || (keptAt >= 0 && keptAt < pass);
    if (isKept) {
      inputs.push_back(node);
      ins.push_back(kept.lookup(node));
    } else if (node->kind == Node::Kind::Leaf ||
               node->kind == Node::Kind::Gather) {
      Value at = node->kind == Node::Kind::Leaf ? affineValue(node->row)
                                                : scalar(node->operands[0]);
      inputs.push_back(node);
      ins.push_back(slice(bufferOf(node), at, node->extent, window));
    } else {
      for (const Node *operand : node->operands)
        visit(operand);
      order.push_back(node);
    }
  };
  for (const Root &root : roots)
    visit(root.node);

  // A sum of elements that are equal along the row, or depend on the column
  // number only, has no input that defines the extent of the loop. A dummy
  // input does.
  bool isCounted = !ins.empty() || llvm::any_of(roots, [](const Root &root) {
    return root.how != Root::Reduce;
  });
  if (!isCounted)
    ins.push_back(allocate(b.getI8Type(), *getConstantIntValue(window.size)));

  auto identity = b.getMultiDimIdentityMap(1);
  auto toScalar = AffineMap::get(1, 0, {}, b.getContext());
  SmallVector<AffineMap> maps(ins.size(), identity);
  SmallVector<Value> outs;
  bool hasSums = false;
  for (const Root &root : roots) {
    bool isSum = root.how == Root::Reduce;
    hasSums |= isSum;
    outs.push_back(root.out);
    maps.push_back(isSum ? toScalar : identity);
  }
  auto iterator =
      hasSums ? utils::IteratorType::reduction : utils::IteratorType::parallel;
  auto body = [&](OpBuilder &inner, Location loc, ValueRange elements) {
    ScalarBuilder b(loc, inner);
    llvm::DenseMap<const Node *, Value> values;
    for (auto [node, element] : llvm::zip(inputs, elements))
      values[node] = convertScalar(b, element, node->type);
    auto valueOf = [&](const Node *node) {
      Value value = values.lookup(node);
      return value ? value : scalars.lookup(node);
    };
    for (const Node *node : order) {
      if (node->kind == Node::Kind::Column) {
        Value column = linalg::IndexOp::create(b, 0);
        if (window.begin)
          column = arith::AddIOp::create(b, column, window.begin);
        values[node] = column;
        continue;
      }
      SmallVector<Value> in;
      for (const Node *operand : node->operands)
        in.push_back(valueOf(operand));
      values[node] = node->build(b, in);
    }
    SmallVector<Value> rooted, yields;
    for (const Root &root : roots) {
      Value value = valueOf(root.node);
      if (root.how != Root::Store)
        value = convertScalar(b, value, elementOf(root.out));
      if (root.how == Root::Reduce && root.join == Combiner::SumOfSquares)
        value = arith::MulFOp::create(b, value, value);
      rooted.push_back(value);
    }
    for (auto [i, root] : llvm::enumerate(roots)) {
      Value value = rooted[i], old = elements[ins.size() + i];
      switch (root.how) {
      case Root::Store:
        value = convertScalar(b, value, elementOf(root.out));
        break;
      case Root::Reduce:
        value = join(b, root.join, old, value);
        break;
      case Root::SumElement:
        value = arith::AddFOp::create(b, old, value);
        break;
      }
      yields.push_back(value);
    }
    linalg::YieldOp::create(b, yields);
  };
  linalg::GenericOp::create(b, TypeRange{}, ins, outs, maps,
                            ArrayRef<utils::IteratorType>{iterator}, body);
}

void Emitter::emitPass(const RowPass &pass, int index, Window window) {
  SmallVector<Root> roots;
  SmallVector<std::pair<const Node *, Value>> sums;
  for (const Node *node : pass.reductions) {
    Type type = accumulatorOf(node);
    Value accumulator = allocate(type, 0);
    Value first = arith::ConstantOp::create(b, startOf(b, node->join, type));
    memref::StoreOp::create(b, first, accumulator, ValueRange{});
    sums.push_back({node, accumulator});
    roots.push_back({node->operands[0], accumulator, Root::Reduce, node->join});
  }
  for (const Node *node : pass.columnSums)
    roots.push_back({node->operands[0], kept.lookup(node), Root::SumElement});
  for (const Output *output : pass.stores) {
    Value out = slice(outputBuffer(*output), affineValue(output->access.row),
                      output->access.extent, window);
    if (passPlan.getKeptAt(output->node) == index)
      kept.try_emplace(output->node, out);
    roots.push_back({output->node, out, Root::Store});
  }
  for (const Node *node : pass.temporaries) {
    Value out = allocate(node->type, node->extent);
    kept[node] = out;
    roots.push_back({node, out, Root::Store});
  }
  emitGeneric(roots, index, window);
  for (auto [node, accumulator] : sums)
    reduced[node] = memref::LoadOp::create(b, accumulator, ValueRange{});
}

void Emitter::emitPasses(bool isAfter) {
  Window window{nullptr, OpFoldResult()};
  for (auto [i, pass] : llvm::enumerate(passPlan.getPasses())) {
    window.size = b.getIndexAttr(pass.extent);
    if (pass.isAfter == isAfter)
      emitPass(pass, i, window);
  }
}

void Emitter::emitRow() {
  emitPasses(/*isAfter=*/false);
  // All values are computed before the first is stored: an output may share its
  // buffer with another output's operand.
  SmallVector<std::pair<const Output *, Value>> entries;
  for (const Output &output : program.outputs)
    if (!output.access.extent)
      entries.push_back({&output, scalar(output.node)});
  for (auto [output, value] : entries) {
    Value buffer = outputBuffer(*output);
    memref::StoreOp::create(b, convertScalar(b, value, elementOf(buffer)),
                            buffer,
                            ValueRange{affineValue(output->access.row)});
  }
}

void Emitter::emitWorkItem(Value unit) {
  if (program.shape == KernelShape::Rows) {
    row = unit;
    return emitRow();
  }
  if (program.shape == KernelShape::Groups)
    return emitGroup(unit);
  if (program.shape == KernelShape::Rope)
    return emitRope(unit);
  if (isByRow())
    return emitRowSum(unit);
  Value block = unit;
  int64_t blocks = llvm::divideCeil(program.columns, choices.columnBlock);
  row = index(0);
  if (program.rows > 1) {
    row = arith::DivUIOp::create(b, unit, index(blocks));
    block = arith::RemUIOp::create(b, unit, index(blocks));
  }
  Window window = blockWindow(block);
  if (program.shape == KernelShape::Columns)
    emitColumnSums(window);
  else
    emitScatter(window);
}
