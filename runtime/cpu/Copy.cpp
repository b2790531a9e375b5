//===- Copy.cpp - Copies and clears ---------------------------------------===//

#include "runtime/cpu/Copy.h"

#include "runtime/cpu/Context.h"
#include "runtime/host/Threads.h"

#include <cstring>

using namespace pcc;

/// A copy or clear uses at most one thread per this many bytes, rounded up.
static const int64_t copyGrain = 1 << 20;

static void copyPart(void *const *args, int64_t begin, int64_t end) {
  memcpy(static_cast<char *>(args[0]) + begin,
         static_cast<const char *>(args[1]) + begin, end - begin);
}

static void clearPart(void *const *args, int64_t begin, int64_t end) {
  memset(static_cast<char *>(args[0]) + begin, 0, end - begin);
}

void pcc::copyBytes(const pcc_context &context, void *to, const void *from,
                    int64_t bytes) {
  void *const args[] = {to, const_cast<void *>(from)};
  runWorkItems(context.threads, copyPart, args, bytes, copyGrain);
}

void pcc::clearBytes(const pcc_context &context, void *to, int64_t bytes) {
  void *const args[] = {to};
  runWorkItems(context.threads, clearPart, args, bytes, copyGrain);
}
