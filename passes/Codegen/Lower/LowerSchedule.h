//===- LowerSchedule.h - Schedules as calls of tasks ------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_LOWERSCHEDULE_H
#define PCC_PASSES_CODEGEN_LOWER_LOWERSCHEDULE_H

#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc {

/// The schedules of one stage. Instances of a value share slots when their
/// lives, from the step that makes or receives one to the last that uses it,
/// do not overlap.
class Schedules {
public:
  /// Reads the schedules of stage number `stage`; the module must outlive this.
  Schedules(mlir::ModuleOp module, int64_t stage);

  /// How many instances of a value the stage holds at once, at least 1.
  int64_t getSlots(llvm::StringRef value) const;

  /// Builds the entry points at the end of the stage.
  mlir::LogicalResult lower(rt::StageOp stage);

private:
  /// A value's instances by microbatch, in one schedule.
  struct Instance {
    llvm::StringRef value;
    int64_t microbatch;
    unsigned first, last;
    int64_t slot = 0;
  };
  struct Entry {
    pipe::ScheduleOp schedule;
    llvm::SmallVector<Instance> instances;
    /// Indices into instances.
    llvm::StringMap<llvm::DenseMap<int64_t, unsigned>> byValue;
  };
  void findInstances(Entry &entry);
  mlir::LogicalResult lowerEntry(Entry &entry, rt::StageOp stage);

  mlir::SymbolTable symbols;
  llvm::SmallVector<Entry> entries;
  llvm::StringMap<int64_t> slots;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_LOWERSCHEDULE_H
