//===- Plan.cpp - Offsets of buffers in the arena -------------------------===//

#include "passes/Codegen/Lower/Plan.h"
#include "passes/Codegen/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_RTPLANPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// A temporary with its life: the first and last op of its task that touches
/// it.
struct Life {
  rt::BufferOp buffer;
  unsigned first, last;
  int64_t bytes;
  int64_t offset = 0;
};

/// The buffer that an address is in, through views; null for arguments.
rt::AddressOp findAddress(Value value) {
  while (auto view = value.getDefiningOp<rt::ViewOp>())
    value = view.getSource();
  return value.getDefiningOp<rt::AddressOp>();
}

/// The lives of the temporaries that a function uses.
SmallVector<Life> findLives(rt::FuncOp function,
                            const llvm::StringMap<rt::BufferOp> &buffers) {
  llvm::MapVector<Operation *, Life> lives;
  for (auto [index, op] : llvm::enumerate(*function.getBlock()))
    for (const rt::Access &access : rt::getAccesses(&op)) {
      rt::AddressOp address = findAddress(access.buffer);
      if (!address)
        continue;
      rt::BufferOp buffer = buffers.lookup(address.getBuffer());
      if (buffer.getKind() != rt::BufferKind::Temporary)
        continue;
      unsigned at = index;
      auto [it, isNew] =
          lives.insert({buffer, Life{buffer, at, at, buffer.getTotalBytes()}});
      it->second.last = at;
    }
  SmallVector<Life> found;
  for (auto &[op, life] : lives)
    found.push_back(life);
  return found;
}

/// Gives every life an offset such that no two that overlap in time overlap in
/// space: largest first, each into the tightest gap that holds it. Returns the
/// bytes needed.
int64_t pack(MutableArrayRef<Life> lives) {
  SmallVector<Life *> order, placed;
  for (Life &life : lives)
    order.push_back(&life);
  // Addresses of lives are in the order of their first use.
  llvm::sort(order, [](const Life *a, const Life *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  int64_t peak = 0;
  for (Life *life : order) {
    // `placed` is sorted by offset.
    int64_t end = 0, best = -1, bestGap = 0;
    for (const Life *other : placed) {
      if (other->last < life->first || life->last < other->first)
        continue;
      int64_t gap = other->offset - end;
      if (gap >= life->bytes && (best < 0 || gap < bestGap)) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, other->offset + other->bytes);
    }
    life->offset = best < 0 ? end : best;
    peak = std::max(peak, life->offset + life->bytes);
    placed.insert(llvm::upper_bound(placed, life,
                                    [](const Life *a, const Life *b) {
                                      return a->offset < b->offset;
                                    }),
                  life);
  }
  return peak;
}

struct RTPlanPass : pcc::impl::RTPlanPassBase<RTPlanPass> {
  void runOnOperation() override {
    for (auto stage : getOperation().getOps<rt::StageOp>())
      planArena(stage);
  }
};

} // namespace

void pcc::planArena(rt::StageOp stage) {
  int64_t end = 0;
  llvm::StringMap<rt::BufferOp> buffers;
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    buffers[buffer.getSymName()] = buffer;
  for (int kind = 0; kind < int(rt::BufferKind::Temporary); ++kind)
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
      if (int(buffer.getKind()) == kind) {
        buffer.setOffset(end);
        end += buffer.getTotalBytes();
      }
  int64_t peak = 0;
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>()) {
    SmallVector<Life> lives = findLives(function, buffers);
    peak = std::max(peak, pack(lives));
    for (const Life &life : lives)
      rt::BufferOp(life.buffer).setOffset(end + life.offset);
  }
  stage.setArena(end + peak);
}
