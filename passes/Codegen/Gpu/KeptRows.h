//===- KeptRows.h - Rows that are read once ---------------------*- C++ -*-===//
//
// A row is swept several times: for a sum, for what follows from it. Device
// memory is touched by the first of them only:
//
//     sweep 0   sum += x[c]                 x[c] also goes to shared memory
//     sweep 1   y[c] = (x[c] - sum / n)     x[c] comes from there
//
// A thread has the same columns in all sweeps of equal length: it reads what it
// has itself left there, and nobody waits. So it is with what a sweep writes
// and a later one reads.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_KEPTROWS_H
#define PCC_PASSES_CODEGEN_GPU_KEPTROWS_H

#include "passes/Codegen/Gpu/RunningSum.h"
#include "passes/Codegen/Gpu/ThreadLayout.h"

namespace pcc::codegen {

/// What the sweeps of a unit keep of the rows that they touch.
class KeptRows {
public:
  /// What a sweep does with a row that is kept.
  struct Use {
    /// The number of the row.
    unsigned row;
    /// It is read from where it is kept.
    bool isKept = false;
    /// What is read or written goes there.
    bool keeps = false;
  };
  /// A row that is kept.
  struct Row {
    /// What an element is.
    mlir::Type element;
    /// Its length.
    int64_t columns;
    /// Its bytes as they lie in shared memory.
    int64_t bytes() const;
  };

  /// Plans a unit's, which have at most `most` bytes. Those of the layout that
  /// are the same for all units are left out. There are none where sweeps are
  /// in loops or branches. Sweeps that are made in one read once.
  KeptRows(mlir::Block &unit, llvm::ArrayRef<RunningSum> runningSums,
           const ThreadLayout &layout, const LayoutLimits &limits,
           int64_t most);

  /// The rows; numbers are places here.
  llvm::ArrayRef<Row> getRows() const { return rows; }
  /// What is done at an operand of a generic; null: nothing.
  const Use *find(mlir::OpOperand &operand) const {
    auto it = uses.find(&operand);
    return it == uses.end() ? nullptr : &it->second;
  }

private:
  llvm::SmallVector<Row> rows;
  llvm::DenseMap<mlir::OpOperand *, Use> uses;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_KEPTROWS_H
