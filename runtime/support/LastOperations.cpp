//===- LastOperations.cpp - Last operation of each communicator -----------===//

#include "runtime/support/LastOperations.h"

#include "runtime/support/Error.h"

#include <algorithm>
#include <atomic>
#include <iterator>

using namespace pcc;

namespace {
/// The last operation of a communicator. Only the main thread writes it; a
/// thread that reads at the same time may see a mix of two operations.
struct Last {
  int32_t stream;
  const char *over;
  std::atomic<const char *> name{""}, node{""};
  std::atomic<uint64_t> count{0};
};
} // namespace

/// More communicators than any program has; others are not recorded.
static Last all[256];
static std::atomic<size_t> known{0};

void pcc::noteOperation(int32_t stream, const char *name, const char *over,
                        const char *node) {
  size_t size = known.load(std::memory_order_relaxed);
  Last *end = all + size;
  Last *found = std::find_if(all, end, [&](const Last &last) {
    return last.over == over && last.stream == stream;
  });
  if (found == end) {
    if (size == std::size(all))
      return;
    found->stream = stream;
    found->over = over;
    known.store(size + 1, std::memory_order_release);
  }
  found->name.store(name, std::memory_order_relaxed);
  found->node.store(node, std::memory_order_relaxed);
  uint64_t count = found->count.load(std::memory_order_relaxed);
  found->count.store(count + 1, std::memory_order_relaxed);
}

std::string pcc::lastOperations(size_t most) {
  std::string text;
  size_t size = known.load(std::memory_order_acquire);
  for (const Last *last = all; last != all + size; ++last) {
    std::string node = last->node.load(std::memory_order_relaxed);
    std::string one =
        format("%s%s%s no. %llu%s", text.empty() ? "" : ", ",
               last->name.load(std::memory_order_relaxed), last->over,
               static_cast<unsigned long long>(
                   last->count.load(std::memory_order_relaxed)),
               node.empty() ? "" : format(" of '%s'", node.c_str()).c_str());
    if (text.size() + one.size() + 5 > most)
      return text + ", ...";
    text += one;
  }
  return text;
}
