//===- Issue.h - What a stage's streams are given, in order -----*- C++ -*-===//
//
// A program is walked once for all ranks of a stage, in program order: every
// operation gets its place in a stream, and its operands become places in the
// arena. This is what a rank's host thread does, as far ahead of the streams as
// it likes, for nothing in a program depends on what is computed. Whether the
// events order what they must is found here; what is computed is found when
// the operations are done.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_RT_ISSUE_H
#define PCC_INTERPRETER_RT_ISSUE_H

#include "dialects/RT/RT.h"
#include "interpreter/rt/Races.h"
#include <deque>
#include <tuple>

namespace pcc::interp {

/// What an operand of an operation is.
struct Place {
  /// The elements; the first lies at `offset`, in bytes.
  mlir::MemRefType type;
  int64_t offset = 0;
  /// Of an rt.constant or rt.comm_index, which are not in the arena; of the
  /// latter, until one rank is asked, times what.
  std::optional<int64_t> constant = std::nullopt;
  rt::CommIndexOp index = nullptr;
  /// Of a buffer that is a rank's part of a row: that buffer, the bytes of the
  /// row, and the rank's number along the axes of the part, once one is asked.
  rt::BufferOp part = nullptr;
  ByteRange row = {};
  std::optional<int64_t> number = std::nullopt;

  /// What it is to the rank with this number; its offset is the rank's then.
  Place ofRank(int64_t number) const;
  /// Calls visit(offset, first, count) for the runs of elements that lie one
  /// after the other: their place, and the row-major number of the first.
  void
  forEachRun(llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) const;
  /// The elements as a tensor of their shape.
  mlir::RankedTensorType tensorType() const {
    return mlir::RankedTensorType::get(type.getShape(), type.getElementType());
  }
  /// From the first byte to behind the last; of a part that may be any rank's
  /// the row.
  ByteRange range() const {
    if (part && !number)
      return row;
    return {offset, offset + rt::getSpanBytes(type)};
  }
  /// Whether both have a byte of the arena in common.
  bool overlaps(const Place &other) const;
};

/// A call, and the one that the caller was called by, if any.
struct Caller {
  /// In the function that `outer` calls, or in an entry point.
  rt::CallOp call;
  /// Null for a call of an entry point.
  const Caller *outer;
};

/// So many operations of a stream.
struct Mark {
  /// The stream's number.
  int64_t stream;
  /// So many of the operations that it was given since the start.
  int64_t count;
};

/// What must begin in program order whatever streams it is on: the collectives
/// of a communicator, and the messages of a channel in one direction.
struct Turn {
  /// What takes turns.
  enum Kind { Collective, Send, Receive };
  /// Of these.
  Kind kind;
  /// The communicator, or the other stage and the channel.
  int64_t number, channel;

  bool operator<(const Turn &other) const {
    return std::tie(kind, number, channel) <
           std::tie(other.kind, other.number, other.channel);
  }
};

/// An operation of a stream.
struct Issued {
  /// The op that issued it; one of a body may have issued many.
  mlir::Operation *op;
  /// The number of its stream.
  int64_t stream;
  /// Of its operands, those of an rt.wait left out.
  llvm::SmallVector<Place> places;
  /// Of an rt.wait: what it waits for.
  std::optional<Mark> mark;
  /// Of an op between ranks: which of its turn it is, from 0.
  llvm::SmallVector<std::pair<Turn, int64_t>, 2> turns;
  /// Of an rt.fill: for which microbatch it is.
  int64_t microbatch = 0;
  /// Null for an op of an entry point.
  const Caller *caller;

  /// An error at the op, with notes where it was called from.
  mlir::InFlightDiagnostic emitError() const;
};

/// The streams of one stage.
class Issuer {
public:
  /// Without `reportsRaces`, what races is done in whatever order.
  Issuer(rt::StageOp stage, rt::ProgramOp program, bool reportsRaces);

  /// Gives the streams what an entry point has for them. `inputs`: what the
  /// host wrote since the last one ended. An error for what lies outside the
  /// arena, overlaps where it must not, waits for nothing or races.
  mlir::LogicalResult issue(rt::FuncOp entry, llvm::ArrayRef<ByteRange> inputs);

  /// The number of streams that were given anything, and of all before them.
  int64_t numStreams() const { return static_cast<int64_t>(streams.size()); }
  /// How many operations a stream was given so far.
  int64_t count(int64_t stream) const {
    return streams[stream].forgotten + streams[stream].operations.size();
  }
  /// Operation number `index`, from 0, of a stream.
  const Issued &get(int64_t stream, int64_t index) const {
    return streams[stream].operations[index - streams[stream].forgotten];
  }
  /// Drops the operations of a stream before number `index`.
  void forget(int64_t stream, int64_t index);

private:
  struct Stream {
    std::deque<Issued> operations;
    int64_t forgotten = 0;
    Clock clock;
  };
  /// An event is its symbol and slot.
  using Event = std::pair<mlir::Operation *, int64_t>;
  struct Recorded {
    Mark mark;
    Clock clock;
  };
  /// What the values of a function at hand are.
  struct Scope {
    llvm::DenseMap<mlir::Value, Place> places;
    llvm::DenseMap<mlir::Value, Event> events;
    int64_t frame = 0;
    const Caller *caller = nullptr;
  };

  mlir::LogicalResult walk(mlir::Block &block, Scope &scope);
  mlir::LogicalResult walk(mlir::Operation *op, Scope &scope);
  mlir::LogicalResult call(rt::CallOp op, Scope &scope);
  mlir::LogicalResult wait(rt::WaitOp op, Scope &scope);
  mlir::LogicalResult give(mlir::Operation *op, int64_t stream, Scope &scope);
  mlir::LogicalResult checkPlaces(const Issued &issued);
  mlir::LogicalResult checkRaces(const Issued &issued);
  Stream &streamOf(int64_t number);

  rt::StageOp stage;
  rt::ProgramOp program;
  mlir::SymbolTable symbols;
  bool reportsRaces;
  /// Where the loop at hand is.
  int64_t variable = 0;
  /// Whether any stream but the compute stream is used.
  bool hasStreams = false;
  std::vector<Stream> streams;
  llvm::DenseMap<Event, Recorded> events;
  std::map<Turn, int64_t> turns;
  std::deque<Caller> callers;
  Races races;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RT_ISSUE_H
