//===- Communication.cpp - Matched collectives and transfers --------------===//
//
// A communication operation executes when all participating ranks have reached
// it on some stream. At that moment, all ranks' inputs are read and all results
// are written at once. In a real execution, the accesses may happen at any time
// while the operation runs. That its buffers are not used meanwhile is checked
// by vector clocks.
//
//===----------------------------------------------------------------------===//

#include "interpreter/rt/ArenaMachine.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

SmallVector<int64_t> ArenaMachine::peersOf(int64_t rank, ArrayAttr axes) {
  SmallVector<Coordinates> all = {ranks[rank].coordinates};
  for (auto name : axes.getAsRange<StringAttr>()) {
    std::optional<unsigned> axis = record->getOp().getAxes().find(name);
    if (!axis)
      continue;
    SmallVector<Coordinates> longer;
    for (const Coordinates &peer : all)
      for (int64_t i = 0; i < getProgram().axes[*axis].size; ++i) {
        longer.push_back(peer);
        longer.back()[*axis] = i;
      }
    all = std::move(longer);
  }
  return llvm::map_to_vector(
      all, [&](const Coordinates &peer) { return rankOf(getProgram(), peer); });
}

int64_t ArenaMachine::counterpart(int64_t rank, int64_t stage) {
  Coordinates peer = ranks[rank].coordinates;
  int axis = stageAxis(getProgram());
  if (axis < 0 || stage < 0 || stage >= getProgram().axes[axis].size ||
      stage == ranks[rank].stage)
    return -1;
  peer[axis] = stage;
  return rankOf(getProgram(), peer);
}

const Issued *ArenaMachine::findReady(Rank &rank, int64_t stream) {
  Issuer &issuer = issuers[rank.stage];
  if (rank.doneOf(stream) >= issuer.count(stream))
    return nullptr;
  const Issued &issued = issuer.get(stream, rank.doneOf(stream));
  if (issued.mark && rank.doneOf(issued.mark->stream) < issued.mark->count)
    return nullptr;
  return &issued;
}

MemoryOperand ArenaMachine::ofRank(int64_t rank, const MemoryOperand &place) {
  if (rt::CommIndexOp index = place.index) {
    MemoryOperand own = place;
    own.constant = numberOf(rank, index.getAxes()) * int64_t(index.getTimes());
    return own;
  }
  if (!place.part)
    return place;
  return place.ofRank(numberOf(rank, rt::BufferOp(place.part).getShardAxes()));
}

Issued ArenaMachine::ofRank(int64_t rank, const Issued &issued) {
  Issued own = issued;
  for (MemoryOperand &place : own.places)
    place = ofRank(rank, place);
  return own;
}

void ArenaMachine::invalidateOtherShards(int64_t rank, const Issued &issued) {
  unsigned number = 0;
  llvm::SmallDenseMap<Value, const MemoryOperand *> places;
  for (Value operand : issued.op->getOperands())
    if (isa<MemRefType>(operand.getType()))
      places[operand] = &issued.places[number++];
  for (const rt::Access &access : rt::getAccesses(issued.op)) {
    const MemoryOperand &place = *places.lookup(access.buffer);
    if (!access.isWrite || !place.part)
      continue;
    ByteRange own = rangeOf(rank, place.part);
    Arena &arena = ranks[rank].arena;
    arena.poison({place.row.begin, own.begin});
    arena.poison({own.end, place.row.end});
  }
}

void ArenaMachine::finish(int64_t rank, const Issued &issued) {
  ++ranks[rank].doneOf(issued.stream);
  if (llvm::any_of(issued.places,
                   [](const MemoryOperand &place) { return bool(place.part); }))
    invalidateOtherShards(rank, issued);
}

ArenaMachine::Progress ArenaMachine::advance(int64_t rank, int64_t stream) {
  const Issued *issued = findReady(ranks[rank], stream);
  if (!issued)
    return Progress::Waiting;
  if (rt::isCollective(issued->op))
    return matchCollective(rank, *issued);
  if (!issued->turns.empty())
    return transfer(rank, *issued);
  if (failed(runLocally(rank, ofRank(rank, *issued))))
    return Progress::Failed;
  finish(rank, *issued);
  return Progress::Moved;
}

/// Returns the half of a transfer, the send or the receive, that is next in its
/// sequence: the sequence and the buffer.
static std::optional<std::pair<OpSequence, const MemoryOperand *>>
findHalf(const Issued &issued, OpSequence::Kind kind,
         const std::map<OpSequence, int64_t> &turns) {
  for (auto [i, turn] : llvm::enumerate(issued.turns)) {
    auto done = turns.find(turn.first);
    if (turn.first.kind == kind &&
        (done == turns.end() ? 0 : done->second) == turn.second)
      return std::pair(turn.first, &issued.places[i]);
  }
  return std::nullopt;
}

ArenaMachine::Progress ArenaMachine::transfer(int64_t number,
                                              const Issued &issued) {
  Rank &rank = ranks[number];
  Progress progress = Progress::Waiting;
  for (const auto &[turn, count] : issued.turns) {
    int64_t peerNumber = counterpart(number, turn.number);
    if (peerNumber < 0) {
      issued.emitError() << "names stage " << turn.number
                         << ", which is no other stage";
      return Progress::Failed;
    }
    auto own = findHalf(issued, turn.kind, rank.turns);
    if (!own || own->first < turn || turn < own->first)
      continue;
    Rank &peer = ranks[peerNumber];
    OpSequence wanted = {turn.kind == OpSequence::Send ? OpSequence::Receive
                                                       : OpSequence::Send,
                         rank.stage, turn.channel};
    for (int64_t stream = 0; stream < issuers[peer.stage].numStreams();
         ++stream) {
      const Issued *other = findReady(peer, stream);
      if (!other || rt::isCollective(other->op))
        continue;
      auto half = findHalf(*other, wanted.kind, peer.turns);
      if (!half || half->first < wanted || wanted < half->first)
        continue;
      bool sends = turn.kind == OpSequence::Send;
      ByteRange mine = ofRank(number, *own->second).range(),
                theirs = ofRank(peerNumber, *half->second).range(),
                from = sends ? mine : theirs, to = sends ? theirs : mine;
      if (from.end - from.begin != to.end - to.begin) {
        InFlightDiagnostic diag = (sends ? *other : issued).emitError()
                                  << "receives " << to.end - to.begin
                                  << " bytes on rank "
                                  << (sends ? peerNumber : number);
        diag.attachNote((sends ? issued : *other).op->getLoc())
            << "rank " << (sends ? number : peerNumber) << " sends "
            << from.end - from.begin;
        return Progress::Failed;
      }
      if (failed(copy(sends ? peerNumber : number, to.begin,
                      sends ? number : peerNumber, sends ? issued : *other,
                      from)))
        return Progress::Failed;
      ++rank.turns[turn];
      ++peer.turns[wanted];
      progress = Progress::Moved;
      // A completed operation is removed before another half of this op may
      // match the next one.
      auto isOver = [](const Issued &op, Rank &rank) {
        return llvm::all_of(op.turns, [&](const auto &turn) {
          return rank.turns[turn.first] > turn.second;
        });
      };
      if (isOver(*other, peer))
        finish(peerNumber, *other);
      if (isOver(issued, rank))
        finish(number, issued);
      break;
    }
  }
  return progress;
}

/// Describes the properties of a collective that all ranks must agree on.
static std::string describe(const Issued &issued) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << issued.op->getName();
  if (auto reduce = dyn_cast<rt::AllReduceOp>(issued.op))
    os << ' ' << rt::stringifyReduction(reduce.getReduction());
  if (auto scatter = dyn_cast<rt::ReduceScatterOp>(issued.op))
    os << (scatter.getAdds() ? " that adds" : "");
  os << " of";
  for (const MemoryOperand &place : issued.places)
    os << ' ' << place.type.getNumElements();
  os << " elements of " << issued.places[0].type.getElementType();
  return text;
}

ArenaMachine::Progress ArenaMachine::matchCollective(int64_t number,
                                                     const Issued &issued) {
  auto axes = issued.op->getAttrOfType<ArrayAttr>("axes");
  OpSequence turn = issued.turns[0].first;
  SmallVector<int64_t> peers = peersOf(number, axes);
  SmallVector<const Issued *> all;
  SmallVector<Issued> own;
  for (int64_t peerNumber : peers) {
    Rank &peer = ranks[peerNumber];
    const Issued *found = nullptr;
    for (int64_t stream = 0; stream < issuers[peer.stage].numStreams();
         ++stream) {
      const Issued *other = findReady(peer, stream);
      if (!other || !rt::isCollective(other->op))
        continue;
      auto [itsTurn, count] = other->turns[0];
      if (itsTurn.number == turn.number && peer.turns[itsTurn] == count)
        found = other;
    }
    if (!found)
      return Progress::Waiting;
    all.push_back(found);
  }
  for (auto [peer, other] : llvm::zip_equal(peers, all))
    if (describe(*other) != describe(issued)) {
      InFlightDiagnostic diag = issued.emitError()
                                << "does " << describe(issued) << " on rank "
                                << number;
      diag.attachNote(other->op->getLoc())
          << "rank " << peer << " does " << describe(*other);
      return Progress::Failed;
    }
  for (auto [peer, other] : llvm::zip_equal(peers, all))
    own.push_back(ofRank(peer, *other));
  if (failed(collect(peers, own)))
    return Progress::Failed;
  for (auto [peer, other] : llvm::zip_equal(peers, all)) {
    ++ranks[peer].turns[turn];
    finish(peer, *other);
  }
  return Progress::Moved;
}

/// Returns the elements [first, first + count) of a one-dimensional tensor.
static Tensor slice(const Tensor &from, int64_t first, int64_t count) {
  Tensor part(RankedTensorType::get({count}, from.type.getElementType()));
  if (from.isFloat())
    std::copy_n(from.real.begin() + first, count, part.real.begin());
  else
    std::copy_n(from.integer.begin() + first, count, part.integer.begin());
  return part;
}

/// Combines to[i] with from[i].
static void combine(Tensor &to, const Tensor &from, rt::Reduction how) {
  auto each = [&](auto &a, const auto &b) {
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = how == rt::Reduction::Sum ? a[i] + b[i] : std::max(a[i], b[i]);
  };
  each(to.real, from.real);
  each(to.integer, from.integer);
}

LogicalResult ArenaMachine::collect(ArrayRef<int64_t> peers,
                                    ArrayRef<Issued> issued) {
  auto count = static_cast<int64_t>(peers.size());
  // The inputs of all ranks, read before any result is written.
  auto reduce = dyn_cast<rt::AllReduceOp>(issued[0].op);
  unsigned numInputs = reduce ? issued[0].places.size() : 1;
  std::vector<std::vector<Tensor>> given(numInputs);
  for (unsigned i = 0; i < numInputs; ++i)
    for (const auto &[peer, op] : llvm::zip_equal(peers, issued)) {
      FailureOr<Tensor> value = load(peer, op, i, op.places[i].tensorType());
      if (failed(value))
        return failure();
      given[i].push_back(std::move(*value));
    }
  auto sum = [&](unsigned i, rt::Reduction how) {
    Tensor total = given[i][0];
    for (const Tensor &value : ArrayRef<Tensor>(given[i]).drop_front())
      combine(total, value, how);
    return total;
  };
  if (reduce) {
    for (unsigned i = 0; i < numInputs; ++i) {
      Tensor total = sum(i, reduce.getReduction());
      for (const auto &[peer, op] : llvm::zip_equal(peers, issued))
        store(ranks[peer], op.places[i], total);
    }
    return success();
  }
  // The other collectives move blocks; the output has one block, or one per
  // rank.
  bool gathers = isa<rt::AllGatherOp>(issued[0].op),
       swaps = isa<rt::AllToAllOp>(issued[0].op);
  auto scatter = dyn_cast<rt::ReduceScatterOp>(issued[0].op);
  bool adds = scatter && scatter.getAdds();
  int64_t block = given[0][0].size() / (gathers ? 1 : count);
  int64_t needed = block * (gathers || swaps ? count : 1);
  if (given[0][0].size() != block * (gathers ? 1 : count) ||
      issued[0].places[1].type.getNumElements() != needed)
    return issued[0].emitError()
           << "turns " << given[0][0].size() << " elements into "
           << issued[0].places[1].type.getNumElements() << " on " << count
           << " ranks";
  Tensor total = gathers || swaps ? given[0][0] : sum(0, rt::Reduction::Sum);
  for (int64_t i = 0; i < count; ++i) {
    MemoryOperand to = issued[i].places[1];
    int64_t bytes = block * rt::getElementBytes(to.type.getElementType());
    MemRefType one = MemRefType::get({block}, to.type.getElementType());
    if (!gathers && !swaps) {
      Tensor own = slice(total, i * block, block);
      if (adds) {
        FailureOr<Tensor> before = load(peers[i], issued[i], 1, own.type);
        if (failed(before))
          return failure();
        combine(own, *before, rt::Reduction::Sum);
      }
      store(ranks[peers[i]], to, own);
      continue;
    }
    for (int64_t from = 0; from < count; ++from)
      store(ranks[peers[i]], {one, to.offset + from * bytes},
            slice(given[0][from], gathers ? 0 : i * block, block));
  }
  return success();
}
