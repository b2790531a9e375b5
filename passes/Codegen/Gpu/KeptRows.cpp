//===- KeptRows.cpp - Rows kept in shared memory --------------------------===//

#include "passes/Codegen/Gpu/KeptRows.h"
#include "passes/Codegen/Gpu/Slice.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

int64_t KeptRows::Row::bytes() const {
  return llvm::alignTo(columns * bytesOf(element), kAccessBytes);
}

namespace {
/// The accesses to one slice of an argument, up to another write to its buffer.
struct Chain {
  Value buffer, offset;
  int64_t columns;
  /// The operand, and whether it is written; in the order of the passes.
  SmallVector<std::pair<OpOperand *, bool>> touches;

  /// The number of reads that an earlier access makes redundant.
  int64_t repeated() const {
    int64_t count = 0;
    for (auto [operand, isWrite] : ArrayRef(touches).drop_front())
      count += !isWrite;
    return count;
  }
};
} // namespace

/// Whether an operand is a slice of device memory with elements of whole bytes.
static bool isRow(OpOperand &operand, Value buffer) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  return type && type.getRank() == 1 && !type.isDynamicDim(0) &&
         isa<BlockArgument>(buffer) && type.getElementTypeBitWidth() % 8 == 0;
}

/// Returns the chains of accesses of a work item's passes. A chain ends when
/// something else is written to its buffer.
static std::vector<Chain> findChains(Block &unit,
                                     ArrayRef<RunningSum> runningSums,
                                     const LayoutLimits &limits) {
  std::vector<Chain> chains;
  // The current chain of each slice whose buffer was not written otherwise
  // since.
  SmallVector<size_t> open;
  auto touch = [&](OpOperand &operand, bool isWrite, int64_t columns) {
    Slice slice = sliceOf(operand.get());
    bool canKeep = isRow(operand, slice.buffer);
    auto isSame = [&](size_t i) {
      return chains[i].buffer == slice.buffer &&
             chains[i].offset == slice.offset && chains[i].columns == columns;
    };
    if (isWrite)
      llvm::erase_if(open, [&](size_t i) {
        return chains[i].buffer == slice.buffer && !(canKeep && isSame(i));
      });
    if (!canKeep)
      return;
    auto it = llvm::find_if(open, isSame);
    if (it == open.end()) {
      chains.push_back({slice.buffer, slice.offset, columns, {}});
      open.push_back(chains.size() - 1);
      it = std::prev(open.end());
    }
    chains[*it].touches.push_back({&operand, isWrite});
  };
  for (Operation &op : unit.without_terminator()) {
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      llvm::erase_if(open, [&](size_t i) {
        return chains[i].buffer == store.getMemRef();
      });
      continue;
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic) {
      if (op.getNumRegions())
        return {};
      continue;
    }
    if (llvm::any_of(runningSums, [&](const RunningSum &running) {
          return running.sum == generic;
        }))
      continue;
    int64_t columns = columnsOf(generic, limits).most;
    for (OpOperand &operand : generic->getOpOperands())
      if (!generic.getMatchingBlockArgument(&operand).use_empty())
        touch(operand, /*isWrite=*/false, columns);
    for (OpOperand &operand : generic.getDpsInitsMutable())
      touch(operand, /*isWrite=*/true, columns);
  }
  return chains;
}

KeptRows::KeptRows(Block &unit, ArrayRef<RunningSum> runningSums,
                   const ThreadLayout &layout, const LayoutLimits &limits,
                   int64_t most) {
  for (Chain &chain : findChains(unit, runningSums, limits)) {
    bool isSame = llvm::any_of(layout.sameRows, [&](const SameRow &row) {
      return row.slice.buffer == chain.buffer &&
             row.slice.offset == chain.offset;
    });
    // Registers hold the rows that all rows of a group read.
    bool isOfAll =
        layout.isOfGroups &&
        (!chain.offset || divisorOf(chain.offset, layout.units) == 0);
    if (isSame || isOfAll || !chain.repeated())
      continue;
    Row row{cast<MemRefType>(chain.buffer.getType()).getElementType(),
            chain.columns};
    if (row.bytes() > most)
      continue;
    most -= row.bytes();
    unsigned number = rows.size();
    rows.push_back(row);
    for (auto [i, touched] : llvm::enumerate(chain.touches)) {
      auto [operand, isWrite] = touched;
      bool isReadLater =
          llvm::any_of(ArrayRef(chain.touches).drop_front(i + 1),
                       [](auto &later) { return !later.second; });
      // An operand may be both read and written: one entry has both.
      Use &use = uses.try_emplace(operand, Use{number}).first->second;
      use.isKept |= !isWrite && i;
      use.keeps |= isReadLater && (isWrite || !i);
    }
  }
}
