//===- Races.cpp - Race detection by vector clocks ------------------------===//

#include "interpreter/rt/Races.h"

using namespace pcc::interp;

void Clock::set(int64_t stream, int64_t count) {
  if (stream >= static_cast<int64_t>(done.size()))
    done.resize(stream + 1);
  done[stream] = count;
}

void Clock::join(const Clock &other) {
  for (size_t stream = 0; stream < other.done.size(); ++stream)
    if (other.done[stream] > of(stream))
      set(stream, other.done[stream]);
}

void Races::cut(int64_t at) {
  auto next = pieces.upper_bound(at);
  if (next == pieces.begin())
    return;
  auto it = std::prev(next);
  if (it->first == at || it->second.end <= at)
    return;
  Piece rest = it->second;
  it->second.end = at;
  pieces.emplace(at, std::move(rest));
}

std::optional<Races::Access> Races::add(const Access &access,
                                        const Clock &clock, ByteRange range,
                                        bool isWrite) {
  cut(range.begin);
  cut(range.end);
  std::optional<Access> found;
  auto check = [&](const Access &earlier) {
    if (!found && clock.of(earlier.stream) < earlier.position)
      found = earlier;
  };
  int64_t at = range.begin;
  for (auto it = pieces.lower_bound(at); at < range.end; ++it) {
    if (it == pieces.end() || it->first > at) {
      int64_t end =
          it == pieces.end() ? range.end : std::min(it->first, range.end);
      it = pieces.emplace_hint(it, at, Piece{end, std::nullopt, {}});
    }
    Piece &piece = it->second;
    at = piece.end;
    if (piece.writer)
      check(*piece.writer);
    if (isWrite) {
      for (const Access &reader : piece.readers)
        check(reader);
      piece.writer = access;
      piece.readers.clear();
      continue;
    }
    // The last read of a stream implies the earlier ones.
    llvm::erase_if(piece.readers, [&](const Access &reader) {
      return reader.stream == access.stream;
    });
    piece.readers.push_back(access);
  }
  return found;
}
