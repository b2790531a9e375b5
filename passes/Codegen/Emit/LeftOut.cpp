//===- LeftOut.cpp - Parts of LLVM that are left out ----------------------===//
//
// lld initializes every target of LLVM and Polly, for bitcode that it compiles
// when it links. pcc passes it no bitcode. The functions of this file take the
// place of LLVM's for the parts that pcc does not use, so that their code is
// not linked: the linker takes the first library that defines a name.
//
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }

#define PCC_LEAVE_OUT(name)                                                    \
  extern "C" void LLVMInitialize##name();                                      \
  extern "C" void LLVMInitialize##name() {}

// pcc parses no assembly.
#define LLVM_ASM_PARSER(name) PCC_LEAVE_OUT(name##AsmParser)
#include "llvm/Config/AsmParsers.def"

// The targets that pcc compiles for get names that nothing calls.
#define X86 Unused1
#define NVPTX Unused2
#define PCC_LEAVE_OUT_TARGET(name)                                             \
  PCC_LEAVE_OUT(name##Target)                                                  \
  PCC_LEAVE_OUT(name##TargetInfo)                                              \
  PCC_LEAVE_OUT(name##TargetMC)
#define PCC_LEAVE_OUT_PRINTER(name) PCC_LEAVE_OUT(name##AsmPrinter)
#define LLVM_TARGET(name) PCC_LEAVE_OUT_TARGET(name)
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(name) PCC_LEAVE_OUT_PRINTER(name)
#include "llvm/Config/AsmPrinters.def"
#undef X86
#undef NVPTX
