//===- Races.h - Accesses that no event orders ------------------*- C++ -*-===//
//
// Vector clocks, one per stream, over the bytes of an arena. Operations of one
// stream are done one after the other; the clock of an operation says of every
// stream how many of its operations are done before this one begins. An access
// and a later one, of which one writes, race if the later one's clock does not
// include the earlier one. What follows from another rank's doings counts for
// nothing: two messages say nothing of when their buffers are free.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_RT_RACES_H
#define PCC_INTERPRETER_RT_RACES_H

#include "interpreter/rt/Arena.h"
#include "mlir/IR/Operation.h"
#include <map>

namespace pcc::interp {

/// How many operations of each stream are done; streams behind its end: none.
class Clock {
public:
  /// How many of a stream's.
  int64_t of(int64_t stream) const {
    return stream < static_cast<int64_t>(done.size()) ? done[stream] : 0;
  }
  /// Says that so many of a stream's are done.
  void set(int64_t stream, int64_t count);
  /// Adds what another clock says.
  void join(const Clock &other);

private:
  llvm::SmallVector<int64_t> done;
};

/// The accesses to one arena, in program order.
class Races {
public:
  /// What made an access.
  struct Access {
    /// The number of its stream.
    int64_t stream;
    /// Its number, from 1, among the stream's operations.
    int64_t position;
    /// Null for what the host does between entry points.
    mlir::Operation *op;
  };

  /// Notes an access that is made when `clock` says. Gives an earlier one that
  /// it races with, if there is one.
  std::optional<Access> add(const Access &access, const Clock &clock,
                            ByteRange range, bool isWrite);

private:
  /// Bytes with a common history since they were last written.
  struct Piece {
    int64_t end;
    std::optional<Access> writer;
    llvm::SmallVector<Access, 2> readers;
  };
  /// Cuts pieces so that one begins at `at`.
  void cut(int64_t at);

  /// By their first byte; no two have a byte in common.
  std::map<int64_t, Piece> pieces;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RT_RACES_H
