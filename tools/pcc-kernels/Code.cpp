//===- Code.cpp - Compilation of kernels for CPU and GPU ------------------===//

#include "tools/pcc-kernels/Code.h"
#include "dialects/NN/NN.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/Codegen/Gpu/Optimize.h"
#include "passes/Codegen/Gpu/Passes.h"
#include "passes/Codegen/Kernels/Group.h"
#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"
#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Kernels/Prepare.h"
#include "passes/Codegen/Kernels/RowProgram.h"
#include "passes/Codegen/Kernels/Stack.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Returns a module with copies of the kernels and nothing else; if `only` is
/// not empty, of the kernel with this name. Null, with an error, without any.
static OwningOpRef<ModuleOp> takeKernels(ModuleOp module, StringRef only) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  OpBuilder builder(kernels->getBodyRegion());
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(rt::kKernelAttr) &&
        (only.empty() || function.getName() == only))
      builder.clone(*function);
  if (kernels->getBody()->empty()) {
    module.emitError() << "has no kernel" << (only.empty() ? "" : " '") << only
                       << (only.empty() ? "" : "'");
    return {};
  }
  return kernels;
}

/// Whether a module has device code.
static bool isForDevices(ModuleOp module) {
  return !module.getOps<gpu::GPUModuleOp>().empty();
}

FailureOr<DeviceProgram> pcc::compileForDevice(ModuleOp module,
                                               const KernelChoice &choice) {
  DeviceProgram program;
  PassManager toGpu(module.getContext()), toNVVM(module.getContext());
  if (isForDevices(module)) {
    program.module = module.clone();
    program.module->walk([&](gpu::GPUFuncOp kernel) {
      if (!choice.only.empty() && kernel.getName() != choice.only)
        kernel.erase();
    });
  } else {
    program.module = takeKernels(module, choice.only);
    if (!program.module)
      return failure();
    RTLowerKernelsToGpuPassOptions lowering;
    lowering.chips = {choice.chip};
    toGpu.addPass(createRTLowerKernelsToGpuPass(lowering));
  }
  toNVVM.addPass(createGpuKernelsToNVVMPass());
  if (failed(toGpu.run(*program.module)))
    return failure();
  program.device = *program.module->getOps<gpu::GPUModuleOp>().begin();
  program.kernels = listDeviceKernels(program.device);
  if (failed(toNVVM.run(*program.module)))
    return failure();
  return program;
}

/// Estimates the largest number of elements that a kernel in kernel IR reduces
/// to one: the largest extent of a loop of a reduction, or end of an scf.for.
static int64_t reducedBy(func::FuncOp kernel) {
  int64_t most = 1;
  kernel.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops())
      for (int64_t extent : op.getStaticLoopRanges())
        most = std::max(most, extent);
  });
  kernel.walk([&](scf::ForOp loop) {
    if (auto count = getConstantIntValue(loop.getUpperBound()))
      most = std::max(most, *count);
  });
  return most;
}

namespace {
/// Properties of a kernel, derived from its IR.
struct Facts {
  int64_t units = 0, reduced = 1, chain = 0, wide = -1;
  Type rounded;
};
} // namespace

/// Returns the 16-bit type that the kernel has rounded the terms of a sum over
/// rows to; null if it has not.
static Type roundedAhead(Operation *sum) {
  Value value = sum->getOperand(0);
  while (Operation *maker = value.getDefiningOp()) {
    Type element = nn::tensorType(value).getElementType();
    if (!codegen::isView(maker))
      return element.getIntOrFloatBitWidth() == 16 ? element : Type();
    if (maker->getNumOperands() != 1)
      break;
    value = maker->getOperand(0);
  }
  return {};
}

/// Returns the low-precision type that a kernel rounds intermediate values to;
/// null if none. Tensor cores multiply an attention's probabilities and
/// score gradients in its operands' type. A sum over rows may have terms that
/// were rounded to 16 bits: close to the middle of two numbers, CPU and GPU may
/// round differently.
static Type roundedBy(func::FuncOp kernel) {
  Type rounded;
  kernel.walk([&](Operation *op) {
    if (isa<nn::NNDialect>(op->getDialect()) && codegen::isColumnSum(op)) {
      if (Type type = roundedAhead(op))
        rounded = type;
      return;
    }
    if (!isa<nn::AttentionOp, nn::AttentionGradOp>(op))
      return;
    Type element = nn::tensorType(op->getOperand(0)).getElementType();
    if (element.getIntOrFloatBitWidth() < 32)
      rounded = element;
  });
  return rounded;
}

/// The CPU's kernel accumulates an attention's dq in memory, in f32. If the
/// type of dq has 16 bits, changes the buffer with dq, and everything stacked
/// in it, to f32. Returns the number of that buffer; -1: none.
static int64_t widenQueryGradient(func::FuncOp kernel) {
  Operation *end = kernel.getBody().front().getTerminator();
  auto widen = [&](Value value) {
    value.setType(
        nn::tensorType(value).clone(Float32Type::get(kernel.getContext())));
  };
  for (OpOperand &result : end->getOpOperands()) {
    Operation *maker = result.get().getDefiningOp();
    Operation *stacked = maker ? codegen::findStacked(maker) : nullptr;
    auto grad =
        dyn_cast_or_null<nn::AttentionGradOp>(stacked ? stacked : maker);
    if (!grad || (!stacked && grad.getDq() != result.get()))
      continue;
    if (nn::tensorType(result.get()).getElementTypeBitWidth() != 16)
      continue;
    widen(result.get());
    if (stacked)
      for (Value insert : maker->getOperands()) {
        widen(insert);
        widen(insert.getDefiningOp<nn::InsertOp>().getInput());
      }
    kernel.setType(FunctionType::get(kernel.getContext(),
                                     kernel.getArgumentTypes(),
                                     end->getOperandTypes()));
    return kernel.getNumArguments() + result.getOperandNumber();
  }
  return -1;
}

/// Lowers the kernels for the CPU, to the LLVM dialect. The GEMMs of attention
/// use few registers: they run only once, and large ones take a second to
/// compile.
static LogicalResult compileForCpu(ModuleOp kernels,
                                   llvm::StringMap<Facts> &facts) {
  PassManager tile(kernels.getContext()), lower(kernels.getContext());
  RTTileKernelsPassOptions tiles;
  RTLowerKernelsPassOptions lowering;
  tiles.vectorLanes = lowering.vectorLanes = 8;
  tiles.productRows = 2;
  tiles.productVectors = 1;
  tile.addPass(createRTTileKernelsPass(tiles));
  lower.addPass(createRTLowerKernelsPass(lowering));
  for (auto kernel : kernels.getOps<func::FuncOp>()) {
    Facts &known = facts[deviceName(kernel.getName())];
    known.rounded = roundedBy(kernel);
    if (auto grouped = findGrouped(kernel))
      known.chain = GroupedSizes(grouped).depth();
    known.wide = widenQueryGradient(kernel);
  }
  if (failed(tile.run(kernels)))
    return failure();
  for (auto kernel : kernels.getOps<func::FuncOp>()) {
    Facts &known = facts[deviceName(kernel.getName())];
    known.units =
        kernel->getAttrOfType<IntegerAttr>(rt::kWorkItemsAttr).getInt();
    known.reduced = reducedBy(kernel);
  }
  if (failed(lower.run(kernels)))
    return failure();
  for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>())
    if (!kernel.isExternal())
      kernel.setName(deviceName(kernel.getName()));
  return success();
}

/// Returns the operand that is a lookup's table, possibly through a cast, and
/// has no other use; -1: none.
static int64_t operandOf(Value table) {
  auto cast = table.getDefiningOp<nn::CastOp>();
  if (cast && table.hasOneUse())
    table = cast.getInput();
  auto argument = dyn_cast<BlockArgument>(table);
  return argument && table.hasOneUse() ? argument.getArgNumber() : -1;
}

SmallVector<RowIds> pcc::findIds(func::FuncOp kernel) {
  SmallVector<RowIds> all(kernel.getNumArguments());
  auto note = [&](Value ids, const RowIds &found) {
    for (;;)
      if (auto reshape = ids.getDefiningOp<nn::ReshapeOp>())
        ids = reshape.getInput();
      else if (auto select = ids.getDefiningOp<nn::SelectOp>())
        ids = select.getInput();
      else if (auto where = ids.getDefiningOp<nn::WhereOp>())
        ids = where.getOperand(2);
      else
        break;
    if (auto argument = dyn_cast<BlockArgument>(ids))
      all[argument.getArgNumber()] = found;
  };
  for (auto op : kernel.getOps<nn::EmbeddingOp>()) {
    RowIds found;
    found.table = operandOf(op.getTable());
    found.rows = nn::tensorType(op.getTable()).getDimSize(0);
    found.areOfRows = isOrder(op);
    note(op.getIds(), found);
  }
  for (auto op : kernel.getOps<nn::EmbeddingGradOp>()) {
    RowIds found;
    found.areAdded = true;
    found.areSorted = op->hasAttr(kSortedAttr);
    found.rows = nn::tensorType(op.getDtable()).getDimSize(0);
    note(op.getIds(), found);
  }
  // Elements of rows.
  auto noteChosen = [&](Value ids, Value rows) {
    RowIds found;
    found.rows = nn::tensorType(rows).getShape().back();
    note(ids, found);
  };
  for (auto op : kernel.getOps<nn::PickOp>())
    noteChosen(op.getIds(), op.getInput());
  for (auto op : kernel.getOps<nn::SpreadOp>())
    noteChosen(op.getIds(), op.getResult());
  // The ids that rows are sorted by, in a kernel that sums some of them.
  for (auto op : kernel.getOps<nn::CompareOp>())
    if (isOrder(op)) {
      RowIds found;
      found.areSorted = true;
      found.rows = nn::tensorType(op.getRhs()).getNumElements();
      note(op.getRhs(), found);
    }
  for (auto op : kernel.getOps<nn::GroupedContractOp>()) {
    RowIds found;
    found.areEnds = found.areSorted = true;
    found.rows = nn::tensorType(op.getLhs()).getDimSize(0);
    note(op.getEnds(), found);
  }
  RowIds places;
  places.areInOrder = true;
  kernel.walk([&](Operation *op) {
    SmallVector<Value> ofSequence;
    if (auto attention = dyn_cast<nn::AttentionOp>(op))
      ofSequence = {attention.getQPos(), attention.getKPos()};
    else if (auto grad = dyn_cast<nn::AttentionGradOp>(op))
      ofSequence = {grad.getQPos(), grad.getKPos()};
    for (Value at : ofSequence)
      note(at, places);
  });
  return all;
}

/// Compiles a module with a JIT. Its functions may call the emulator and this
/// process.
static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
loadCode(llvm::orc::ThreadSafeModule code) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  machine->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*machine))
                 .create();
  if (!jit)
    return jit.takeError();
  llvm::orc::SymbolMap symbols;
  for (auto *symbol = pcc_emu_symbols(); symbol->name; ++symbol)
    symbols[(*jit)->mangleAndIntern(symbol->name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol->address),
        llvm::JITSymbolFlags::Exported};
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  llvm::orc::JITDylib &library = (*jit)->getMainJITDylib();
  library.addGenerator(std::move(*process));
  if (auto error = library.define(llvm::orc::absoluteSymbols(symbols)))
    return error;
  if (auto error = (*jit)->addIRModule(std::move(code)))
    return error;
  return jit;
}

Runnable::~Runnable() = default;

std::unique_ptr<Runnable>
Runnable::create(ModuleOp module, const KernelChoice &choice, bool withCpu) {
  auto program = compileForDevice(module, choice);
  if (failed(program))
    return nullptr;
  bool hasCpu =
      withCpu && llvm::any_of(module.getOps<func::FuncOp>(), [](Operation *op) {
        return op->hasAttr(rt::kKernelAttr);
      });
  OwningOpRef<ModuleOp> cpu = hasCpu ? takeKernels(module, choice.only)
                                     : ModuleOp::create(module.getLoc());
  llvm::StringMap<Facts> facts;
  if (failed(compileForCpu(*cpu, facts)))
    return nullptr;
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  auto deviceContext = std::make_unique<llvm::LLVMContext>();
  auto cpuContext = std::make_unique<llvm::LLVMContext>();
  auto device =
      emulateDevice(program->device, program->kernels, *deviceContext);
  auto host = translateModuleToLLVMIR(*cpu, *cpuContext, "cpu");
  if (failed(device) || !host)
    return nullptr;
  pcc_emu_limit_shared(sharedOfBlock(choice.chip));
  // More optimization of the CPU's code, or any of the device's, would take
  // longer than the kernels run.
  optimizeModule(*host, llvm::OptimizationLevel::O1);

  auto runnable = std::make_unique<Runnable>();
  auto failed = [&](llvm::Error error) {
    if (!error)
      return false;
    module.emitError() << "cannot load the kernels: "
                       << llvm::toString(std::move(error));
    return true;
  };
  auto load = [&](std::unique_ptr<llvm::orc::LLJIT> &jit,
                  std::unique_ptr<llvm::Module> code,
                  std::unique_ptr<llvm::LLVMContext> context) {
    return failed(
        loadCode({std::move(code), std::move(context)}).moveInto(jit));
  };
  if (load(runnable->device, std::move(*device), std::move(deviceContext)) ||
      load(runnable->cpu, std::move(host), std::move(cpuContext)))
    return nullptr;
  auto table = runnable->device->lookup("pcc_emu_kernels");
  if (!table) {
    failed(table.takeError());
    return nullptr;
  }
  const auto *emulated = table->toPtr<const pcc_emu_kernel *>();
  for (const DeviceKernel &kernel : program->kernels) {
    Kernel both{kernel, emulated++, nullptr, 0, 1, {}, {}};
    // Device code runs with any ids, except that groups must have ends.
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(rt::kKernelAttr) &&
          deviceName(function.getName()) == kernel.name &&
          (!isForDevices(module) || findGrouped(function)))
        both.ids = findIds(function);
    if (hasCpu) {
      auto function = runnable->cpu->lookup(kernel.name);
      if (!function) {
        failed(function.takeError());
        return nullptr;
      }
      both.cpu = function->toPtr<decltype(both.cpu)>();
      const Facts &known = facts[kernel.name];
      both.units = known.units, both.reduced = known.reduced;
      both.rounded = known.rounded, both.wide = known.wide;
      both.chain = known.chain;
    }
    runnable->kernels.push_back(std::move(both));
  }
  return runnable;
}
