//===- Arena.h - The memory of a virtual rank -------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_RT_ARENA_H
#define PCC_INTERPRETER_RT_ARENA_H

#include "interpreter/Tensor.h"
#include "llvm/ADT/BitVector.h"

namespace pcc::interp {

/// The bytes [begin, end) of an arena.
struct ByteRange {
  /// The first byte, and the one after the last.
  int64_t begin = 0, end = 0;

  /// Whether both have a byte in common.
  bool overlaps(ByteRange other) const {
    return begin < other.end && other.begin < end;
  }
  bool operator==(ByteRange other) const {
    return begin == other.begin && end == other.end;
  }
};

/// The arena of one rank, which knows of each byte whether it was written.
/// What was not is filled with what floats of 16 and 32 bits take for NaNs and
/// all others for huge numbers.
class Arena {
public:
  /// With `exact`, elements that are stored are found again as they were before
  /// they were rounded to their type, until others write their bytes.
  Arena(int64_t bytes, bool exact);

  /// The number of bytes.
  int64_t size() const { return static_cast<int64_t>(bytes.size()); }
  /// The bytes, for who fills them from outside and says so with setWritten().
  char *data() { return bytes.data(); }

  /// Says that a range holds what it should.
  void setWritten(ByteRange range);
  /// Forgets what a range holds.
  void poison(ByteRange range);
  /// Fills a range with zeros.
  void zero(ByteRange range);
  /// Copies as many bytes, from this or another arena.
  void copy(int64_t to, const Arena &from, ByteRange range);
  /// The first byte of a range that was never written.
  std::optional<int64_t> findUnwritten(ByteRange range) const;

  /// Reads `count` elements that lie one after the other at `offset` into
  /// elements of `to` from `first` on; all must have been written.
  void read(int64_t offset, int32_t dtype, int64_t count, Tensor &to,
            int64_t first) const;
  /// Writes elements of `from` from `first` on.
  void write(int64_t offset, int32_t dtype, int64_t count, const Tensor &from,
             int64_t first);

private:
  std::vector<char> bytes;
  llvm::BitVector isWritten;
  /// With `exact`, for every second byte what the float that begins there was
  /// before it was rounded.
  std::vector<double> unrounded;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RT_ARENA_H
