//===- LiveRanges.h - Live ranges of a stage's buffers ----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_LIVERANGES_H
#define PCC_PASSES_CODEGEN_LOWER_LIVERANGES_H

#include "dialects/RT/Persistence.h"
#include "passes/Codegen/Packing/Packing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc {

class BucketOffsets;

/// Returns the most common slot count among the addresses of a loop whose slot
/// depends on the iteration; the smallest one if counts are equally common.
/// Returns 1 if there are none. Buffers with more than 64 slots are ignored,
/// since few loops cycle through them.
int64_t findPeriod(rt::ForOp loop,
                   llvm::function_ref<rt::BufferOp(rt::AddressOp)> bufferOf);

/// Computes the live ranges of the buffers of a stage whose temporaries have
/// offsets.
class LiveRanges {
public:
  /// With `rows`, a bucket among them has a piece for each of its offsets;
  /// without, a single piece.
  LiveRanges(rt::StageOp stage, const rt::PersistentBuffers &persistent,
             const BucketOffsets *rows = nullptr);

  /// The buffers that share the arena, in the order of the stage.
  llvm::MapVector<mlir::Operation *, MemoryBlock> blocks;

private:
  /// For each stream, the number of operations known to be complete; for stream
  /// 0, the moment.
  using Known = llvm::SmallVector<int64_t, 6>;
  using Event = std::pair<mlir::Operation *, int64_t>;
  /// The memory of a value: one of the `count` pieces of a block from `first`
  /// on. Without a block, the memory is not planned here.
  struct PieceRange {
    MemoryBlock *block = nullptr;
    unsigned first = 0, count = 1;
    /// Whether the piece is known, and the value fills it.
    bool isPiece = false;
  };
  /// A use of memory on another stream that stream 0 has not waited for.
  struct Pending {
    PieceRange place;
    unsigned stream;
    int64_t number;
  };
  /// An access to an argument, in a function whose ops are all on the compute
  /// stream.
  struct Use {
    unsigned argument;
    /// The index of the op.
    unsigned at;
    /// Whether it overwrites the whole argument.
    bool begins;
  };
  /// The accesses of a function, which are the same in all calls.
  struct Summary {
    unsigned ops = 0;
    bool hasStreams = false;
    /// In the order of ops.
    std::vector<Use> uses;
    /// For each piece of the scratch buffer, its first and last use.
    std::vector<std::pair<unsigned, unsigned>> temporaries;
    /// The piece of each temporary.
    llvm::DenseMap<mlir::Operation *, unsigned> pieces;
  };
  /// The memory and events of the values of a body in one call.
  struct Scope {
    llvm::DenseMap<mlir::Value, PieceRange> places;
    llvm::DenseMap<mlir::Value, Event> events;
    MemoryBlock *frame = nullptr;
    /// The first piece of the scratch buffer that belongs to this call.
    unsigned first = 0;
    const Summary *function = nullptr;
  };

  void addBlocks(rt::StageOp stage, const rt::PersistentBuffers &persistent);
  void summarize(rt::FuncOp function);
  void run(rt::FuncOp entry);
  void run(rt::ForOp op, Scope &scope);
  /// Skips `turns` iterations of the current loop, a multiple of its period.
  /// The state afterwards is the same, except for the slots of the events that
  /// the loop cycles through.
  void skipIterations(int64_t turns);
  void run(mlir::Block &ops, Scope &scope);
  void call(rt::CallOp op, Scope &scope);
  /// Advances to the next moment of the compute stream.
  void advance() { known[0][0] = ++moment; }
  /// The compute stream waits for an event.
  void wait(const Event &event);
  /// The memory of an address; a member of a bucket is a part of the bucket.
  PieceRange placeOf(rt::AddressOp address);
  PieceRange placeOf(mlir::Value value, const Scope &scope);
  static llvm::SmallVector<Piece *> piecesOf(const PieceRange &place);
  /// Records an access at the current moment. `begins`: it overwrites the
  /// contents. `since`: the access may happen at any moment from there on.
  void touch(const PieceRange &place, bool begins, unsigned since);
  /// Records an access of the current op on another stream.
  void touchOn(unsigned stream, const PieceRange &place, bool begins,
               unsigned since);
  /// Extends the live range of the contents to the current moment.
  void extend(const PieceRange &place);
  unsigned numberOf(int64_t stream) const {
    return llvm::lower_bound(streams, stream) - streams.begin();
  }

  const BucketOffsets *rows;
  llvm::StringMap<rt::BufferOp> buffers;
  llvm::StringMap<rt::FuncOp> functions;
  llvm::StringMap<rt::EventOp> events;
  llvm::DenseMap<mlir::Operation *, Summary> summaries;
  llvm::DenseSet<Piece *> deadPieces;
  /// The streams that are used, sorted.
  llvm::SmallVector<int64_t> streams;
  Known counts;
  std::vector<Known> known;
  llvm::DenseMap<Event, Known> recorded;
  std::vector<Pending> pending;
  /// The number of pending uses of each piece.
  llvm::DenseMap<Piece *, unsigned> users;
  unsigned moment = 0, entryBegin = 0;
  /// The current loop or null, its iteration, and the number of iterations
  /// after which it uses the same slots.
  rt::ForOp loop;
  int64_t variable = 0, period = 1;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_LIVERANGES_H
