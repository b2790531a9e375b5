//===- Emit.h - Objects and executables -------------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_H
#define PCC_PASSES_CODEGEN_EMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace pcc {

/// Compiles a module in the LLVM dialect for this machine's processor and
/// writes a relocatable object. The same module gives the same bytes. Errors
/// are diagnostics of the module.
mlir::LogicalResult emitObject(mlir::ModuleOp module, llvm::StringRef path);

/// The same, linked with the CPU runtime into an executable. `libraries` is
/// the folder that holds pcc-link-cpu.txt and what it names.
mlir::LogicalResult emitExecutable(mlir::ModuleOp module,
                                   llvm::StringRef libraries,
                                   llvm::StringRef path);

/// The folder `lib` beside the folder of the running tool.
std::string findLibraries();

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_H
