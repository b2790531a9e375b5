//===- pcc-kernels.cpp - Runs and inspects kernels for GPUs ---------------===//

#include "mlir/Parser/Parser.h"
#include "passes/Codegen/Gpu/Toolkit.h"
#include "passes/RegisterAll.h"
#include "tools/pcc-kernels/Compare.h"
#include "tools/pcc-kernels/Dump.h"
#include "tools/pcc-kernels/Traffic.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;
namespace cl = llvm::cl;

namespace {
enum class Mode { Compare, Traffic, Ptx, Assemble };

struct CommandLine {
  cl::opt<std::string> input{cl::Positional, cl::init("-"),
                             cl::desc("<module with kernels>")};
  cl::opt<Mode> mode{
      cl::desc("The action on the kernels:"), cl::init(Mode::Compare),
      cl::values(clEnumValN(Mode::Compare, "compare",
                            "run each on the CPU and in the emulator of GPUs, "
                            "and compare (default)"),
                 clEnumValN(Mode::Traffic, "traffic",
                            "print each one's memory traffic in the emulator; "
                            "fails if one moves too much"),
                 clEnumValN(Mode::Ptx, "ptx", "print their PTX"),
                 clEnumValN(Mode::Assemble, "assemble",
                            "assemble them with ptxas; fails if one spills "
                            "registers"))};
  cl::opt<std::string> kernel{"kernel", cl::desc("Only this kernel"),
                              cl::value_desc("name")};
  cl::opt<std::string> gpu{"gpu-arch", cl::desc("The GPU (default sm_90)"),
                           cl::init(chipName(kDefaultChip))};
  cl::opt<uint64_t> seed{"seed", cl::desc("The seed of the random inputs"),
                         cl::init(1)};
  cl::opt<std::string> dump{
      "dump", cl::value_desc("folder"),
      cl::desc("Instead, write the files by which a machine with a GPU "
               "compares or times the kernels")};
  cl::opt<bool> shapes{"shapes-only",
                       cl::desc("With --dump: without data to compare")};
};
} // namespace

/// Returns traffic as a multiple of the minimum; 1 for 0 of 0.
static double timesLeast(int64_t count, int64_t least) {
  return least ? double(count) / double(least) : 1;
}

static int compare(ModuleOp module, const KernelChoice &choice, uint64_t seed) {
  auto runnable = Runnable::create(module, choice);
  if (!runnable)
    return 1;
  int wrong = 0;
  for (const Runnable::Kernel &kernel : runnable->getKernels()) {
    bool mayShare = llvm::any_of(kernel.device.buffers, [](auto &buffer) {
      return buffer.inplace >= 0;
    });
    Comparison worst;
    for (int round = 0; round < 4; ++round) {
      bool isSigned = round % 2, isInPlace = round / 2;
      if (isInPlace && !mayShare)
        break;
      Comparison result = compareKernel(kernel, seed + round, isSigned,
                                        isInPlace, worst.largest);
      if (!result.problem.empty()) {
        llvm::outs() << kernel.device.name << ": " << result.problem << "\n";
        ++wrong;
        break;
      }
      if (!round)
        worst = result;
    }
    llvm::outs() << kernel.device.name << ": " << kernel.device.grid
                 << " blocks of " << kernel.device.block << ", shared "
                 << kernel.device.shared << ", reads "
                 << llvm::format("%.2f", timesLeast(worst.counts.read_sectors,
                                                    worst.leastRead))
                 << ", writes "
                 << llvm::format("%.2f",
                                 timesLeast(worst.counts.written_sectors,
                                            worst.leastWritten))
                 << "\n";
  }
  llvm::outs() << runnable->getKernels().size() << " kernels, " << wrong
               << " wrong\n";
  return wrong ? 1 : 0;
}

static int emit(ModuleOp module, const KernelChoice &choice, Mode mode) {
  auto program = compileForDevice(module, choice);
  if (failed(program))
    return 1;
  std::string toolkit = findCudaToolkit(), chip = chipName(choice.chip);
  auto ptx =
      emitPtx(program->device, chipName(chipOfPtx(choice.chip)), toolkit);
  if (failed(ptx))
    return 1;
  if (mode == Mode::Ptx) {
    llvm::outs() << *ptx;
    return 0;
  }
  auto binary = assemblePtx(module, *ptx, chip, toolkit);
  if (failed(binary))
    return 1;
  int64_t spilled = 0;
  for (const KernelResources &kernel : binary->kernels) {
    llvm::outs() << kernel.name << ": " << kernel.registers << " registers, "
                 << kernel.spillStores << " bytes stored and "
                 << kernel.spillLoads << " loaded by register spills\n";
    spilled += kernel.spillStores || kernel.spillLoads;
  }
  llvm::outs() << binary->kernels.size() << " of " << program->kernels.size()
               << " kernels, " << spilled << " with too few registers\n";
  return spilled || binary->kernels.size() != program->kernels.size();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // LLVM's libraries have flags of their own, some of them named like ours.
  cl::ResetCommandLineParser();
  CommandLine options;
  cl::ParseCommandLineOptions(
      argc, argv, "runs, prints or assembles kernels as GPUs have them\n");
  std::string known;
  KernelChoice choice{options.kernel, chipNumber(options.gpu, known)};
  if (!choice.chip) {
    llvm::errs() << "pcc-kernels: error: --gpu-arch: there is no GPU '"
                 << options.gpu << "'\npcc-kernels: note: there are " << known
                 << "\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllPccDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  context.printOpOnDiagnostic(false);
  auto module = parseSourceFile<ModuleOp>(options.input, sources, &context);
  if (!module)
    return 1;
  if (!options.dump.empty())
    return dumpKernels(*module, choice, options.dump, options.seed,
                       !options.shapes);
  if (options.mode == Mode::Traffic)
    return reportTraffic(*module, choice, options.seed);
  return options.mode == Mode::Compare ? compare(*module, choice, options.seed)
                                       : emit(*module, choice, options.mode);
}
