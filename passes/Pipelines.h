//===- Pipelines.h - The way from a model to a program ----------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINES_H
#define PCC_PASSES_PIPELINES_H

#include "passes/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace pcc {

/// A station on the way: what `--emit=<name>` prints. Every phase starts where
/// the one before it ends, and ends with a pass that verifies its border.
struct Phase {
  /// What --emit calls it.
  llvm::StringLiteral name;
  /// What the module is at its end, in a few words, for --help and the
  /// documents.
  llvm::StringLiteral summary;
  /// Adds the passes that lead here from the phase before to a manager of
  /// passes on modules.
  void (*addPasses)(mlir::OpPassManager &manager, const Options &options);
  /// Adds the passes that verify a module at this phase's end, and change
  /// nothing that is printed: a module read from text is checked by them before
  /// anything is made of it. pcc-opt knows them as check-<name>.
  void (*addChecks)(mlir::OpPassManager &manager);
};

/// All phases in order, from "import" to "llvm".
llvm::ArrayRef<Phase> getPhases();

/// The index of a phase, or -1.
int findPhase(llvm::StringRef name);

/// Makes check-<name> of every phase known to pcc-opt.
void registerPhaseChecks();

/// Module attribute that names the phase a module is at, so that the printed
/// form of every phase is valid input again.
inline constexpr llvm::StringLiteral kPhaseAttr = "pcc.phase";
/// The model's name and the file it was read from.
inline constexpr llvm::StringLiteral kModelAttr = "pcc.model";
inline constexpr llvm::StringLiteral kSourceAttr = "pcc.source";

} // namespace pcc

#endif // PCC_PASSES_PIPELINES_H
