//===- Target.cpp - The target processor ----------------------------------===//

#include "passes/Codegen/Emit/Target.h"
#include "passes/Codegen/Emit/Emit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <map>

using namespace mlir;
using namespace pcc;

static llvm::Triple triple() {
  return llvm::Triple(llvm::sys::getDefaultTargetTriple());
}

static const llvm::Target *findTarget(std::string &error) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  return llvm::TargetRegistry::lookupTarget(triple(), error);
}

/// The features that are enabled on this machine's processor.
static std::string hostFeatures() {
  llvm::SubtargetFeatures features;
  // Sorted, as a hash order would make the object nondeterministic.
  std::map<std::string, bool> sorted;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    sorted[feature.first().str()] = feature.second;
  for (const auto &[name, isOn] : sorted)
    features.AddFeature(name, isOn);
  return features.getString();
}

std::unique_ptr<llvm::TargetMachine> pcc::makeTarget(StringRef cpu,
                                                     std::string &error) {
  const llvm::Target *target = findTarget(error);
  if (!target)
    return nullptr;
  bool isNative = cpu == kNativeCpu;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple(), isNative ? llvm::sys::getHostCPUName() : cpu,
      isNative ? hostFeatures() : "", llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// The features that the runtime can check.
static const llvm::StringLiteral asked[] = {
#define PCC_CPU_FEATURE(name, leaf, subleaf, where, bit) name,
#include "runtime/CpuFeatures.def"
};

std::string pcc::resolveCpu(StringRef cpu, std::string &others) {
  if (cpu == kNativeCpu)
    return llvm::sys::getHostCPUName().str();
  std::string error;
  const llvm::Target *target = findTarget(error);
  if (!target)
    return cpu.str(); // makeTarget() will report the error.
  auto isUsable = [&](StringRef name) {
    std::unique_ptr<llvm::MCSubtargetInfo> info(
        target->createMCSubtargetInfo(triple(), name, ""));
    // LLVM also lists 32-bit x86 processors.
    return info && (!triple().isX86() || info->checkFeatures("+64bit"));
  };
  std::unique_ptr<llvm::MCSubtargetInfo> any(
      target->createMCSubtargetInfo(triple(), "", ""));
  if (any->isCPUStringValid(cpu) && isUsable(cpu))
    return cpu.str();
  SmallVector<std::pair<unsigned, StringRef>> near;
  for (const auto &processor : any->getAllProcessorDescriptions()) {
    StringRef name = processor.Key;
    if (isUsable(name))
      near.push_back({cpu.edit_distance(name), name});
  }
  llvm::sort(near);
  SmallVector<StringRef> names;
  for (auto [distance, name] : ArrayRef(near).take_front(4))
    names.push_back(name);
  others = llvm::join(names, ", ");
  return "";
}

bool pcc::multipliesBF16(StringRef cpu) {
  std::string error;
  auto target = makeTarget(cpu, error);
  if (!target || !triple().isX86())
    return false;
  const llvm::MCSubtargetInfo &has = *target->getMCSubtargetInfo();
  return has.checkFeatures("+avx512bf16") || has.checkFeatures("+amx-bf16");
}

int64_t pcc::vectorLanesOf(StringRef cpu) {
  std::string error;
  auto target = makeTarget(cpu, error);
  if (!target || !triple().isX86())
    return 4;
  const llvm::MCSubtargetInfo &has = *target->getMCSubtargetInfo();
  return has.checkFeatures("+avx512f") ? 16 : has.checkFeatures("+avx") ? 8 : 4;
}

/// Adds a constant struct of texts, such as pcc_target.
static void addTexts(llvm::Module &module, ArrayRef<std::string> texts,
                     StringRef name) {
  llvm::LLVMContext &context = module.getContext();
  SmallVector<llvm::Constant *> fields;
  for (const std::string &text : texts) {
    auto *bytes = llvm::ConstantDataArray::getString(context, text);
    fields.push_back(new llvm::GlobalVariable(module, bytes->getType(), true,
                                              llvm::GlobalValue::PrivateLinkage,
                                              bytes, "pcc.text"));
  }
  auto *made = llvm::ConstantStruct::getAnon(fields);
  new llvm::GlobalVariable(module, made->getType(), true,
                           llvm::GlobalValue::ExternalLinkage, made, name);
}

void pcc::addTarget(llvm::Module &module, const llvm::TargetMachine &target) {
  SmallVector<StringRef> used;
  const llvm::MCSubtargetInfo &info = *target.getMCSubtargetInfo();
  if (target.getTargetTriple().isX86())
    for (StringRef name : asked)
      if (info.checkFeatures(("+" + name).str()))
        used.push_back(name);
  addTexts(module, {target.getTargetCPU().str(), llvm::join(used, ",")},
           "pcc_the_target");
}

void pcc::addOrigin(llvm::Module &module, const Origin &origin) {
  addTexts(module, {origin.folder, origin.program, origin.realProgram},
           "pcc_the_origin");
}
