//===- Emit.cpp - Objects and executables ---------------------------------===//

#include "passes/Codegen/Emit/Emit.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/Codegen/Emit/Images.h"
#include "passes/Codegen/Emit/Link.h"
#include "passes/Codegen/Emit/Target.h"
#include "passes/Codegen/Emit/UniqueFile.h"
#include "passes/Codegen/Gpu/DeviceCode.h"
#include "passes/Codegen/Gpu/Optimize.h"
#include "passes/Codegen/Gpu/Passes.h"
#include "passes/Codegen/Gpu/Toolkit.h"
#include "runtime/Workspace.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace pcc;

/// Whether the program's own code determines its run time. On other targets
/// kernels run on a GPU, or on the emulator, which intercepts each access.
static bool isFast(const Machine &machine) { return machine.target == "cpu"; }

/// Turns loop strength reduction off, which takes a third of the time of code
/// generation: x86's addresses have a base, an index and an offset, so loops
/// over rows are as fast without it. LLVM has only this option for it.
static void disableStrengthReduction() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto it = options.find("disable-lsr");
  if (it != options.end() && it->second->getNumOccurrences() == 0)
    it->second->addOccurrence(0, "disable-lsr", "true");
}

/// Optimizes a module: at O3 if its code determines the run time; otherwise at
/// O1, and turns optimizations in code generation off.
static void optimize(llvm::Module &module, const Machine &machine,
                     llvm::TargetMachine &host) {
  if (!isFast(machine)) {
    codegen::optimizeModule(module, llvm::OptimizationLevel::O1, &host);
    host.setOptLevel(llvm::CodeGenOptLevel::None);
    return;
  }
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = true;
  // Unrolled loops over a few rows around vectorized loops would take half of
  // the compile time and save no step time.
  tuning.LoopUnrolling = false;
  codegen::optimizeModule(module, llvm::OptimizationLevel::O3, &host, tuning);
  disableStrengthReduction();
}

namespace {
/// The compiled device code: `emulated`, `images`, or neither.
struct DeviceCode {
  std::vector<codegen::DeviceKernel> kernels;
  std::unique_ptr<llvm::Module> emulated;
  std::vector<codegen::DeviceImage> images;
};
} // namespace

/// Checks that every GPU has the shared memory that the kernels need. An
/// earlier compilation with other flags may have chosen their tiles.
static LogicalResult checkShared(Operation *where, const Machine &machine,
                                 ArrayRef<codegen::DeviceKernel> kernels) {
  for (const codegen::DeviceKernel &kernel : kernels)
    for (int chip : machine.chips)
      if (kernel.shared > sharedOfBlock(chip)) {
        InFlightDiagnostic diag =
            where->emitError()
            << "kernel '" << kernel.name << "' needs " << kernel.shared
            << " bytes of a block's shared memory; " << codegen::chipName(chip)
            << " has " << sharedOfBlock(chip);
        diag.attachNote()
            << "pass --gpu-arch to the compilation that ends with "
               "--emit llvm, too";
        return diag;
      }
  return success();
}

/// Moves the device code out of a module and compiles it for the target.
static FailureOr<DeviceCode> takeDeviceCode(ModuleOp module,
                                            const Machine &machine,
                                            llvm::LLVMContext &context) {
  DeviceCode code;
  auto device = module.lookupSymbol<gpu::GPUModuleOp>(codegen::kDeviceModule);
  if (!device)
    return code;
  OwningOpRef<ModuleOp> apart = ModuleOp::create(module.getLoc());
  device->moveBefore(apart->getBody(), apart->getBody()->end());
  code.kernels = codegen::listDeviceKernels(device);
  if (failed(checkShared(module, machine, code.kernels)))
    return failure();
  PassManager convert(module.getContext());
  convert.addPass(createGpuKernelsToNVVMPass());
  if (failed(convert.run(*apart)))
    return failure();
  if (machine.target == "cuda") {
    auto images = codegen::makeDeviceImages(device, machine.chips);
    if (failed(images))
      return failure();
    code.images = std::move(*images);
    return code;
  }
  auto emulated = codegen::emulateDevice(device, code.kernels, context);
  if (failed(emulated))
    return failure();
  code.emulated = std::move(*emulated);
  return code;
}

int64_t pcc::workspaceOf(StringRef target) {
  return target == "cuda" ? PCC_WORKSPACE_BYTES : 0;
}

/// The current folder, without links.
static SmallString<128> currentFolder() {
  SmallString<128> folder;
  if (llvm::sys::fs::real_path(".", folder))
    (void)llvm::sys::fs::current_path(folder);
  return folder;
}

Origin Origin::of(StringRef path) {
  SmallString<128> here = currentFolder(), folder = here, real;
  StringRef parent = llvm::sys::path::parent_path(path);
  if (llvm::sys::path::is_absolute(path))
    folder = parent;
  else
    llvm::sys::path::append(folder, parent);
  llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  if (llvm::sys::fs::real_path(parent.empty() ? "." : parent, real))
    real = folder;
  return {here.str().str(), folder.str().str(), real.str().str()};
}

/// Writes an object; `origin`: that of the program that it becomes, or null.
static LogicalResult writeObject(ModuleOp module, const Machine &machine,
                                 const Origin *origin, StringRef path) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);

  std::string error;
  std::unique_ptr<llvm::TargetMachine> host = makeTarget(machine.cpu, error);
  if (!host)
    return module.emitError() << "cannot compile for this machine: " << error;
  llvm::LLVMContext context;
  // Users see no remarks or warnings of the optimizer.
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        llvm::DiagnosticPrinterRawOStream printer(llvm::errs());
        info->print(printer);
        llvm::errs() << "\n";
      });
  auto device = takeDeviceCode(module, machine, context);
  if (failed(device))
    return failure();
  std::unique_ptr<llvm::Module> compiled =
      translateModuleToLLVMIR(module, context, "pcc");
  if (!compiled)
    return module.emitError("cannot be translated to LLVM IR");
  for (llvm::Module *code : {compiled.get(), device->emulated.get()})
    if (code) {
      code->setTargetTriple(host->getTargetTriple());
      code->setDataLayout(host->createDataLayout());
    }
  if (device->emulated &&
      llvm::Linker::linkModules(*compiled, std::move(device->emulated)))
    return module.emitError("cannot be linked with its device code");
  if (machine.target == "cuda")
    addImages(*compiled, device->images, device->kernels);
  for (llvm::Function &function : *compiled)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", host->getTargetCPU());
      function.addFnAttr("target-features", host->getTargetFeatureString());
    }
  addTarget(*compiled, *host);
  if (origin)
    addOrigin(*compiled, *origin);
  optimize(*compiled, machine, *host);

  std::error_code failed;
  llvm::raw_fd_ostream os(path, failed);
  if (failed)
    return module.emitError()
           << "cannot write '" << path << "': " << failed.message();
  llvm::legacy::PassManager passes;
  if (host->addPassesToEmitFile(passes, os, nullptr,
                                llvm::CodeGenFileType::ObjectFile))
    return module.emitError("this machine's back end writes no objects");
  passes.run(*compiled);
  os.close();
  if (os.has_error()) {
    failed = os.error();
    os.clear_error();
    return module.emitError()
           << "cannot write '" << path << "': " << failed.message();
  }
  return success();
}

LogicalResult pcc::emitObject(ModuleOp module, const Machine &machine,
                              StringRef path) {
  return writeObject(module, machine, /*origin=*/nullptr, path);
}

namespace {
/// Removes a file at the end, also at that of the process by a signal.
class TemporaryFile {
public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (path.empty())
      return;
    llvm::sys::fs::remove(path);
    llvm::sys::DontRemoveFileOnSignal(path);
  }

  /// Creates it among the system's temporary files.
  std::error_code create(StringRef model) {
    SmallString<128> whole;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, whole);
    llvm::sys::path::append(whole, model);
    std::error_code error = createUniqueFile(whole, path);
    if (error)
      path.clear();
    return error;
  }
  StringRef getPath() const { return path; }

private:
  SmallString<128> path;
};
} // namespace

LogicalResult pcc::emitExecutable(ModuleOp module, const Machine &machine,
                                  const Origin &origin, StringRef libraries,
                                  StringRef path) {
  TemporaryFile file;
  if (std::error_code error = file.create("pcc-%%%%%%.o"))
    return module.emitError()
           << "cannot write a temporary file: " << error.message();
  StringRef object = file.getPath();
  // Programs load CUDA's libraries.
  std::vector<std::string> folders;
  if (machine.target == "cuda")
    folders = codegen::cudaLibraryFolders(codegen::findCudaToolkit());
  auto arguments =
      readLinkFile(module, libraries, machine.target, object, folders);
  if (failed(arguments) ||
      failed(writeObject(module, machine, &origin, object)))
    return failure();
  return link(module, *arguments, path);
}
