//===- Emit.cpp - Row programs as kernel IR -------------------------------===//

#include "passes/Codegen/Kernels/Emit.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "passes/Codegen/Kernels/Schedule.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;


/// Columns that a unit of a column sum or scatter takes: a few vectors, so that
/// sums stay in registers and small tables still make several units.
static constexpr int64_t kColumnBlock = 64;

namespace {

/// The columns a unit works on: [begin, begin + size), `size` an attribute
/// where it is the same for all units.
struct Window {
  Value begin; ///< null: 0
  OpFoldResult size;
};

class Emitter {
public:
  Emitter(const RowProgram &program, ScalarBuilder &b, ValueRange arguments,
          unsigned operands, ValueRange constants)
      : program(program), schedule(program), b(b),
        arguments(arguments.begin(), arguments.end()),
        constants(constants.begin(), constants.end()), operands(operands) {}

  int64_t getUnits() const;
  void emitUnit(Value unit);

private:
  void emitRows(Value row);
  void emitColumnSums(Window window);
  void emitScatter(Window window);
  void emitRope(Value row);
  Window blockWindow(Value block);

  /// A row's slice of an argument.
  Value slice(Value buffer, Value row, int64_t extent, Window window);
  Value affineValue(AffineExpr expr);
  /// The value of a node without a column.
  Value scalar(const Node *node);
  void runSweep(const Sweep &sweep, int index, Window window);
  /// One linalg.generic over the window. `outs` get `roots`' values: added to
  /// where an accumulator, stored elsewhere.
  struct Root {
    const Node *node;
    Value out;
    enum { Store, Sum, Max, SumElement } how;
  };
  void emitGeneric(ArrayRef<Root> roots, int sweep, Window window);
  Value allocate(Type element, int64_t length);
  Type elementOf(Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementType();
  }
  Value bufferOf(const Node *leaf) {
    unsigned argument = leaf->argument;
    return argument < RowProgram::kFirstConstant
               ? arguments[argument]
               : constants[argument - RowProgram::kFirstConstant];
  }
  Value outputBuffer(const Output &output) {
    return arguments[operands + output.index];
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  const RowProgram &program;
  Schedule schedule;
  ScalarBuilder &b;
  SmallVector<Value> arguments, constants;
  unsigned operands;
  /// The unit's row and, within a column sum, the row summed.
  Value row, reducedRow;
  llvm::DenseMap<const Node *, Value> scalars;
  /// Rows kept in memory: temporaries, outputs, column sums.
  llvm::DenseMap<const Node *, Value> kept;
};

} // namespace

int64_t Emitter::getUnits() const {
  if (program.shape == KernelShape::Rows ||
      program.shape == KernelShape::Rope)
    return program.rows;
  return program.rows * llvm::divideCeil(program.columns, kColumnBlock);
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
  return memref::AllocaOp::create(b, MemRefType::get(shape, element),
                                  b.getI64IntegerAttr(64));
}

Value Emitter::slice(Value buffer, Value row, int64_t extent, Window window) {
  Value offset = arith::MulIOp::create(b, row, index(extent));
  if (window.begin)
    offset = arith::AddIOp::create(b, offset, window.begin);
  return memref::SubViewOp::create(
      b, buffer, ArrayRef<OpFoldResult>{offset},
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
    value = memref::LoadOp::create(b, bufferOf(node),
                                   ValueRange{in[0]});
    value = convertScalar(b, value, node->type);
    break;
  case Node::Kind::Row:
    value = affineValue(node->row);
    break;
  case Node::Kind::Op:
    value = node->build(b, in);
    break;
  default:
    llvm_unreachable("sums are known before they are used");
  }
  return scalars[node] = value;
}

void Emitter::emitGeneric(ArrayRef<Root> roots, int sweep, Window window) {
  // What is computed for each column, operands first; the rest is read.
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
    int keptAt = schedule.getKeptAt(node);
    bool isKept = node->kind == Node::Kind::ColReduce ||
                  (keptAt >= 0 && keptAt < sweep);
    if (isKept) {
      inputs.push_back(node);
      ins.push_back(kept.lookup(node));
    } else if (node->kind == Node::Kind::Leaf ||
               node->kind == Node::Kind::Gather) {
      Value at = node->kind == Node::Kind::Leaf ? affineValue(node->row)
                                                : scalar(node->operands[0]);
      inputs.push_back(node);
      ins.push_back(
          slice(bufferOf(node), at, node->extent, window));
    } else {
      for (const Node *operand : node->operands)
        visit(operand);
      order.push_back(node);
    }
  };
  for (const Root &root : roots)
    visit(root.node);

  auto identity = b.getMultiDimIdentityMap(1);
  auto toScalar = AffineMap::get(1, 0, {}, b.getContext());
  SmallVector<AffineMap> maps(ins.size(), identity);
  SmallVector<Value> outs;
  bool hasSums = false;
  for (const Root &root : roots) {
    bool isSum = root.how == Root::Sum || root.how == Root::Max;
    hasSums |= isSum;
    outs.push_back(root.out);
    maps.push_back(isSum ? toScalar : identity);
  }
  auto iterator = hasSums ? utils::IteratorType::reduction
                          : utils::IteratorType::parallel;
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
    SmallVector<Value> yields;
    for (auto [i, root] : llvm::enumerate(roots)) {
      Value value = valueOf(root.node), old = elements[ins.size() + i];
      switch (root.how) {
      case Root::Store:
        value = convertScalar(b, value, elementOf(root.out));
        break;
      case Root::Sum:
        value = arith::AddFOp::create(b, old, value,
                                      arith::FastMathFlags::reassoc);
        break;
      case Root::SumElement:
        value = convertScalar(b, value, elementOf(root.out));
        value = arith::AddFOp::create(b, old, value);
        break;
      case Root::Max:
        value = arith::MaxNumFOp::create(b, old, value,
                                         arith::FastMathFlags::nnan |
                                             arith::FastMathFlags::nsz);
        break;
      }
      yields.push_back(value);
    }
    linalg::YieldOp::create(b, yields);
  };
  linalg::GenericOp::create(b, TypeRange{}, ins, outs, maps,
                            ArrayRef<utils::IteratorType>{iterator}, body);
}

void Emitter::runSweep(const Sweep &sweep, int index, Window window) {
  SmallVector<Root> roots;
  SmallVector<std::pair<const Node *, Value>> sums;
  for (const Node *node : sweep.reductions) {
    Value accumulator = allocate(node->type, 0);
    double start = node->isMax ? -std::numeric_limits<double>::infinity() : 0;
    Value first = arith::ConstantOp::create(
        b, b.getFloatAttr(node->type, start));
    memref::StoreOp::create(b, first, accumulator, ValueRange{});
    sums.push_back({node, accumulator});
    roots.push_back({node->operands[0], accumulator,
                     node->isMax ? Root::Max : Root::Sum});
  }
  for (const Output *output : sweep.stores) {
    Value out = slice(outputBuffer(*output), affineValue(output->access.row),
                      output->access.extent, window);
    if (schedule.getKeptAt(output->node) == index)
      kept.try_emplace(output->node, out);
    roots.push_back({output->node, out, Root::Store});
  }
  for (const Node *node : sweep.temporaries) {
    Value out = allocate(node->type, node->extent);
    kept[node] = out;
    roots.push_back({node, out, Root::Store});
  }
  emitGeneric(roots, index, window);
  for (auto [node, accumulator] : sums)
    scalars[node] = memref::LoadOp::create(b, accumulator, ValueRange{});
}

void Emitter::emitRows(Value unit) {
  row = unit;
  Window window{nullptr, OpFoldResult()};
  for (auto [i, sweep] : llvm::enumerate(schedule.getSweeps())) {
    window.size = b.getIndexAttr(sweep.extent);
    runSweep(sweep, i, window);
  }
  // All are known before the first is written: it may lie where another's
  // operand does.
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

Window Emitter::blockWindow(Value block) {
  Value begin = arith::MulIOp::create(b, block, index(kColumnBlock));
  if (program.columns % kColumnBlock == 0)
    return {begin, b.getIndexAttr(kColumnBlock)};
  Value rest = arith::SubIOp::create(b, index(program.columns), begin);
  Value size = arith::MinSIOp::create(b, rest, index(kColumnBlock));
  return {begin, size};
}

void Emitter::emitColumnSums(Window window) {
  SmallVector<Root> roots;
  Value zero = arith::ConstantOp::create(b, b.getF64FloatAttr(0));
  for (const Node *node : schedule.getColumnSums()) {
    Value sums = memref::SubViewOp::create(
        b, allocate(node->type, kColumnBlock),
        ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{window.size},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    linalg::FillOp::create(b, ValueRange{zero}, ValueRange{sums});
    kept[node] = sums;
    roots.push_back({node->operands[0], sums, Root::SumElement});
  }
  {
    auto loop = scf::ForOp::create(b, index(0), index(program.reduced),
                                   index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    reducedRow = loop.getInductionVar();
    auto outer = scalars;
    emitGeneric(roots, /*sweep=*/0, window);
    scalars = outer;
    reducedRow = nullptr;
  }
  for (auto [i, sweep] : llvm::enumerate(schedule.getSweeps()))
    runSweep(sweep, i, window);
}

void Emitter::emitScatter(Window window) {
  const Scatter &scatter = program.scatter;
  Value table = arguments.back();
  auto forEach = [&](int64_t count, llvm::function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(b, index(0), index(count), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  };
  if (scatter.base < 0) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(elementOf(table)));
    forEach(scatter.tableRows, [&](Value at) {
      Value out = slice(table, at, program.columns, window);
      linalg::FillOp::create(b, ValueRange{zero}, ValueRange{out});
    });
  } else {
    // In place there is nothing to copy.
    Value base = arguments[scatter.base];
    auto address = [&](Value buffer) -> Value {
      return memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
    };
    Value differs = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                          address(base), address(table));
    auto branch = scf::IfOp::create(b, differs, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    forEach(scatter.tableRows, [&](Value at) {
      Value from = slice(base, at, program.columns, window);
      Value to = slice(table, at, program.columns, window);
      linalg::CopyOp::create(b, ValueRange{from}, ValueRange{to});
    });
  }
  forEach(scatter.tokens, [&](Value token) {
    row = token;
    auto outer = scalars;
    Value id = scalar(scatter.id);
    Value isRow = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, id,
                                        index(scatter.tableRows));
    auto branch = scf::IfOp::create(b, isRow, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value out = slice(table, id, program.columns, window);
    emitGeneric({{scatter.dy, out, Root::SumElement}}, 0, window);
    scalars = outer;
  });
}

/// cos and sin of the row's position once, then every head's pairs.
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
      ValueRange{cosines, sines}, ArrayRef<AffineMap>(SmallVector<AffineMap>(
                                      3, identity)),
      ArrayRef<utils::IteratorType>{parallel},
      [&](OpBuilder &inner, Location loc, ValueRange v) {
        ScalarBuilder b(loc, inner);
        Value angle = arith::MulFOp::create(b, position, v[0]);
        Value c = math::CosOp::create(b, angle);
        Value s = math::SinOp::create(b, angle);
        if (rope.isInverse)
          s = arith::NegFOp::create(b, s);
        linalg::YieldOp::create(b, ValueRange{convertScalar(b, c, f32),
                                              convertScalar(b, s, f32)});
      });

  // The row as it lies in memory, or made there first.
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
  Value head = arith::MulIOp::create(b, loop.getInductionVar(),
                                     index(rope.width));
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
    linalg::CopyOp::create(
        b, ValueRange{part(source, from, 2 * rope.half, rest)},
        ValueRange{part(result, to, 2 * rope.half, rest)});
}

void Emitter::emitUnit(Value unit) {
  if (program.shape == KernelShape::Rows)
    return emitRows(unit);
  if (program.shape == KernelShape::Rope)
    return emitRope(unit);
  Value block = unit;
  int64_t blocks = llvm::divideCeil(program.columns, kColumnBlock);
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

/// Elements worth a thread: some tens of microseconds of simple work.
static constexpr int64_t kGrainElements = 16384;

static int64_t grainOf(const RowProgram &program) {
  int64_t perUnit = 1;
  switch (program.shape) {
  case KernelShape::Rope:
  case KernelShape::Rows:
    perUnit = std::max<int64_t>(program.columns, 1);
    for (auto &node : program.getNodes())
      perUnit = std::max(perUnit, node->sweep);
    break;
  case KernelShape::Columns:
    perUnit = kColumnBlock * program.reduced;
    break;
  case KernelShape::Scatter:
    perUnit = kColumnBlock * program.scatter.tokens;
    break;
  }
  return std::max<int64_t>(1, kGrainElements / perUnit);
}

/// A constant's elements, row major, as data of the module.
static memref::GlobalOp makeGlobal(ScalarBuilder &b, StringRef kernel,
                                   DenseElementsAttr value) {
  auto module = b.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  std::string name;
  int number = 0;
  do
    name = (kernel + ".constant." + Twine(number++)).str();
  while (module.lookupSymbol(name));
  auto flat = value.reshape(RankedTensorType::get({value.getNumElements()},
                                                  value.getElementType()));
  auto type = MemRefType::get(flat.getType().getShape(),
                              value.getElementType());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return memref::GlobalOp::create(b, name, b.getStringAttr("private"), type,
                                  flat, /*constant=*/true,
                                  b.getI64IntegerAttr(64));
}

FailureOr<func::FuncOp> codegen::emitKernel(OpBuilder &builder,
                                            func::FuncOp kernel) {
  auto results = kernel.getBody().front().getTerminator()->getOperands();
  SmallVector<Value> arguments(kernel.getArguments());
  SmallVector<Value> resultValues(results);
  std::string why;
  auto program = RowProgram::create(arguments, resultValues, &why);
  if (!program)
    return kernel.emitError() << "kernel '" << kernel.getName()
                              << "' has no row program: " << why;

  SmallVector<Type> types;
  auto flatten = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    types.push_back(
        MemRefType::get({tensor.getNumElements()}, tensor.getElementType()));
  };
  for (Type type : kernel.getFunctionType().getInputs())
    flatten(type);
  for (Type type : kernel.getFunctionType().getResults())
    flatten(type);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(kernel);
  Location loc = kernel.getLoc();
  auto emitted = func::FuncOp::create(builder, loc, kernel.getName(),
                                      builder.getFunctionType(types, {}));
  emitted.setPrivate();
  ScalarBuilder b(loc, emitted.addEntryBlock(), emitted.getBody().front().begin());
  SmallVector<Value> constants;
  for (DenseElementsAttr value : program->constants) {
    auto global = makeGlobal(b, kernel.getName(), value);
    global->setAttr(kKernelAttr, b.getUnitAttr());
    constants.push_back(memref::GetGlobalOp::create(b, global.getType(),
                                                    global.getSymName()));
  }
  Emitter emitter(*program, b, emitted.getArguments(), arguments.size(),
                  constants);
  int64_t units = emitter.getUnits();
  emitted->setAttr(kKernelAttr, b.getUnitAttr());
  emitted->setAttr(kUnitsAttr, b.getI64IntegerAttr(units));
  emitted->setAttr(kGrainAttr, b.getI64IntegerAttr(grainOf(*program)));
  auto loop = scf::ForallOp::create(
      b, ArrayRef<OpFoldResult>{b.getIndexAttr(units)}, ValueRange{},
      std::nullopt);
  b.setInsertionPoint(loop.getTerminator());
  emitter.emitUnit(loop.getInductionVar(0));
  b.setInsertionPointAfter(loop);
  func::ReturnOp::create(b);
  kernel.erase();
  return emitted;
}
