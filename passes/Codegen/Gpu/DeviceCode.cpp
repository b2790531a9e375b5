//===- DeviceCode.cpp - Machine code for GPUs -----------------------------===//

#include "passes/Codegen/Gpu/DeviceCode.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/Codegen/Gpu/Instrument.h"
#include "passes/Codegen/Gpu/Optimize.h"
#include "passes/Codegen/Gpu/Toolkit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"
#include <set>

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// The PTX version of CUDA 12.0, which has all instructions that the kernels
/// use.
static constexpr llvm::StringLiteral kFeatures = "+ptx80";

/// How a user gets a CUDA toolkit.
static constexpr llvm::StringLiteral kFetchToolkit =
    "fetch one: pip install 'FILE[cuda]' with the FILE of pcc's wheel, or in a "
    "source tree scripts/install-deps --cuda";

static llvm::Triple deviceTriple() {
  return llvm::Triple("nvptx64-nvidia-cuda");
}

static const llvm::Target *findDevice(std::string &error) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  return llvm::TargetRegistry::lookupTarget(deviceTriple(), error);
}

static std::unique_ptr<llvm::TargetMachine> makeDevice(StringRef chip,
                                                       std::string &error) {
  const llvm::Target *target = findDevice(error);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      deviceTriple(), chip, kFeatures, llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// The first architecture with bf16.
static constexpr int kFirstChip = 80;

std::string codegen::chipName(int number) {
  return ("sm_" + Twine(number)).str();
}

int codegen::chipNumber(StringRef chip, std::string &known) {
  std::string error;
  const llvm::Target *target = findDevice(error);
  if (!target) {
    known = error;
    return 0;
  }
  // Architectures with a letter, such as sm_90a, have features that others of
  // their generation lack.
  auto numberOf = [](StringRef name) {
    int number = 0;
    if (!name.consume_front("sm_") || name.getAsInteger(10, number) ||
        number < kFirstChip)
      return 0;
    return number;
  };
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(
      deviceTriple(), chipName(kDefaultChip), ""));
  SmallVector<int> numbers;
  for (const auto &processor : info->getAllProcessorDescriptions())
    if (int number = numberOf(processor.Key))
      numbers.push_back(number);
  llvm::sort(numbers);
  if (llvm::is_contained(numbers, numberOf(chip)))
    return numberOf(chip);
  known = llvm::join(llvm::map_range(numbers, chipName), ", ");
  return 0;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &target) {
  optimizeModule(module, llvm::OptimizationLevel::O3, &target, {},
                 [](llvm::ModulePassManager &passes) {
                   // The pipeline splits vector accesses whose elements are
                   // used one by one; this merges them again.
                   passes.addPass(llvm::createModuleToFunctionPassAdaptor(
                       llvm::LoadStoreVectorizerPass()));
                 });
}

/// Replaces libdevice's exp2f by one instruction, which flushes results below
/// 2^-126 to zero; libdevice's function takes four. Such small terms do not
/// matter in the sums that the kernels compute.
static void flushPowersOfTwo(llvm::Module &module) {
  llvm::Function *exp2 = module.getFunction("__nv_exp2f");
  if (!exp2)
    return;
  exp2->replaceAllUsesWith(llvm::Intrinsic::getOrInsertDeclaration(
      &module, llvm::Intrinsic::nvvm_ex2_approx_ftz, {exp2->getReturnType()}));
  exp2->eraseFromParent();
}

/// Links the functions of libdevice that the module calls.
static LogicalResult linkLibdevice(Operation *where, llvm::Module &module,
                                   StringRef toolkit) {
  flushPowersOfTwo(module);
  bool isNeeded = llvm::any_of(module, [](llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with("__nv_");
  });
  if (!isNeeded)
    return success();
  SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
  llvm::SMDiagnostic problem;
  auto library = llvm::parseIRFile(path, problem, module.getContext());
  if (!library)
    return where->emitError() << "cannot read the CUDA toolkit's '" << path
                              << "': " << problem.getMessage();
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(
          module, std::move(library), llvm::Linker::LinkOnlyNeeded,
          [](llvm::Module &linked, const llvm::StringSet<> &symbols) {
            for (llvm::GlobalValue &value : linked.global_values())
              if (symbols.contains(value.getName()) && !value.isDeclaration())
                value.setLinkage(llvm::GlobalValue::InternalLinkage);
          }))
    return where->emitError() << "cannot link '" << path << "'";
  return success();
}

/// Translates the module to optimized LLVM IR for a chip. Links libdevice's
/// functions if a toolkit is given.
static FailureOr<std::unique_ptr<llvm::Module>>
translate(gpu::GPUModuleOp module, llvm::TargetMachine &device,
          StringRef toolkit, llvm::LLVMContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);
  auto translated = translateModuleToLLVMIR(module, context, "kernels");
  if (!translated)
    return module.emitError("cannot be translated to LLVM IR");
  translated->setTargetTriple(device.getTargetTriple());
  translated->setDataLayout(device.createDataLayout());
  if (!toolkit.empty() && failed(linkLibdevice(module, *translated, toolkit)))
    return failure();
  optimize(*translated, device);
  return std::move(translated);
}

int codegen::chipOfPtx(int chip) { return std::min(chip, kDefaultChip); }

FailureOr<std::string> codegen::emitPtx(gpu::GPUModuleOp module, StringRef chip,
                                        StringRef toolkit) {
  std::string error;
  auto device = makeDevice(chip, error);
  if (!device)
    return module.emitError() << "cannot compile for GPUs: " << error;
  if (toolkit.empty())
    return module.emitError("no CUDA toolkit was found; set CUDA_HOME, or ")
           << kFetchToolkit;
  llvm::LLVMContext context;
  auto translated = translate(module, *device, toolkit, context);
  if (failed(translated))
    return failure();
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream os(ptx);
  llvm::legacy::PassManager passes;
  if (device->addPassesToEmitFile(passes, os, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile))
    return module.emitError("LLVM's NVPTX backend cannot emit PTX");
  passes.run(**translated);
  return ptx.str().str();
}

/// Parses the report of `ptxas -v`.
static std::vector<KernelResources> readReport(StringRef report) {
  std::vector<KernelResources> kernels;
  SmallVector<StringRef> lines;
  report.split(lines, '\n');
  llvm::Regex entry("Compiling entry function '([^']*)'"),
      spills("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads"),
      registers("Used ([0-9]+) registers");
  SmallVector<StringRef> found;
  auto number = [](StringRef text) {
    int64_t value = 0;
    text.getAsInteger(10, value);
    return value;
  };
  for (StringRef line : lines) {
    if (entry.match(line, &found)) {
      kernels.emplace_back();
      kernels.back().name = found[1].str();
    } else if (kernels.empty()) {
      continue;
    } else if (spills.match(line, &found)) {
      kernels.back().spillStores = number(found[1]);
      kernels.back().spillLoads = number(found[2]);
    } else if (registers.match(line, &found)) {
      kernels.back().registers = number(found[1]);
    }
  }
  return kernels;
}

FailureOr<DeviceBinary> codegen::assemblePtx(Operation *where, StringRef ptx,
                                             StringRef chip,
                                             StringRef toolkit) {
  SmallString<128> ptxas(toolkit);
  llvm::sys::path::append(ptxas, "bin", "ptxas");
  if (toolkit.empty() || !llvm::sys::fs::can_execute(ptxas))
    return where->emitError() << "the CUDA toolkit has no '" << ptxas
                              << "'; set CUDA_HOME, or " << kFetchToolkit;
  SmallString<128> paths[3];
  const char *endings[] = {"ptx", "cubin", "log"};
  llvm::FileRemover removers[3];
  for (int i = 0; i < 3; ++i) {
    if (std::error_code failed = llvm::sys::fs::createTemporaryFile(
            "pcc-kernels", endings[i], paths[i]))
      return where->emitError()
             << "cannot write a temporary file: " << failed.message();
    removers[i].setFile(paths[i]);
  }
  {
    std::error_code failed;
    llvm::raw_fd_ostream os(paths[0], failed);
    os << ptx;
    os.close();
    if (failed || os.has_error()) {
      failed = failed ? failed : os.error();
      os.clear_error();
      return where->emitError()
             << "cannot write '" << paths[0] << "': " << failed.message();
    }
  }
  std::string architecture = ("-arch=" + chip).str();
  StringRef arguments[] = {ptxas, architecture, "-O3",   "-v",
                           "-o",  paths[1],     paths[0]};
  std::optional<StringRef> redirects[] = {StringRef(""), paths[2].str(),
                                          paths[2].str()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                         redirects, 0, 0, &message);
  auto log = llvm::MemoryBuffer::getFile(paths[2]);
  StringRef said = log ? (*log)->getBuffer() : StringRef();
  if (status)
    return where->emitError()
           << "ptxas failed: " << message << said.take_front(4000);
  auto cubin = llvm::MemoryBuffer::getFile(paths[1]);
  if (!cubin)
    return where->emitError()
           << "cannot read the output of ptxas: " << cubin.getError().message();
  return DeviceBinary{(*cubin)->getBuffer().str(), readReport(said)};
}

FailureOr<std::vector<DeviceImage>>
codegen::makeDeviceImages(gpu::GPUModuleOp module, ArrayRef<int> chips) {
  std::string toolkit = findCudaToolkit();
  auto forDefault = emitPtx(module, chipName(kDefaultChip), toolkit);
  if (failed(forDefault))
    return failure();
  std::set<int> all(chips.begin(), chips.end());
  all.insert(kDefaultChip);
  std::vector<DeviceImage> images;
  for (int chip : all) {
    FailureOr<std::string> ptx = forDefault;
    if (int own = chipOfPtx(chip); own != kDefaultChip)
      ptx = emitPtx(module, chipName(own), toolkit);
    if (failed(ptx))
      return failure();
    auto binary = assemblePtx(module, *ptx, chipName(chip), toolkit);
    if (failed(binary))
      return failure();
    images.push_back({chip, /*isPtx=*/false, std::move(binary->cubin)});
  }
  images.push_back({kDefaultChip, /*isPtx=*/true, std::move(*forDefault)});
  return images;
}

FailureOr<std::unique_ptr<llvm::Module>>
codegen::emulateDevice(gpu::GPUModuleOp module, ArrayRef<DeviceKernel> kernels,
                       llvm::LLVMContext &context) {
  std::string error;
  auto device = makeDevice(chipName(kDefaultChip), error);
  if (!device)
    return module.emitError() << "cannot compile for GPUs: " << error;
  auto translated = translate(module, *device, /*toolkit=*/"", context);
  if (failed(translated))
    return failure();
  error = instrument(**translated, kernels);
  if (!error.empty())
    return module.emitError() << "the emulator " << error;
  return translated;
}
