//===- Races.h - Race detection by vector clocks ----------------*- C++ -*-===//
//
// Detects races by vector clocks, one per stream, over the bytes of an arena.
// The operations of a stream execute one after the other. The clock of an
// operation contains, for each stream, the number of its operations that are
// complete before this one starts. An access races with an earlier one if at
// least one of them writes, and the later one's clock does not include the
// earlier one. Ordering through other ranks is ignored: transfers do not tell
// when their buffers are free.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_RT_RACES_H
#define PCC_INTERPRETER_RT_RACES_H

#include "interpreter/rt/Arena.h"
#include "mlir/IR/Operation.h"
#include <map>

namespace pcc::interp {

/// The number of completed operations of each stream; 0 for streams past the
/// end.
class Clock {
public:
  /// The number of completed operations of a stream.
  int64_t of(int64_t stream) const {
    return stream < static_cast<int64_t>(done.size()) ? done[stream] : 0;
  }
  /// Sets the number of completed operations of a stream.
  void set(int64_t stream, int64_t count);
  /// Takes the maximum with another clock.
  void join(const Clock &other);

private:
  llvm::SmallVector<int64_t> done;
};

/// The accesses to one arena, in program order.
class Races {
public:
  /// The operation that made an access.
  struct Access {
    int64_t stream;
    /// Its position among the stream's operations, from 1.
    int64_t position;
    /// Null for an access by the host between entry points.
    mlir::Operation *op;
  };

  /// Records an access by an operation with this clock. Returns an earlier
  /// access that it races with, if there is one.
  std::optional<Access> add(const Access &access, const Clock &clock,
                            ByteRange range, bool isWrite);

private:
  /// A range of bytes with the same accesses since the last write.
  struct Piece {
    int64_t end;
    std::optional<Access> writer;
    llvm::SmallVector<Access, 2> readers;
  };
  /// Splits pieces so that one begins at `at`.
  void cut(int64_t at);

  /// The pieces by their first byte; they do not overlap.
  std::map<int64_t, Piece> pieces;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RT_RACES_H
