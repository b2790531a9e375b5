//===- Emit.cpp - Row programs as kernel IR -------------------------------===//

#include "passes/Codegen/Kernels/Emit.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Attention/Attention.h"
#include "passes/Codegen/Kernels/Emitter.h"
#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"
#include "passes/Codegen/Kernels/Stack.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// The elements that are worth a thread: some tens of microseconds of simple
/// work.
static constexpr int64_t kGrainElements = 16384;

static int64_t grainOf(const RowProgram &program, int64_t columnBlock) {
  int64_t perUnit = 1;
  switch (program.shape) {
  case KernelShape::Rope:
  case KernelShape::Rows:
    perUnit = std::max<int64_t>(program.columns, 1);
    for (auto &node : program.getNodes())
      perUnit = std::max(perUnit, node->length);
    break;
  case KernelShape::Groups:
    perUnit = program.columns * program.reduced;
    break;
  case KernelShape::Columns:
    perUnit = columnBlock * program.reduced;
    break;
  case KernelShape::Scatter:
    perUnit = columnBlock * program.scatter.tokens;
    break;
  }
  return std::max<int64_t>(1, kGrainElements / perUnit);
}

/// The columns per work item of a column sum. A block narrower than the chosen
/// one divides the columns, so all work items have equally many.
static int64_t columnBlockOf(const RowProgram &program,
                             const KernelChoices &choices) {
  int64_t block = choices.columnBlock;
  if (program.shape != KernelShape::Columns)
    return block;
  auto units = [&] {
    return int64_t(program.rows * llvm::divideCeil(program.columns, block));
  };
  while (units() < choices.wantedUnits && block / 2 >= choices.leastColumns &&
         program.columns % (block / 2) == 0)
    block /= 2;
  return block;
}

/// Adds a constant's elements, row major, to the module as a global.
static memref::GlobalOp makeGlobal(ScalarBuilder &b, StringRef kernel,
                                   DenseElementsAttr value) {
  auto module = b.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  std::string name;
  int number = 0;
  do
    name = (kernel + ".constant." + Twine(number++)).str();
  while (module.lookupSymbol(name));
  auto flat = value.reshape(
      RankedTensorType::get({value.getNumElements()}, value.getElementType()));
  auto type =
      MemRefType::get(flat.getType().getShape(), value.getElementType());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return memref::GlobalOp::create(b, name, b.getStringAttr("private"), type,
                                  flat, /*constant=*/true,
                                  b.getI64IntegerAttr(64));
}

func::FuncOp codegen::flattenKernel(OpBuilder &builder, func::FuncOp kernel) {
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
  auto emitted =
      func::FuncOp::create(builder, kernel.getLoc(), kernel.getName(),
                           builder.getFunctionType(types, {}));
  emitted.setPrivate();
  emitted.addEntryBlock();
  return emitted;
}

/// Builds the forall over work items, at the insertion point, and the return.
static void emitWorkItems(ScalarBuilder &b, func::FuncOp emitted, int64_t units,
                          int64_t grain, llvm::function_ref<void(Value)> body) {
  emitted->setAttr(rt::kKernelAttr, b.getUnitAttr());
  emitted->setAttr(rt::kWorkItemsAttr, b.getI64IntegerAttr(units));
  emitted->setAttr(rt::kGrainAttr, b.getI64IntegerAttr(grain));
  auto loop =
      scf::ForallOp::create(b, ArrayRef<OpFoldResult>{b.getIndexAttr(units)},
                            ValueRange{}, std::nullopt);
  b.setInsertionPoint(loop.getTerminator());
  body(loop.getInductionVar(0));
  b.setInsertionPointAfter(loop);
  func::ReturnOp::create(b);
}

/// Makes a constant available as a buffer at the insertion point.
static Value makeConstant(ScalarBuilder &b, StringRef kernel,
                          DenseElementsAttr value) {
  auto global = makeGlobal(b, kernel, value);
  global->setAttr(rt::kKernelAttr, b.getUnitAttr());
  return memref::GetGlobalOp::create(b, global.getType(), global.getSymName());
}

AttentionBuffers codegen::findBuffers(ScalarBuilder &b, func::FuncOp kernel,
                                      Operation *attention,
                                      ValueRange buffers) {
  AttentionBuffers found;
  SmallVector<Value> arguments(kernel.getArguments());
  for (Value operand : attention->getOperands()) {
    if (found.operands.contains(operand))
      continue;
    Strided view = *findStrided(operand, arguments);
    Value buffer;
    if (auto argument = dyn_cast<BlockArgument>(view.root))
      buffer = buffers[argument.getArgNumber()];
    else
      buffer = makeConstant(
          b, kernel.getName(),
          cast<DenseElementsAttr>(
              view.root.getDefiningOp<nn::ConstantOp>().getValue()));
    found.operands[operand] = {buffer, view.offset, view.strides};
  }
  auto results = kernel.getBody().front().getTerminator()->getOperands();
  for (Value result : attention->getResults()) {
    Strided place = findDestination(result);
    auto at = llvm::find(results, place.root);
    found.outs.push_back(
        at == results.end()
            ? Operand()
            : Operand{buffers[arguments.size() + (at - results.begin())],
                      place.offset, place.strides});
  }
  return found;
}

/// Emits the kernel of one attention with the views it reads through.
static FailureOr<func::FuncOp> emitTiles(OpBuilder &builder,
                                         func::FuncOp kernel,
                                         Operation *attention,
                                         const KernelChoices &choices) {
  if (StringRef why = whyNotOnCpu(attention); !why.empty())
    return attention->emitError() << "cannot be lowered to CPU tiles: " << why;
  func::FuncOp emitted = flattenKernel(builder, kernel);
  ScalarBuilder b(kernel.getLoc(), &emitted.getBody().front(),
                  emitted.getBody().front().begin());
  AttentionBuffers buffers =
      findBuffers(b, kernel, attention, emitted.getArguments());
  AttentionWorkItems units = getAttentionWorkItems(attention, choices);
  emitWorkItems(b, emitted, units.count, units.grain, [&](Value unit) {
    emitAttention(b, attention, choices, unit, buffers.operands, buffers.outs);
  });
  kernel.erase();
  return emitted;
}

/// Emits the kernel of a grouped contraction.
static func::FuncOp emitGrouped(OpBuilder &builder, func::FuncOp kernel,
                                const KernelChoices &choices) {
  GroupedKernel grouped = GroupedKernel::of(kernel);
  GroupedSizes sizes(grouped.op);
  func::FuncOp emitted = flattenKernel(builder, kernel);
  ScalarBuilder b(kernel.getLoc(), &emitted.getBody().front(),
                  emitted.getBody().front().begin());
  GroupedBuffers buffers(grouped, emitted.getArguments());
  emitWorkItems(
      b, emitted, countGroupedUnits(sizes), /*grain=*/1,
      [&](Value unit) { emitGroupedUnit(b, sizes, choices, unit, buffers); });
  if (Attribute operand = kernel.getResultAttr(0, rt::kInplaceAttr))
    emitted.setArgAttr(kernel.getNumArguments(), rt::kInplaceAttr, operand);
  kernel.erase();
  return emitted;
}

FailureOr<func::FuncOp> codegen::emitKernel(OpBuilder &builder,
                                            func::FuncOp kernel,
                                            const KernelChoices &choices) {
  auto results = kernel.getBody().front().getTerminator()->getOperands();
  SmallVector<Value> arguments(kernel.getArguments());
  SmallVector<Value> resultValues(results);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(kernel);
  if (Operation *attention = findAttention(resultValues))
    return emitTiles(builder, kernel, attention, choices);
  if (findGrouped(kernel))
    return emitGrouped(builder, kernel, choices);
  std::string why;
  auto program = RowProgram::create(arguments, resultValues, &why);
  if (!program)
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' has no row program: " << why;

  func::FuncOp emitted = flattenKernel(builder, kernel);
  ScalarBuilder b(kernel.getLoc(), &emitted.getBody().front(),
                  emitted.getBody().front().begin());
  SmallVector<Value> constants;
  for (DenseElementsAttr value : program->constants)
    constants.push_back(makeConstant(b, kernel.getName(), value));
  KernelChoices mine = choices;
  mine.columnBlock = columnBlockOf(*program, choices);
  Emitter emitter(*program, mine, b, emitted.getArguments(), arguments.size(),
                  constants);
  emitWorkItems(b, emitted, emitter.getUnits(),
                grainOf(*program, mine.columnBlock),
                [&](Value unit) { emitter.emitWorkItem(unit); });
  for (unsigned i = 0, e = results.size(); i < e; ++i)
    if (Attribute operand = kernel.getResultAttr(i, rt::kInplaceAttr))
      emitted.setArgAttr(arguments.size() + i, rt::kInplaceAttr, operand);
  for (BlockArgument argument :
       emitted.getArguments().drop_front(arguments.size()))
    if (argument.use_empty())
      return kernel.emitError()
             << "kernel '" << kernel.getName() << "' never writes result "
             << argument.getArgNumber() - arguments.size();
  kernel.erase();
  return emitted;
}
