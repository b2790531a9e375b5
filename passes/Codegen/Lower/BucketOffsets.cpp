//===- BucketOffsets.cpp - Buckets with several offsets -------------------===//
//
// A bucket of gradients or of gathered weights is filled, used and killed
// repeatedly. With a single offset, it conflicts with every buffer that is live
// during any of these times. So three buckets, two of which are live at once,
// may need memory for three:
//
//     time           ------------------->
//     one offset     a a . . a a . . a a      a meets b, b meets c, c meets a
//                    . b b . . b b . . b
//                    . . c c . . c c . .
//
//     two            a a c c b b a a c c      each bucket in either
//                    . b b a a c c b b a
//
// Since the bucket is dead in between, each fill may use another offset. Uses
// that are tied to the same offset are those that the same address refers to.
// In a loop, an address refers to another fill in each iteration. There, an
// address may cycle through several offsets: 4 or 3 if that divides the number
// of slots of values, so that their cycles have a common period; else 2. A
// bucket that is filled in one iteration and used in the next has the same
// offset in both:
//
//     rt.call @gather(%0)              offset 0
//     rt.for %m = 1 to 5 {
//       rt.call @forward(%1)           offsets 0, 1 in turn
//       rt.release %2                  offsets 0, 1
//       rt.call @gather(%3)            offsets 1, 0
//     }
//     rt.call @forward(%4)             offset 0
//
// Streams were ordered for buckets with one offset, where a fill waits for all
// uses of the previous contents. With several offsets, the same waits remain,
// so they order more than necessary.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/BucketOffsets.h"
#include "passes/Codegen/Lower/LiveRanges.h"

using namespace mlir;
using namespace pcc;

/// The maximum number of offsets that an address in a loop cycles through. The
/// verifier does not simulate more iterations to see that they repeat.
static constexpr int64_t kMostTurns = 4;

void pcc::resetOffsets(rt::StageOp stage) {
  SymbolTable symbols(stage);
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    if (buffer.isInBucket()) {
      buffer.setSlots(1);
      buffer.removeOthersAttr();
    }
  stage.walk([&](rt::AddressOp address) {
    if (!symbols.lookup<rt::BufferOp>(address.getBuffer()).isInBucket())
      return;
    address.getLoopMutable().clear();
    address.setSlot(0);
    address.removeAmongAttr();
  });
}

BucketOffsets::BucketOffsets(rt::StageOp stage,
                             const rt::PersistentBuffers &persistent)
    : symbols(stage) {
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    if (buffer.getKind() == rt::BufferKind::Bucket &&
        !persistent.isReserved(buffer))
      rows[buffer] = {};
  stage.walk([&](rt::ForOp loop) {
    int64_t period = findPeriod(loop, [&](rt::AddressOp address) {
      return symbols.lookup<rt::BufferOp>(address.getBuffer());
    });
    int64_t count = kMostTurns;
    while (count > 2 && period % count != 0)
      --count;
    turns[loop] = count;
  });
  for (StringRef name : rt::kEntries)
    if (auto entry = symbols.lookup<rt::FuncOp>(name)) {
      held.clear();
      follow(*entry.getBlock(), 0);
    }
  places.resize(numbers.size());
  for (auto [name, number] : numbers) {
    auto address = cast<rt::AddressOp>(name.first);
    Row &row = rows[rowOf(address)];
    unsigned leader = leaderOf(number);
    places[number] = leader == number ? row.places++ : places[leader];
    row.addresses.insert(address);
  }
}

unsigned BucketOffsets::leaderOf(unsigned number) {
  while (leaders[number] != number)
    number = leaders[number] = leaders[leaders[number]];
  return number;
}

unsigned BucketOffsets::countOffsets(rt::BufferOp row) const {
  return std::max(rows.lookup(row).places, 1u);
}

BucketOffsets::Name BucketOffsets::nameOf(rt::AddressOp address,
                                          int64_t variable) const {
  auto loop = dyn_cast<rt::ForOp>(address->getParentOp());
  return {address, loop ? variable % getTurns(loop) : 0};
}

unsigned BucketOffsets::placeOf(rt::AddressOp address, int64_t variable) const {
  auto found = numbers.find(nameOf(address, variable));
  // An unused address.
  return found == numbers.end() ? 0 : places[found->second];
}

Operation *BucketOffsets::rowOf(Value value) const {
  auto address = rt::getViewedBuffer(value).getDefiningOp<rt::AddressOp>();
  if (!address)
    return nullptr;
  auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
  if (auto row = buffer.getBucket())
    buffer = symbols.lookup<rt::BufferOp>(*row);
  return rows.contains(buffer) ? buffer.getOperation() : nullptr;
}

/// Whether an op that takes a whole bucket kills it.
bool BucketOffsets::isDeadAfterCall(Operation &op, OpOperand &operand) const {
  auto address = operand.get().getDefiningOp<rt::AddressOp>();
  if (!address ||
      symbols.lookup<rt::BufferOp>(address.getBuffer()) != rowOf(operand.get()))
    return false;
  auto call = dyn_cast<rt::CallOp>(op);
  return call ? symbols.lookup<rt::FuncOp>(call.getCallee())
                    .isDeadAfterCall(operand.getOperandNumber())
              : isa<rt::ReleaseOp>(op);
}

void BucketOffsets::follow(Operation &op, int64_t variable) {
  SmallVector<Operation *> over;
  for (OpOperand &operand : op.getOpOperands()) {
    Operation *row = isa<MemRefType>(operand.get().getType())
                         ? rowOf(operand.get())
                         : nullptr;
    if (!row)
      continue;
    auto address =
        rt::getViewedBuffer(operand.get()).getDefiningOp<rt::AddressOp>();
    auto [name, isFirst] =
        numbers.try_emplace(nameOf(address, variable), leaders.size());
    unsigned number = name->second;
    if (isFirst)
      leaders.push_back(number);
    // All names of the bucket while it is live share an offset.
    unsigned first = leaderOf(held.try_emplace(row, number).first->second);
    unsigned second = leaderOf(number);
    leaders[std::max(first, second)] = std::min(first, second);
    if (isDeadAfterCall(op, operand))
      over.push_back(row);
  }
  for (Operation *row : over)
    held.erase(row);
}

void BucketOffsets::follow(Block &ops, int64_t variable) {
  for (Operation &op : ops) {
    auto loop = dyn_cast<rt::ForOp>(op);
    if (!loop) {
      if (!isa<rt::ViewOp>(op))
        follow(op, variable);
      continue;
    }
    // After two periods the iterations repeat, except for the last ones.
    int64_t end = loop.getEnd(), period = getTurns(loop);
    for (int64_t at = loop.getBegin(); at < end; ++at) {
      if (at == int64_t(loop.getBegin()) + 2 * period)
        at += std::max<int64_t>(end - at, 0) / period * period;
      if (at < end)
        follow(*loop.getBlock(), at);
    }
  }
}

namespace {

/// The slots of a bucket, in the order in which they are assigned to its
/// addresses.
class SlotTable {
public:
  SmallVector<int64_t> offsets;

  /// Returns the slot at an offset; adds it if there is none.
  int64_t find(int64_t offset);
  /// Returns consecutive slots with these offsets in turn; adds them if there
  /// are none. The result is the first slot, and the phase by which the loop's
  /// variable is advanced.
  std::pair<int64_t, int64_t> find(ArrayRef<int64_t> inTurn);

private:
  /// The first slot and the number of slots of each cycle.
  SmallVector<std::pair<int64_t, int64_t>> rings;
};

} // namespace

int64_t SlotTable::find(int64_t offset) {
  int64_t slot = llvm::find(offsets, offset) - offsets.begin();
  if (slot == int64_t(offsets.size()))
    offsets.push_back(offset);
  return slot;
}

std::pair<int64_t, int64_t> SlotTable::find(ArrayRef<int64_t> inTurn) {
  int64_t count = inTurn.size();
  for (auto [first, size] : rings)
    for (int64_t ahead = 0; size == count && ahead < count; ++ahead) {
      auto isThere = [&, first = first](int64_t turn) {
        return offsets[first + (turn + ahead) % count] == inTurn[turn];
      };
      if (llvm::all_of(llvm::seq(count), isThere))
        return {first, ahead};
    }
  int64_t first = offsets.size();
  rings.push_back({first, count});
  llvm::append_range(offsets, inTurn);
  return {first, 0};
}

void BucketOffsets::assign(rt::BufferOp row, ArrayRef<int64_t> offsets) {
  SlotTable table;
  const Row &own = rows.find(row)->second;
  /// By address, its offsets in turn.
  SmallVector<std::pair<rt::AddressOp, SmallVector<int64_t, kMostTurns>>> found;
  for (Operation *op : own.addresses) {
    auto address = cast<rt::AddressOp>(op);
    auto loop = dyn_cast<rt::ForOp>(address->getParentOp());
    auto &inTurn =
        found.emplace_back(address, SmallVector<int64_t, 4>()).second;
    int64_t begin = loop ? int64_t(loop.getBegin()) : 0,
            end = loop ? int64_t(loop.getEnd()) : 1,
            count = loop ? getTurns(loop) : 1;
    // Offsets of iterations that the loop does not run are irrelevant.
    inTurn.assign(count, offsets[placeOf(address, begin)]);
    for (int64_t at = begin; at < std::min(end, begin + count); ++at)
      inTurn[at % count] = offsets[placeOf(address, at)];
  }
  // Addresses that cycle come first: the slots of others may be among theirs.
  for (bool haveTurns : {true, false})
    for (auto &[address, inTurn] : found) {
      if (llvm::all_equal(inTurn) == haveTurns)
        continue;
      if (!haveTurns) {
        address.setSlot(table.find(inTurn.front()));
        continue;
      }
      auto [first, ahead] = table.find(inTurn);
      auto loop = cast<rt::ForOp>(address->getParentOp());
      address.getLoopMutable().assign(loop.getBlock()->getArgument(0));
      address.setSlot(ahead);
      address.setAmong(
          ArrayRef<int64_t>{first, first + int64_t(inTurn.size())});
    }
  if (table.offsets.empty())
    table.offsets.push_back(offsets.front());
  row.setSlots(table.offsets.size());
  row.setOffset(table.offsets.front());
  row.removeOthersAttr();
  if (table.offsets.size() > 1)
    row.setOthers(ArrayRef(table.offsets).drop_front());
}
