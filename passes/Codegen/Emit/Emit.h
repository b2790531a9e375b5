//===- Emit.h - Objects and executables -------------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_EMIT_H
#define PCC_PASSES_CODEGEN_EMIT_EMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace pcc {

/// The target processor that stands for the host's; other values are LLVM's CPU
/// names.
inline constexpr llvm::StringLiteral kNativeCpu = "native";

/// Resolves `cpu` to LLVM's CPU name; "native" is the host's. Returns an empty
/// string, with similar names in `others`, if LLVM knows no such processor or
/// only a 32-bit one.
std::string resolveCpu(llvm::StringRef cpu, std::string &others);

/// Whether an x86 processor has bf16 multiply instructions; false for others.
bool multipliesBF16(llvm::StringRef cpu);

/// The number of f32 lanes in an x86 processor's widest vector; 4 for others.
int64_t vectorLanesOf(llvm::StringRef cpu);

/// The target of a compilation.
struct Machine {
  /// The runtime to link: "cpu", "cuda" or "cuda-emulated".
  std::string target = "cpu";
  /// The host processor.
  std::string cpu = kNativeCpu.str();
  /// Compute capabilities of GPUs to compile for, in addition to the default.
  std::vector<int> chips;
};

/// Where a program is written: the pcc_origin of runtime/Program.h.
struct Origin {
  std::string folder, program, realProgram;

  /// The origin of a program at `path`.
  static Origin of(llvm::StringRef path);
};

/// The GEMM workspace that a target's runtime allocates per rank in addition to
/// the arena, in bytes.
int64_t workspaceOf(llvm::StringRef target);

/// Compiles a module in the LLVM dialect for a processor and writes a
/// relocatable object. A gpu.module in it is compiled for GPUs or for the
/// emulator. Deterministic: equal modules yield equal bytes. Errors are
/// diagnostics of the module.
mlir::LogicalResult emitObject(mlir::ModuleOp module, const Machine &machine,
                               llvm::StringRef path);

/// As emitObject(), and links the object with the target's runtime into an
/// executable, whose model is found from `origin`. `libraries` is
/// libraryFolder().
mlir::LogicalResult emitExecutable(mlir::ModuleOp module,
                                   const Machine &machine, const Origin &origin,
                                   llvm::StringRef libraries,
                                   llvm::StringRef path);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_EMIT_H
