//===- Copy.cpp - Copies and clears ---------------------------------------===//

#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/Threads.h"

#include <algorithm>
#include <cstring>

/// Bytes worth a thread of their own.
static const int64_t copyGrain = 1 << 20;

static void copyPart(void *const *args, int64_t begin, int64_t end) {
  memcpy(static_cast<char *>(args[0]) + begin,
         static_cast<const char *>(args[1]) + begin, end - begin);
}

static void zeroPart(void *const *args, int64_t begin, int64_t end) {
  memset(static_cast<char *>(args[0]) + begin, 0, end - begin);
}

void pcc_copy(pcc_context *ctx, void *to, const void *from, int64_t bytes) {
  void *const args[] = {to, const_cast<void *>(from)};
  pcc_launch(ctx, copyPart, args, bytes, copyGrain);
}

void pcc_zero(pcc_context *ctx, void *to, int64_t bytes) {
  void *const args[] = {to};
  pcc_launch(ctx, zeroPart, args, bytes, copyGrain);
}
