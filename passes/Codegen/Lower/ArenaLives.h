//===- ArenaLives.h - When the buffers of a stage are needed ----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_ARENALIVES_H
#define PCC_PASSES_CODEGEN_LOWER_ARENALIVES_H

#include "dialects/RT/RT.h"
#include "passes/Codegen/Packing/Packing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc {

/// Some of a stage's buffers.
using Buffers = llvm::DenseSet<mlir::Operation *>;

class RowLives;

/// How many slots most of what a loop takes turns with has; 1: it has nothing.
/// Leaves out what has so many that few loops ever come round.
int64_t findPeriod(rt::ForOp loop,
                   llvm::function_ref<rt::BufferOp(rt::AddressOp)> bufferOf);

/// Whether a buffer keeps what it holds from one entry point to the next.
bool isKept(rt::BufferOp buffer, const Buffers &renewed);

/// Finds out when the buffers of a stage are needed, whose temporaries have
/// offsets.
class ArenaLives {
public:
  /// `renewed`: those that hold nothing as an entry point begins. With `rows`
  /// these have a piece for each of their places, with null for all.
  ArenaLives(rt::StageOp stage, const Buffers &renewed,
             const RowLives *rows = nullptr);

  /// Those that share the arena, in the order of the stage.
  llvm::MapVector<mlir::Operation *, MemoryBlock> blocks;

private:
  /// By stream: how many operations are over; of stream 0 the moment.
  using Known = llvm::SmallVector<int64_t, 6>;
  using Event = std::pair<mlir::Operation *, int64_t>;
  /// Where a value lies: in `count` pieces of a block from `first` on, one of
  /// which it is. No block: nowhere that is planned.
  struct Place {
    MemoryBlock *block = nullptr;
    unsigned first = 0, count = 1;
    /// Whether it is all of one piece, and it is known which.
    bool isPiece = false;
  };
  /// What an operation of another stream uses.
  struct Pending {
    Place place;
    unsigned stream;
    int64_t number;
  };
  /// An access of a function whose ops are all on the compute stream.
  struct Use {
    unsigned argument;
    /// At which op.
    unsigned at;
    /// Whether it writes all that it is given.
    bool begins;
  };
  /// What is the same in all calls of a function.
  struct Summary {
    unsigned ops = 0;
    bool hasStreams = false;
    /// In the order of ops.
    std::vector<Use> uses;
    /// By piece of the frame: its first and last use.
    std::vector<std::pair<unsigned, unsigned>> temporaries;
    /// By temporary, which piece it is.
    llvm::DenseMap<mlir::Operation *, unsigned> pieces;
  };
  /// What the values of a body are in a call.
  struct Scope {
    llvm::DenseMap<mlir::Value, Place> places;
    llvm::DenseMap<mlir::Value, Event> events;
    MemoryBlock *frame = nullptr;
    /// The first of the frame's pieces that are this call's.
    unsigned first = 0;
    const Summary *function = nullptr;
  };

  void addBlocks(rt::StageOp stage, const Buffers &renewed);
  void summarize(rt::FuncOp function);
  void run(rt::FuncOp entry);
  void run(rt::ForOp op, Scope &scope);
  /// Leaves out turns of the loop at hand, whole periods, after which all is as
  /// before but in other slots of the events that it takes turns with.
  void leaveOut(int64_t turns);
  void run(mlir::Block &ops, Scope &scope);
  void call(rt::CallOp op, Scope &scope);
  /// Begins a moment of the compute stream.
  void advance() { known[0][0] = ++moment; }
  /// The compute stream learns what is over.
  void wait(const Event &event);
  /// What lies in a bucket is a part of that.
  Place placeOf(rt::AddressOp address);
  Place placeOf(mlir::Value value, const Scope &scope);
  static llvm::SmallVector<Piece *> piecesOf(const Place &place);
  /// An op at the present moment touches a place; `begins`: what was there
  /// before is not needed. `since`: it may have done so at any moment from
  /// there on.
  void touch(const Place &place, bool begins, unsigned since);
  /// The present op touches a place on another stream.
  void touchOn(unsigned stream, const Place &place, bool begins,
               unsigned since);
  /// An access up to the present moment, to what a place has held so far.
  void extend(const Place &place);
  unsigned numberOf(int64_t stream) const {
    return llvm::lower_bound(streams, stream) - streams.begin();
  }

  const RowLives *rows;
  llvm::StringMap<rt::BufferOp> buffers;
  llvm::StringMap<rt::FuncOp> functions;
  llvm::StringMap<rt::EventOp> events;
  llvm::DenseMap<mlir::Operation *, Summary> summaries;
  /// What holds nothing any more.
  llvm::DenseSet<Piece *> givenUp;
  /// Those that are used, in order.
  llvm::SmallVector<int64_t> streams;
  Known counts;
  std::vector<Known> known;
  llvm::DenseMap<Event, Known> recorded;
  std::vector<Pending> pending;
  /// How many of those use a piece.
  llvm::DenseMap<Piece *, unsigned> users;
  unsigned moment = 0, entryBegin = 0;
  /// The loop at hand, or null, where it is, and after how many turns it uses
  /// the same slots.
  rt::ForOp loop;
  int64_t variable = 0, period = 1;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_ARENALIVES_H
