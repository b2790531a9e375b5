//===- Target.h - The processor that is compiled for ------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_TARGET_H
#define PCC_PASSES_CODEGEN_EMIT_TARGET_H

#include "mlir/Support/LLVM.h"
#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace pcc {

/// A processor by LLVM's name, with all that it has, or "native", this
/// machine's with what is switched on in it. Null, with an error, if LLVM knows
/// none.
std::unique_ptr<llvm::TargetMachine> makeTarget(llvm::StringRef cpu,
                                                std::string &error);

/// Adds what the runtime asks the processor for: runtime/Program.h's
/// pcc_target.
void addTarget(llvm::Module &module, const llvm::TargetMachine &target);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_TARGET_H
