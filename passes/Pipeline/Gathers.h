//===- Gathers.h - When a step gathers parameter shards ---------*- C++ -*-===//
//
// Positions of the gathers of parameters in the steps of one stage (g: gather;
// F, B: the tasks of a segment; r: release of the bucket's flat buffer):
//
//   ZeRO 1, 2     g0 g1 g2 g3   F0 F1 F2 F3   B3 B2 B1 B0
//   with tp, cp   g0 g1 g2 F0   g3 F1   F2   F3   B3 B2 B1 B0
//   ZeRO 3        g0   g1 F0 r0   g2 F1 r1   F2   g1 B2 r2   g0 B1 r1   B0 r0
//
// The second line (four segments) and the third (three) need gathers that
// overlap with tasks, as with `ahead` of pipe-schedule. Without it ZeRO 1 and 2
// always have the first line, and ZeRO 3 gathers right before each use.
//
// The second line exists because a device starts collectives and transfers in
// the order of their issue, across all streams. Collectives of tp and cp
// are on the compute stream. After all gathers, the first of them would wait
// until the last gather starts, so until all others have ended.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_PIPELINE_GATHERS_H
#define PCC_PASSES_PIPELINE_GATHERS_H

#include "passes/Pipeline/Steps.h"

namespace pcc {

/// Inserts the gathers of a stage into its steps.
class GatherPlacement {
public:
  /// `symbols`: the module's symbol table.
  explicit GatherPlacement(const mlir::SymbolTable &symbols)
      : symbols(symbols) {}

  /// Sorts gathers, and the tasks that compute their operands, by the first of
  /// `tasks`, which run in this order, that uses the gathered parameters.
  void sortByFirstUse(llvm::SmallVector<pipe::TaskOp> &gathers,
                      llvm::ArrayRef<pipe::TaskOp> tasks) const;

  /// Inserts each gather two runs ahead of the first run that uses it. Both
  /// lists are in the order that sortByFirstUse() expects and returns;
  /// `gathers` outlives `steps`.
  void interleave(std::vector<Step> &steps,
                  llvm::ArrayRef<pipe::TaskOp> gathers,
                  llvm::ArrayRef<pipe::TaskOp> tasks) const;

  /// Gathers buckets that are resident only while a segment runs: each `lead`
  /// runs ahead of a use. Releases it after the use, unless the bucket is used
  /// again before another gather could have ended.
  void gatherForUse(std::vector<Step> &steps,
                    llvm::ArrayRef<pipe::TaskOp> gathers, size_t lead) const;

private:
  llvm::SmallVector<size_t> firstUses(llvm::ArrayRef<pipe::TaskOp> gathers,
                                      llvm::ArrayRef<pipe::TaskOp> tasks) const;

  const mlir::SymbolTable &symbols;
};

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_GATHERS_H
