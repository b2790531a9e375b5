//===- Issue.h - Issue of a stage's operations to streams -------*- C++ -*-===//
//
// Issues the operations of a stage to its streams, once for all ranks of the
// stage, in program order. Each operation is appended to a stream, and its
// operands are resolved to addresses in the arena. A rank's host thread does
// the same, and may run ahead of the streams without limit, since control flow
// does not depend on computed values. Missing synchronization is found here;
// values are computed when the operations execute.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_RT_ISSUE_H
#define PCC_INTERPRETER_RT_ISSUE_H

#include "dialects/RT/RT.h"
#include "interpreter/rt/Races.h"
#include <deque>
#include <tuple>

namespace pcc::interp {

/// The memory of an operand of an operation.
struct MemoryOperand {
  /// The layout of the elements, and the offset of the first one in the arena,
  /// in bytes.
  mlir::MemRefType type;
  int64_t offset = 0;
  /// The value of an rt.constant or rt.comm_index, which are not in the arena.
  /// For rt.comm_index, the factor of the index until ArenaMachine::ofRank()
  /// resolves it.
  std::optional<int64_t> constant = std::nullopt;
  rt::CommIndexOp index = nullptr;
  /// For a rank's shard of a bucket: the shard's buffer, the bytes of the
  /// bucket, and, once resolved for a rank, the rank's index along the axes of
  /// the shard.
  rt::BufferOp part = nullptr;
  ByteRange row = {};
  std::optional<int64_t> number = std::nullopt;

  /// Resolves a shard for the rank with this index along its axes.
  MemoryOperand ofRank(int64_t number) const;
  /// Calls visit(offset, first, count) for each contiguous run of elements: its
  /// offset, the row-major index of its first element, and the number of
  /// elements.
  void
  forEachRun(llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) const;
  /// The elements' pcc_dtype, or negative; see analysis/ElementTypes.h.
  int32_t dtype() const;
  /// The type of the elements as a tensor.
  mlir::RankedTensorType tensorType() const {
    return mlir::RankedTensorType::get(type.getShape(), type.getElementType());
  }
  /// The range from the first byte to the last; for an unresolved shard, the
  /// bytes of the bucket.
  ByteRange range() const {
    if (part && !number)
      return row;
    return {offset, offset + rt::getSpanBytes(type)};
  }
  /// Whether both have a byte of the arena in common.
  bool overlaps(const MemoryOperand &other) const;
};

/// A call, and the call of the function that contains it.
struct Caller {
  /// The call, in the function that `outer` calls, or in an entry point.
  rt::CallOp call;
  /// Null for a call in an entry point.
  const Caller *outer;
};

/// A position in a stream.
struct Mark {
  int64_t stream;
  /// The number of operations issued to the stream before it, since the start.
  int64_t count;
};

/// A sequence of operations that must start in program order, on whichever
/// streams: the collectives of a communicator, or the transfers of a channel in
/// one direction.
struct OpSequence {
  /// The kind of operations.
  enum Kind { Collective, Send, Receive };
  Kind kind;
  /// The communicator, or the peer stage and the channel.
  int64_t number, channel;

  bool operator<(const OpSequence &other) const {
    return std::tie(kind, number, channel) <
           std::tie(other.kind, other.number, other.channel);
  }
};

/// An operation that was issued to a stream.
struct Issued {
  /// The op; an op of a body may be issued many times.
  mlir::Operation *op;
  int64_t stream;
  /// The memory operands, in the op's order.
  llvm::SmallVector<MemoryOperand> places;
  /// For an rt.wait: the position that it waits for.
  std::optional<Mark> mark;
  /// For a communication op: its sequences, and its index in each, from 0.
  llvm::SmallVector<std::pair<OpSequence, int64_t>, 2> turns;
  /// For an rt.fill: the microbatch.
  int64_t microbatch = 0;
  /// The call of the function with the op; null for an op of an entry point.
  const Caller *caller;

  /// Emits an error at the op, with notes at the calls.
  mlir::InFlightDiagnostic emitError() const;
};

/// The streams of one stage.
class Issuer {
public:
  /// Without `reportsRaces`, operations that race execute in any order.
  Issuer(rt::StageOp stage, rt::ProgramOp program, bool reportsRaces);

  /// Issues the operations of an entry point. `inputs` are the bytes that the
  /// host wrote since the last entry point. Emits an error for memory outside
  /// the arena, operands that overlap but must not, waits for unrecorded
  /// events, and races.
  mlir::LogicalResult issue(rt::FuncOp entry, llvm::ArrayRef<ByteRange> inputs);

  /// The highest stream number in use, plus one.
  int64_t numStreams() const { return static_cast<int64_t>(streams.size()); }
  /// The number of operations issued to a stream so far.
  int64_t count(int64_t stream) const {
    return streams[stream].forgotten + streams[stream].operations.size();
  }
  /// Operation `index` of a stream, from 0.
  const Issued &get(int64_t stream, int64_t index) const {
    return streams[stream].operations[index - streams[stream].forgotten];
  }
  /// Drops the operations of a stream before `index`.
  void forget(int64_t stream, int64_t index);

private:
  struct Stream {
    std::deque<Issued> operations;
    int64_t forgotten = 0;
    Clock clock;
  };
  /// An event: its symbol and slot.
  using Event = std::pair<mlir::Operation *, int64_t>;
  struct Recorded {
    Mark mark;
    Clock clock;
  };
  /// The memory and events of the values of a function in a call.
  struct Scope {
    llvm::DenseMap<mlir::Value, MemoryOperand> places;
    llvm::DenseMap<mlir::Value, Event> events;
    int64_t frame = 0;
    const Caller *caller = nullptr;
  };

  mlir::LogicalResult walk(mlir::Block &block, Scope &scope);
  mlir::LogicalResult walk(mlir::Operation *op, Scope &scope);
  mlir::LogicalResult call(rt::CallOp op, Scope &scope);
  mlir::LogicalResult wait(rt::WaitOp op, Scope &scope);
  mlir::LogicalResult enqueue(mlir::Operation *op, int64_t stream,
                              Scope &scope);
  mlir::LogicalResult checkPlaces(const Issued &issued);
  mlir::LogicalResult checkRaces(const Issued &issued);
  Stream &streamOf(int64_t number);

  rt::StageOp stage;
  rt::ProgramOp program;
  mlir::SymbolTable symbols;
  bool reportsRaces;
  /// The iteration of the current loop.
  int64_t variable = 0;
  /// Whether any stream other than the compute stream is used.
  bool hasStreams = false;
  std::vector<Stream> streams;
  llvm::DenseMap<Event, Recorded> events;
  std::map<OpSequence, int64_t> turns;
  std::deque<Caller> callers;
  Races races;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RT_ISSUE_H
