//===- Emit.cpp - Row programs as kernel IR -------------------------------===//

#include "passes/Codegen/Kernels/Emit.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Emitter.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Elements worth a thread: some tens of microseconds of simple work.
static constexpr int64_t kGrainElements = 16384;

static int64_t grainOf(const RowProgram &program, int64_t columnBlock) {
  int64_t perUnit = 1;
  switch (program.shape) {
  case KernelShape::Rope:
  case KernelShape::Rows:
    perUnit = std::max<int64_t>(program.columns, 1);
    for (auto &node : program.getNodes())
      perUnit = std::max(perUnit, node->sweep);
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

/// A constant's elements, row major, as data of the module.
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

FailureOr<func::FuncOp> codegen::emitKernel(OpBuilder &builder,
                                            func::FuncOp kernel,
                                            const KernelChoices &choices) {
  auto results = kernel.getBody().front().getTerminator()->getOperands();
  SmallVector<Value> arguments(kernel.getArguments());
  SmallVector<Value> resultValues(results);
  std::string why;
  auto program = RowProgram::create(arguments, resultValues, &why);
  if (!program)
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' has no row program: " << why;

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
  ScalarBuilder b(loc, emitted.addEntryBlock(),
                  emitted.getBody().front().begin());
  SmallVector<Value> constants;
  for (DenseElementsAttr value : program->constants) {
    auto global = makeGlobal(b, kernel.getName(), value);
    global->setAttr(rt::kKernelAttr, b.getUnitAttr());
    constants.push_back(
        memref::GetGlobalOp::create(b, global.getType(), global.getSymName()));
  }
  Emitter emitter(*program, choices, b, emitted.getArguments(),
                  arguments.size(), constants);
  int64_t units = emitter.getUnits();
  emitted->setAttr(rt::kKernelAttr, b.getUnitAttr());
  emitted->setAttr(rt::kUnitsAttr, b.getI64IntegerAttr(units));
  emitted->setAttr(rt::kGrainAttr,
                   b.getI64IntegerAttr(grainOf(*program, choices.columnBlock)));
  auto loop =
      scf::ForallOp::create(b, ArrayRef<OpFoldResult>{b.getIndexAttr(units)},
                            ValueRange{}, std::nullopt);
  b.setInsertionPoint(loop.getTerminator());
  emitter.emitUnit(loop.getInductionVar(0));
  for (unsigned i = 0, e = results.size(); i < e; ++i)
    if (Attribute operand = kernel.getResultAttr(i, rt::kInplaceAttr))
      emitted.setArgAttr(arguments.size() + i, rt::kInplaceAttr, operand);
  b.setInsertionPointAfter(loop);
  func::ReturnOp::create(b);
  for (BlockArgument argument :
       emitted.getArguments().drop_front(arguments.size()))
    if (argument.use_empty())
      return kernel.emitError()
             << "kernel '" << kernel.getName() << "' never writes result "
             << argument.getArgNumber() - arguments.size();
  kernel.erase();
  return emitted;
}
