//===- LowerSchedule.h - Lowering of schedules to entry points --*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_LOWERSCHEDULE_H
#define PCC_PASSES_CODEGEN_LOWER_LOWERSCHEDULE_H

#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace pcc {

/// The schedules of one stage. The instance of a value for a microbatch is live
/// from the step that computes or receives it to its last use. If it is still
/// live when the next instance begins, the value has several slots, which
/// microbatches use in turn: microbatch m uses slot m modulo the number of
/// slots.
///
/// All values with several slots have the same number of slots, except values
/// that are transferred between stages with `overlap`. One more instance of
/// those is in flight, and each has as many slots as it needs. A run whose body
/// only renames values is not lowered to a call.
///
/// With `overlap`, inputs are filled while the stage computes, also in slots
/// that are used in turn. The first microbatch is filled when an entry point
/// begins; each next one ahead of the first step that uses the one before.
/// Inputs whose first uses are not in the order of microbatches, or that need
/// more slots than there are microbatches, are filled before an entry point
/// begins.
class Schedules {
public:
  /// Reads the schedules of stage `stage`. The module must outlive this.
  Schedules(mlir::ModuleOp module, int64_t stage, bool overlap);

  /// Returns the number of slots of a value on the stage, at least 1; 0 if it
  /// is stored in the memory of a state.
  int64_t getSlots(llvm::StringRef value) const;
  /// Returns the number of slots of an input that is refilled during an entry
  /// point; 0 if all microbatches are filled before the entry point begins.
  int64_t getRefillSlots(llvm::StringRef input) const {
    return turns.lookup(input);
  }

  /// Builds the entry points at the end of the stage.
  void lower(rt::StageOp stage);

private:
  /// The steps of the first and last use of a value's instances.
  struct LiveSpans {
    /// By microbatch; -1 if a microbatch has no instance.
    std::vector<int64_t> first, last;

    void touch(int64_t microbatch, int64_t moment);
    /// The smallest number of slots with which two instances in the same slot
    /// are never live at the same time.
    int64_t findDistance() const;
  };
  void findSlots(pipe::ScheduleOp schedule);
  /// Finds the inputs that are filled while the schedules run, and the runs
  /// ahead of which they are filled.
  void findFills();

  mlir::SymbolTable symbols;
  bool overlap;
  llvm::SmallVector<pipe::ScheduleOp> schedules;
  /// The slots that each value needs; the values that are transferred while the
  /// stage computes; and the common number of slots of other values with
  /// several slots.
  llvm::StringMap<int64_t> needed;
  llvm::StringSet<> overlapped;
  int64_t modulus = 1;
  /// By input, its slots if it is refilled during an entry point.
  llvm::StringMap<int64_t> turns;
  /// By run, the inputs that are filled ahead of it, each for the run's next
  /// microbatch.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<llvm::StringRef, 2>>
      fills;
  /// By value, the state in whose memory the stage computes it.
  llvm::StringMap<llvm::StringRef> places;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_LOWERSCHEDULE_H
