//===- Target.h - The target processor --------------------------*- C++ -*-===//

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

struct Origin;

/// Creates a target machine for LLVM's CPU name with all its features, or for
/// "native", with the features that are enabled on this machine. Null, with an
/// error, if LLVM has no such target.
std::unique_ptr<llvm::TargetMachine> makeTarget(llvm::StringRef cpu,
                                                std::string &error);

/// Adds the `pcc_target` of runtime/Program.h, by which the runtime checks the
/// processor.
void addTarget(llvm::Module &module, const llvm::TargetMachine &target);

/// Adds the `pcc_origin` of runtime/Program.h, by which the runtime finds the
/// model's files.
void addOrigin(llvm::Module &module, const Origin &origin);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_TARGET_H
