//===- LowerSchedule.h - Schedules as calls of tasks ------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_LOWERSCHEDULE_H
#define PCC_PASSES_CODEGEN_LOWER_LOWERSCHEDULE_H

#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace pcc {

/// The schedules of one stage. An instance of a value lives from the step that
/// makes or receives it to the last that uses it. Where one does when the next
/// one begins, instances take turns in slots, microbatch by microbatch; all
/// such values of a stage have equally many, but for those that come from other
/// stages or leave for them with `overlap`: of these one more is under way, and
/// they have as many as they need. A run that only renames is no call.
///
/// With `overlap` inputs are filled while the stage computes, in slots that
/// take turns, too, where these are fewer than the microbatches: the first one
/// as an entry point begins, every next one ahead of the first step that uses
/// the one before.
class Schedules {
public:
  /// Reads the schedules of stage number `stage`; the module must outlive this.
  Schedules(mlir::ModuleOp module, int64_t stage, bool overlap);

  /// How many slots a value has on the stage, at least 1; none if it lies where
  /// a state does.
  int64_t getSlots(llvm::StringRef value) const;
  /// How many slots an input has that take turns, or 0: then it is filled for
  /// all microbatches before an entry point begins.
  int64_t getTurns(llvm::StringRef input) const { return turns.lookup(input); }

  /// Builds the entry points at the end of the stage.
  void lower(rt::StageOp stage);

private:
  /// When the instances of a value are first and last used.
  struct Lives {
    /// By microbatch; -1 for one that is not.
    std::vector<int64_t> first, last;

    void touch(int64_t microbatch, int64_t moment);
    /// The least distance of microbatches from which on instances never live at
    /// once.
    int64_t findDistance() const;
  };
  void findSlots(pipe::ScheduleOp schedule);
  /// Finds out which inputs are filled while the schedules are run, and where.
  void findFills();

  mlir::SymbolTable symbols;
  bool overlap;
  llvm::SmallVector<pipe::ScheduleOp> schedules;
  /// How many slots each value needs, which are transferred while the stage
  /// computes, and how many slots the others have if they need several.
  llvm::StringMap<int64_t> needed;
  llvm::StringSet<> overlapped;
  int64_t modulus = 1;
  /// By input, how many slots it needs that take turns.
  llvm::StringMap<int64_t> turns;
  /// By run, the inputs that are filled ahead of it, each for the microbatch
  /// behind the run's.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<llvm::StringRef, 2>>
      fills;
  /// By value, the state in whose place the stage makes it.
  llvm::StringMap<llvm::StringRef> places;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_LOWERSCHEDULE_H
