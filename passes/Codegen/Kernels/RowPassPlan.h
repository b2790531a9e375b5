//===- RowPassPlan.h - Passes of a row program over its rows ----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ROWPASSPLAN_H
#define PCC_PASSES_CODEGEN_KERNELS_ROWPASSPLAN_H

#include "passes/Codegen/Kernels/RowProgram.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <climits>

namespace pcc::codegen {

/// One pass over the columns of a row: reductions and stores whose operands are
/// known at its start.
struct RowPass {
  /// Groups: whether it runs after all rows of the group.
  bool isAfter;
  /// The passes that must precede it.
  int level;
  /// The columns that it covers.
  int64_t extent;
  /// Reductions of the row that it computes.
  llvm::SmallVector<const Node *> reductions;
  /// Outputs that it writes.
  llvm::SmallVector<const Output *> stores;
  /// Groups: the column sums that it accumulates.
  llvm::SmallVector<const Node *> columnSums;
  /// Values stored in a row-sized temporary, because a later pass needs them
  /// and recomputation costs more than a load.
  llvm::SmallVector<const Node *> temporaries;
};

/// The passes of a work item, in order. Deterministic, so that the result of
/// `mayReuse` holds for the emitted code.
class RowPassPlan {
public:
  /// Plans the passes of `program`, which must outlive this.
  explicit RowPassPlan(const RowProgram &program);

  llvm::ArrayRef<RowPass> getPasses() const { return passes; }
  /// Sums over d1. They are computed before any pass or, in Groups, by the
  /// passes over each row.
  llvm::ArrayRef<const Node *> getColumnSums() const { return columnSums; }
  /// Whether an output depends on a node.
  bool isLive(const Node *node) const { return live.contains(node); }
  /// The pass that stores the value as a row in memory, or -1.
  int getKeptAt(const Node *node) const {
    auto it = keptAt.find(node);
    return it == keptAt.end() ? -1 : it->second;
  }
  /// The last pass that reads a leaf, or -1.
  int getLastRead(const Node *leaf) const {
    auto it = lastRead.find(leaf);
    return it == lastRead.end() ? -1 : it->second;
  }
  /// The pass that writes an output. Outputs of one entry per row are written
  /// after all passes over the row (INT_MAX).
  int getStoreTime(const Output &output) const;

private:
  void markLive(const Node *node);
  void visit(const Node *node, int pass);
  RowPass &passFor(bool isAfter, int level, int64_t extent);

  std::vector<RowPass> passes;
  llvm::SmallVector<const Node *> columnSums;
  llvm::DenseSet<const Node *> live;
  llvm::DenseMap<const Node *, int> keptAt, lastRead, firstVisit, lastVisit;
  /// Bytes of all temporaries.
  int64_t keptBytes = 0;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ROWPASSPLAN_H
