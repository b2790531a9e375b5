//===- Pipelines.h - The compilation phases ---------------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINES_H
#define PCC_PASSES_PIPELINES_H

#include "passes/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace pcc {

/// A phase of the compilation; `--emit=<name>` prints its result. A phase
/// starts from the result of the one before it and, except for "import" and
/// "llvm", ends with a pass that verifies its own result.
struct Phase {
  /// The argument of --emit.
  llvm::StringLiteral name;
  /// Describes the module at the end of the phase in a few words, for --help
  /// and the documents.
  llvm::StringLiteral summary;
  /// Adds the phase's passes to a pass manager on modules.
  void (*addPasses)(mlir::OpPassManager &manager, const Options &options);
  /// Adds the passes that verify a module at the end of this phase; they change
  /// nothing that is printed. A module read from text is checked by them before
  /// any other pass runs. pcc-opt registers them as check-<name>.
  void (*addChecks)(mlir::OpPassManager &manager);
};

/// All phases in order, from "import" to "llvm".
llvm::ArrayRef<Phase> getPhases();

/// Returns the index of a phase, or -1.
int findPhase(llvm::StringRef name);

/// Registers check-<name> of every phase, for pcc-opt.
void registerPhaseChecks();

/// The module attribute that names the phase a module is at. With it the
/// printed form of every phase is valid input again.
inline constexpr llvm::StringLiteral kPhaseAttr = "pcc.phase";
/// The module attributes with the model's name and the file it was read from.
inline constexpr llvm::StringLiteral kModelAttr = "pcc.model";
inline constexpr llvm::StringLiteral kSourceAttr = "pcc.source";

} // namespace pcc

#endif // PCC_PASSES_PIPELINES_H
