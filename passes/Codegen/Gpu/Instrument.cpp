//===- Instrument.cpp - Device code for the emulator ----------------------===//
//
// Instruments the code that PTX would be emitted from, after optimization for
// the GPU, so that the emulator counts and checks the accesses of a GPU:
//
//   %v = load <4 x float>, ptr %p, align 16
//
// becomes, where 3 is the number of the access among the kernel's sites,
//
//   call void @pcc_emu_access(ptr %p, i32 16, i32 16, i32 0, i32 3)
//   %v = load <4 x float>, ptr %p, align 16
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Gpu/Instrument.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/TargetParser/Host.h"

using namespace pcc;
using namespace pcc::codegen;

/// The address space of shared memory on NVIDIA's GPUs.
static constexpr unsigned kSharedSpace = 3;

namespace {
class Instrumenter {
public:
  explicit Instrumenter(llvm::Module &module)
      : module(module), context(module.getContext()), b(context),
        i32(b.getInt32Ty()), pointer(b.getPtrTy()) {}

  std::string run(llvm::ArrayRef<DeviceKernel> kernels);

private:
  void instrument(llvm::Function &kernel);
  void visit(llvm::Instruction &instruction);
  void visitAccess(llvm::Instruction &access, llvm::Value *address,
                   llvm::Type *type, llvm::Align alignment, bool isWrite);
  void visitCall(llvm::CallInst &call);
  llvm::Value *visitMatrices(llvm::CallInst &call);
  llvm::Value *visitMultiply(llvm::CallInst &call);
  llvm::Value *makeWords(llvm::CallInst &call, unsigned count);
  void visitRounding(llvm::FPTruncInst &rounding);
  void visitArithmetic(llvm::BinaryOperator &op);
  void fuse(llvm::BinaryOperator &sum);
  llvm::Value *call(llvm::StringRef name, llvm::Type *result,
                    llvm::ArrayRef<llvm::Value *> arguments);
  void takeSharedMemory(llvm::Function &kernel);
  llvm::Function *makeRunner(llvm::Function &kernel, size_t buffers);
  void makeTable(llvm::ArrayRef<DeviceKernel> kernels,
                 llvm::ArrayRef<int64_t> sites);

  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> b;
  llvm::Type *i32;
  llvm::PointerType *pointer;
  int64_t sites = 0;
  std::string problem;
};
} // namespace

llvm::Value *Instrumenter::call(llvm::StringRef name, llvm::Type *result,
                                llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  auto callee = module.getOrInsertFunction(
      name, llvm::FunctionType::get(result, types, false));
  return b.CreateCall(callee, arguments);
}

void Instrumenter::visitAccess(llvm::Instruction &access, llvm::Value *address,
                               llvm::Type *type, llvm::Align alignment,
                               bool isWrite) {
  // The thread's stack and constants are no memory of the kernel.
  const llvm::Value *object = llvm::getUnderlyingObject(address);
  if (llvm::isa<llvm::AllocaInst>(object))
    return;
  auto *global = llvm::dyn_cast<llvm::GlobalVariable>(object);
  if (global && global->isConstant())
    return;
  bool isShared = address->getType()->getPointerAddressSpace() == kSharedSpace;
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(type);
  // A GPU accesses at most 16 bytes at once, and no more than the known
  // alignment; longer accesses are split.
  uint64_t most = std::min<uint64_t>(alignment.value(), 16);
  uint64_t part = std::min(bytes, most);
  b.SetInsertPoint(&access);
  llvm::Value *generic = b.CreateAddrSpaceCast(address, pointer);
  for (uint64_t at = 0; at < bytes; at += part) {
    llvm::Value *begin =
        at ? b.CreateConstGEP1_64(b.getInt8Ty(), generic, at) : generic;
    call("pcc_emu_access", b.getVoidTy(),
         {begin, b.getInt32(std::min(part, bytes - at)), b.getInt32(most),
          b.getInt32(isWrite + 2 * isShared), b.getInt32(sites++)});
  }
}

/// Allocates `count` words on the thread's stack.
llvm::Value *Instrumenter::makeWords(llvm::CallInst &found, unsigned count) {
  llvm::IRBuilder<> entry(
      &*found.getFunction()->getEntryBlock().getFirstInsertionPt());
  return entry.CreateAlloca(llvm::ArrayType::get(i32, count));
}

/// Loads the four words at `words` as the struct that a call returns.
static llvm::Value *loadWords(llvm::IRBuilder<> &b, llvm::CallInst &found,
                              llvm::Value *words) {
  llvm::Value *all = llvm::PoisonValue::get(found.getType());
  for (unsigned i = 0; i < 4; ++i)
    all = b.CreateInsertValue(
        all,
        b.CreateLoad(found.getType()->getStructElementType(i),
                     b.CreateConstGEP1_64(b.getInt32Ty(), words, i)),
        i);
  return all;
}

/// Replaces ldmatrix of four matrices. Each lane passes the address of one row
/// of eight elements.
llvm::Value *Instrumenter::visitMatrices(llvm::CallInst &found) {
  llvm::Value *row = b.CreateAddrSpaceCast(found.getArgOperand(0), pointer);
  call("pcc_emu_access", b.getVoidTy(),
       {row, b.getInt32(16), b.getInt32(16), b.getInt32(2),
        b.getInt32(sites++)});
  llvm::Value *words = makeWords(found, 4);
  bool isTransposed = found.getCalledFunction()->getName().contains(".trans.");
  call("pcc_emu_load_matrices", b.getVoidTy(),
       {row, b.getInt32(isTransposed), b.getInt32(sites++), words});
  return loadWords(b, found, words);
}

/// Replaces mma.m16n8k16 of f16 or bf16, with 4 words of a, 2 of b and 4 sums.
llvm::Value *Instrumenter::visitMultiply(llvm::CallInst &found) {
  llvm::Value *words = makeWords(found, 10), *result = makeWords(found, 4);
  for (unsigned i = 0; i < 10; ++i)
    b.CreateStore(found.getArgOperand(i), b.CreateConstGEP1_64(i32, words, i));
  bool isBfloat = found.getCalledFunction()->getName().ends_with(".bf16");
  call("pcc_emu_multiply", b.getVoidTy(),
       {words, b.CreateConstGEP1_64(i32, words, 4),
        b.CreateConstGEP1_64(i32, words, 6), b.getInt32(isBfloat),
        b.getInt32(sites++), result});
  return loadWords(b, found, result);
}

void Instrumenter::visitCall(llvm::CallInst &found) {
  llvm::Function *callee = found.getCalledFunction();
  if (!callee) {
    problem = "cannot follow calls of pointers";
    return;
  }
  llvm::StringRef name = callee->getName();
  b.SetInsertPoint(&found);
  llvm::Value *result = nullptr;
  auto site = [&] { return b.getInt32(sites++); };
  llvm::StringRef sreg = name;
  if (sreg.consume_front("llvm.nvvm.read.ptx.sreg.")) {
    llvm::StringRef function = llvm::StringSwitch<llvm::StringRef>(sreg)
                                   .Case("tid.x", "pcc_emu_thread")
                                   .Case("ctaid.x", "pcc_emu_block")
                                   .Case("ntid.x", "pcc_emu_block_size")
                                   .Case("nctaid.x", "pcc_emu_grid_size")
                                   .Default("");
    if (!function.empty())
      result = call(function, i32, {});
  } else if (name == "llvm.nvvm.barrier.cta.sync.aligned.all" ||
             name == "llvm.nvvm.barrier0") {
    result = call("pcc_emu_barrier", b.getVoidTy(), {site()});
  } else if (name == "llvm.nvvm.bar.warp.sync") {
    result = call("pcc_emu_sync_warp", b.getVoidTy(),
                  {found.getArgOperand(0), site()});
  } else if (name.starts_with("llvm.nvvm.shfl.sync.bfly.")) {
    llvm::Value *bits = b.CreateBitCast(found.getArgOperand(1), i32);
    llvm::Value *other =
        call("pcc_emu_shuffle", i32,
             {found.getArgOperand(0), bits, found.getArgOperand(2), site()});
    if (found.getType()->isStructTy()) {
      llvm::Value *both = llvm::PoisonValue::get(found.getType());
      both = b.CreateInsertValue(
          both,
          b.CreateBitCast(other, found.getType()->getStructElementType(0)), 0);
      result = b.CreateInsertValue(both, b.getTrue(), 1);
    } else {
      result = b.CreateBitCast(other, found.getType());
    }
  } else if (name.starts_with("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.")) {
    result = visitMatrices(found);
  } else if (name == "llvm.nvvm.mma.m16n8k16.row.col.bf16" ||
             name == "llvm.nvvm.mma.m16n8k16.row.col.f32.f32") {
    result = visitMultiply(found);
  } else if (!name.starts_with("llvm.nvvm.")) {
    return;
  }
  if (!result) {
    problem = "has no " + name.str();
    return;
  }
  found.replaceAllUsesWith(result);
  found.eraseFromParent();
}

/// Replaces truncation to bf16, which not every processor has.
void Instrumenter::visitRounding(llvm::FPTruncInst &rounding) {
  if (!rounding.getType()->getScalarType()->isBFloatTy())
    return;
  b.SetInsertPoint(&rounding);
  auto round = [&](llvm::Value *value) {
    llvm::Value *bits = call("pcc_round_bf16", b.getInt16Ty(),
                             {b.CreateFPCast(value, b.getFloatTy())});
    return b.CreateBitCast(bits, b.getBFloatTy());
  };
  llvm::Value *from = rounding.getOperand(0), *result;
  if (auto *vector =
          llvm::dyn_cast<llvm::FixedVectorType>(rounding.getType())) {
    result = llvm::PoisonValue::get(vector);
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      result = b.CreateInsertElement(result,
                                     round(b.CreateExtractElement(from, i)), i);
  } else {
    result = round(from);
  }
  rounding.replaceAllUsesWith(result);
  rounding.eraseFromParent();
}

/// Whether a value is a multiplication that may be contracted to an FMA.
static bool isFusible(llvm::Value *value) {
  auto *product = llvm::dyn_cast<llvm::BinaryOperator>(value);
  return product && product->getOpcode() == llvm::Instruction::FMul &&
         product->hasAllowContract() && product->hasOneUse();
}

/// Contracts a multiplication and an addition to an FMA, as a GPU does, so that
/// the result is rounded once. Does nothing if there is no such multiplication.
void Instrumenter::fuse(llvm::BinaryOperator &sum) {
  bool isDifference = sum.getOpcode() == llvm::Instruction::FSub;
  if ((!isDifference && sum.getOpcode() != llvm::Instruction::FAdd) ||
      !sum.hasAllowContract())
    return;
  bool isSecond = !isFusible(sum.getOperand(0));
  if (isSecond && !isFusible(sum.getOperand(1)))
    return;
  auto *product = llvm::cast<llvm::BinaryOperator>(sum.getOperand(isSecond));
  llvm::Value *x = product->getOperand(0), *added = sum.getOperand(!isSecond);
  b.SetInsertPoint(&sum);
  if (isDifference) {
    llvm::Value *&subtracted = isSecond ? x : added;
    subtracted = b.CreateFNeg(subtracted);
  }
  sum.replaceAllUsesWith(b.CreateIntrinsic(llvm::Intrinsic::fma,
                                           {sum.getType()},
                                           {x, product->getOperand(1), added}));
  sum.eraseFromParent();
}

/// Replaces arithmetic of bf16, which few CPUs have: computes it in f32 and
/// rounds, which has the same result for a single operation.
void Instrumenter::visitArithmetic(llvm::BinaryOperator &op) {
  llvm::Type *narrow = op.getType();
  if (!narrow->getScalarType()->isBFloatTy())
    return fuse(op);
  llvm::Type *wide = narrow->getWithNewType(b.getFloatTy());
  b.SetInsertPoint(&op);
  llvm::Value *result =
      b.CreateBinOp(op.getOpcode(), b.CreateFPExt(op.getOperand(0), wide),
                    b.CreateFPExt(op.getOperand(1), wide));
  auto *rounding = llvm::cast<llvm::FPTruncInst>(llvm::CastInst::Create(
      llvm::Instruction::FPTrunc, result, narrow, "", op.getIterator()));
  op.replaceAllUsesWith(rounding);
  op.eraseFromParent();
  visitRounding(*rounding);
}

void Instrumenter::visit(llvm::Instruction &instruction) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    visitAccess(*load, load->getPointerOperand(), load->getType(),
                load->getAlign(), false);
  else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    visitAccess(*store, store->getPointerOperand(),
                store->getValueOperand()->getType(), store->getAlign(), true);
  else if (auto *rounding = llvm::dyn_cast<llvm::FPTruncInst>(&instruction))
    visitRounding(*rounding);
  else if (auto *op = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    visitArithmetic(*op);
  else if (llvm::isa<llvm::MemIntrinsic, llvm::AtomicRMWInst,
                     llvm::AtomicCmpXchgInst>(instruction))
    problem = "sees no accesses by " + std::string(instruction.getOpcodeName());
  else if (auto *found = llvm::dyn_cast<llvm::CallInst>(&instruction))
    visitCall(*found);
}

/// Replaces the variable without a size that stands for a block's dynamic
/// shared memory by the emulator's memory.
void Instrumenter::takeSharedMemory(llvm::Function &kernel) {
  llvm::SmallVector<llvm::Constant *> variables;
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == kSharedSpace)
      variables.push_back(&variable);
  llvm::convertUsersOfConstantsToInstructions(variables, &kernel);
  llvm::Value *begin = nullptr;
  for (llvm::Constant *variable : variables) {
    if (!begin) {
      b.SetInsertPoint(&*kernel.getEntryBlock().getFirstInsertionPt());
      begin = b.CreateAddrSpaceCast(call("pcc_emu_shared", pointer, {}),
                                    variable->getType());
    }
    variable->replaceUsesWithIf(begin, [&](llvm::Use &use) {
      auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return user && user->getFunction() == &kernel;
    });
  }
}

void Instrumenter::instrument(llvm::Function &kernel) {
  kernel.setCallingConv(llvm::CallingConv::C);
  kernel.setAttributes({});
  // A stack overflow of a fiber must hit the guard page below its stack.
  kernel.addFnAttr("probe-stack", "inline-asm");
  kernel.setLinkage(llvm::GlobalValue::InternalLinkage);
  sites = 0;
  llvm::SmallVector<llvm::Instruction *> instructions;
  for (llvm::Instruction &instruction : llvm::instructions(kernel))
    instructions.push_back(&instruction);
  for (llvm::Instruction *instruction : instructions)
    visit(*instruction);
  takeSharedMemory(kernel);
}

/// Creates a function that takes the array of the buffers' addresses and calls
/// the kernel.
llvm::Function *Instrumenter::makeRunner(llvm::Function &kernel,
                                         size_t buffers) {
  auto *runner = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {pointer}, false),
      llvm::GlobalValue::InternalLinkage, "run." + kernel.getName(), module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", runner));
  llvm::SmallVector<llvm::Value *> arguments;
  for (size_t i = 0; i < buffers; ++i)
    arguments.push_back(b.CreateLoad(
        pointer, b.CreateConstGEP1_64(pointer, runner->getArg(0), i)));
  b.CreateCall(&kernel, arguments);
  b.CreateRetVoid();
  return runner;
}

/// Defines the array of `struct pcc_emu_kernel` and its length.
void Instrumenter::makeTable(llvm::ArrayRef<DeviceKernel> kernels,
                             llvm::ArrayRef<int64_t> sites) {
  auto constant = [&](llvm::Constant *value) {
    return new llvm::GlobalVariable(module, value->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, value);
  };
  llvm::SmallVector<llvm::Constant *> entries;
  llvm::Type *entry = nullptr;
  for (auto [kernel, count] : llvm::zip(kernels, sites)) {
    llvm::Function *function = module.getFunction(kernel.name);
    llvm::SmallVector<llvm::Constant *> buffers;
    for (const DeviceKernel::Buffer &buffer : kernel.buffers)
      buffers.push_back(llvm::ConstantStruct::getAnon(
          {b.getInt64(buffer.bytes),
           b.getInt32(
               llvm::divideCeil(buffer.element.getIntOrFloatBitWidth(), 8)),
           b.getInt32(buffer.isWritten)}));
    auto *list = llvm::ConstantArray::get(
        llvm::ArrayType::get(buffers.front()->getType(), buffers.size()),
        buffers);
    entries.push_back(llvm::ConstantStruct::getAnon(
        {constant(llvm::ConstantDataArray::getString(context, kernel.name)),
         makeRunner(*function, kernel.buffers.size()), constant(list),
         b.getInt64(kernel.buffers.size()), b.getInt64(kernel.grid),
         b.getInt64(kernel.block), b.getInt64(kernel.shared),
         b.getInt64(count)}));
    entry = entries.back()->getType();
  }
  auto define = [&](llvm::StringRef name, llvm::Constant *value) {
    new llvm::GlobalVariable(module, value->getType(), true,
                             llvm::GlobalValue::ExternalLinkage, value, name);
  };
  if (entry)
    define("pcc_emu_kernels",
           llvm::ConstantArray::get(llvm::ArrayType::get(entry, entries.size()),
                                    entries));
  define("pcc_emu_kernel_count", b.getInt64(entries.size()));
}

std::string Instrumenter::run(llvm::ArrayRef<DeviceKernel> kernels) {
  llvm::SmallVector<int64_t> counts;
  for (const DeviceKernel &kernel : kernels) {
    llvm::Function *function = module.getFunction(kernel.name);
    if (!function)
      return "finds no kernel '" + kernel.name + "'";
    instrument(*function);
    if (!problem.empty())
      return problem;
    counts.push_back(sites);
  }
  makeTable(kernels, counts);
  module.setTargetTriple(llvm::Triple(llvm::sys::getDefaultTargetTriple()));
  // The code generator fills in the host's data layout.
  module.setDataLayout(llvm::DataLayout(""));
  llvm::SmallVector<llvm::Function *> unused;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && function.use_empty())
      unused.push_back(&function);
  for (llvm::Function *function : unused)
    function->eraseFromParent();
  return "";
}

std::string codegen::instrument(llvm::Module &module,
                                llvm::ArrayRef<DeviceKernel> kernels) {
  return Instrumenter(module).run(kernels);
}
