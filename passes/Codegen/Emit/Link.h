//===- Link.h - The linker of programs --------------------------*- C++ -*-===//
//
// Programs are linked by lld within pcc, from files that pcc has itself. So no
// compiler is needed, and programs are the same on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_EMIT_LINK_H
#define PCC_PASSES_CODEGEN_EMIT_LINK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace pcc {

/// The arguments of the linker for a program of `target`: those of
/// `libraries`/pcc-link-<target>.txt, where "{lib}" stands for the folder and
/// "{object}" for the file `object`, and `--rpath` for each of `folders`.
/// Fails, with a diagnostic of the module, if the file cannot be read.
mlir::FailureOr<std::vector<std::string>>
readLinkFile(mlir::ModuleOp module, llvm::StringRef libraries,
             llvm::StringRef target, llvm::StringRef object,
             llvm::ArrayRef<std::string> folders);

/// Links an executable `path`. Deterministic. Errors are diagnostics of the
/// module.
mlir::LogicalResult link(mlir::ModuleOp module,
                         llvm::ArrayRef<std::string> arguments,
                         llvm::StringRef path);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_LINK_H
