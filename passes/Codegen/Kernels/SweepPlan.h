//===- SweepPlan.h - The sweeps of a row program ----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_SWEEPPLAN_H
#define PCC_PASSES_CODEGEN_KERNELS_SWEEPPLAN_H

#include "passes/Codegen/Kernels/RowProgram.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <climits>

namespace pcc::codegen {

/// One pass over the columns of a row: reductions and stores whose operands
/// are known at its start.
struct Sweep {
  /// Of a program of groups of rows: whether it comes after all rows.
  bool isAfter;
  /// How many sweeps must have ended before this one.
  int level;
  /// The columns it goes over.
  int64_t extent;
  /// Reductions of the row that it computes.
  llvm::SmallVector<const Node *> reductions;
  /// Outputs that it writes.
  llvm::SmallVector<const Output *> stores;
  /// Of a program of groups of rows: sums over these that it adds to.
  llvm::SmallVector<const Node *> columnSums;
  /// Values kept in a row-sized temporary because a later sweep needs them and
  /// they cost more to compute again than to load.
  llvm::SmallVector<const Node *> temporaries;
};

/// The order in which a program's unit computes. Deterministic, so that what
/// `mayReuse` finds holds for the code that is emitted.
class SweepPlan {
public:
  /// Plans the sweeps of `program`, which must outlive this.
  explicit SweepPlan(const RowProgram &program);

  /// The sweeps of a unit, in order.
  llvm::ArrayRef<Sweep> getSweeps() const { return sweeps; }
  /// Sums over d1, made before any sweep or, where rows are in groups, by those
  /// of each row.
  llvm::ArrayRef<const Node *> getColumnSums() const { return columnSums; }
  /// Whether an output depends on a node.
  bool isLive(const Node *node) const { return live.contains(node); }
  /// The sweep that makes the value available as a row in memory, or -1.
  int getKeptAt(const Node *node) const {
    auto it = keptAt.find(node);
    return it == keptAt.end() ? -1 : it->second;
  }
  /// The last sweep that reads a leaf.
  int getLastRead(const Node *leaf) const {
    auto it = lastRead.find(leaf);
    return it == lastRead.end() ? -1 : it->second;
  }
  /// The sweep that writes an output; entries of rows are written at the end.
  int getStoreTime(const Output &output) const;

private:
  void markLive(const Node *node);
  void visit(const Node *node, int sweep);
  Sweep &sweepFor(bool isAfter, int level, int64_t extent);

  std::vector<Sweep> sweeps;
  llvm::SmallVector<const Node *> columnSums;
  llvm::DenseSet<const Node *> live;
  llvm::DenseMap<const Node *, int> keptAt, lastRead, firstVisit, lastVisit;
  /// Of all temporaries.
  int64_t keptBytes = 0;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_SWEEPPLAN_H
