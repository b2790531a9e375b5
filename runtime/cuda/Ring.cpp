//===- Ring.cpp - A ring buffer -------------------------------------------===//

#include "runtime/cuda/Ring.h"

using namespace pcc;
using namespace pcc::cuda;

char *Ring::take(int64_t bytes) {
  if (!fits(bytes))
    return nullptr;
  while (!pieces.empty() && pieces.front().number &&
         pieces.front().number <= free)
    pieces.pop_front();
  int64_t length = rounded(bytes), begin = 0;
  if (!pieces.empty()) {
    int64_t oldest = pieces.front().begin, end = pieces.back().end;
    bool wraps = pieces.back().begin < oldest;
    begin = end;
    if (!wraps && end + length > size)
      begin = 0, wraps = true;
    if (begin + length > (wraps ? oldest : size))
      return nullptr;
  }
  pieces.push_back({begin, begin + length, 0});
  return base + begin;
}

void Ring::close(const void *place) {
  int64_t begin = static_cast<const char *>(place) - base;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece)
    if (piece->begin == begin && !piece->number) {
      piece->number = ++closed;
      return;
    }
}
