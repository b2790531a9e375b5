//===- Arena.h - The memory of a virtual rank -------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_RT_ARENA_H
#define PCC_INTERPRETER_RT_ARENA_H

#include "interpreter/Tensor.h"
#include "llvm/ADT/BitVector.h"

namespace pcc::interp {

/// The bytes [begin, end) of an arena.
struct ByteRange {
  int64_t begin = 0, end = 0;

  /// Whether both ranges have a byte in common.
  bool overlaps(ByteRange other) const {
    return begin < other.end && other.begin < end;
  }
  bool operator==(ByteRange other) const {
    return begin == other.begin && end == other.end;
  }
};

/// The arena of one rank. It tracks for each byte whether it was written.
/// Unwritten bytes are filled with a pattern that is NaN as an f16, bf16 or
/// f32, and a huge number as any other type.
class Arena {
public:
  /// With `exact`, stored elements are read back unrounded, until other data
  /// overwrites their bytes.
  Arena(int64_t bytes, bool exact);

  /// The number of bytes.
  int64_t size() const { return static_cast<int64_t>(bytes.size()); }
  /// The bytes, for callers that write them directly and then call
  /// setWritten().
  char *data() { return bytes.data(); }

  /// Marks a range as written.
  void setWritten(ByteRange range);
  /// Marks a range as unwritten and fills it with the pattern.
  void poison(ByteRange range);
  /// Fills a range with zeros.
  void zero(ByteRange range);
  /// Copies a range of this or another arena to `to`.
  void copy(int64_t to, const Arena &from, ByteRange range);
  /// Returns the first unwritten byte of a range.
  std::optional<int64_t> findUnwritten(ByteRange range) const;

  /// Reads `count` contiguous elements at `offset` into elements of `to` from
  /// `first` on; all must have been written.
  void read(int64_t offset, int32_t dtype, int64_t count, Tensor &to,
            int64_t first) const;
  /// Writes `count` elements of `from` from `first` on to `offset`.
  void write(int64_t offset, int32_t dtype, int64_t count, const Tensor &from,
             int64_t first);

private:
  std::vector<char> bytes;
  llvm::BitVector isWritten;
  /// With `exact`, for every second byte the unrounded value of the float that
  /// begins there.
  std::vector<double> unrounded;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RT_ARENA_H
