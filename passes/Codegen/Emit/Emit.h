//===- Emit.h - Objects and executables -------------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_EMIT_H
#define PCC_PASSES_CODEGEN_EMIT_EMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace pcc {

/// This machine's processor as a target; others have LLVM's names.
inline constexpr llvm::StringLiteral kNativeCpu = "native";

/// LLVM's name of the processor that `cpu` means: its own or, of "native", this
/// machine's. Empty, with the nearest names in `others`, where there is none.
std::string resolveCpu(llvm::StringRef cpu, std::string &others);

/// Whether a processor, by the same names, multiplies bf16 itself.
bool multipliesBF16(llvm::StringRef cpu);

/// The f32 numbers of a processor's widest vector.
int64_t vectorLanesOf(llvm::StringRef cpu);

/// What is compiled for.
struct Machine {
  /// Whose runtime it is: "cpu", "cuda" or "cuda-emulated".
  std::string target = "cpu";
  /// The host's processor.
  std::string cpu = kNativeCpu.str();
  /// GPUs, by number, beside the default.
  std::vector<int> chips;
};

/// Bytes that a rank of a target has beside its arena.
int64_t workspaceOf(llvm::StringRef target);

/// Compiles a module in the LLVM dialect for a processor and writes a
/// relocatable object; a gpu.module in it, for GPUs or the emulator of them.
/// The same module gives the same bytes. Errors are diagnostics of the module.
mlir::LogicalResult emitObject(mlir::ModuleOp module, const Machine &machine,
                               llvm::StringRef path);

/// The same, linked with the target's runtime into an executable. `libraries`
/// is the folder that holds pcc-link-<target>.txt and what it names.
mlir::LogicalResult emitExecutable(mlir::ModuleOp module,
                                   const Machine &machine,
                                   llvm::StringRef libraries,
                                   llvm::StringRef path);

/// The folder `lib` beside the folder of the running tool.
std::string findLibraries();

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_EMIT_H
