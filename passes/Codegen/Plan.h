//===- Plan.h - Offsets of buffers, and the memory they take ----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PLAN_H
#define PCC_PASSES_CODEGEN_PLAN_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"
#include <array>

namespace pcc {

/// Bytes of a stage's arena by what they are for; temporaries are the peak
/// over tasks.
struct StageMemory {
  int64_t stage = 0;
  std::array<int64_t, 8> bytes = {}; ///< by rt::BufferKind
  int64_t total = 0;                 ///< of the arena

  int64_t operator[](rt::BufferKind kind) const {
    return bytes[static_cast<int>(kind)];
  }
};

/// Assigns the offsets of a stage's buffers and the size of its arena.
void planArena(rt::StageOp stage);

/// The memory of every planned stage, in the order of the module.
llvm::SmallVector<StageMemory> getMemory(mlir::ModuleOp module);

/// One line per stage for people: the arena and its parts in MiB.
std::string describeMemory(llvm::ArrayRef<StageMemory> stages);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PLAN_H
