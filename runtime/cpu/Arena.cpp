//===- Arena.cpp - The arena in host memory -------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cpu/Context.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace pcc;

// mmap returns zeroed memory.
char *backend::allocateArena(int64_t bytes, int64_t) {
  requireMemory(bytes);
  void *memory =
      mmap(nullptr, std::max<int64_t>(bytes, 1), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    fail(ExitMemory, format("out of memory: cannot allocate the %s this rank "
                            "needs: %s",
                            bytesText(bytes).c_str(), strerror(errno)));
  requireBlasBuffers();
  // Fewer page faults and TLB misses; only a hint.
  madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<char *>(memory);
}

char *pcc::reach(const void *place) {
  return static_cast<char *>(const_cast<void *>(place));
}

void *backend::openView(char *memory, int64_t, Access) { return memory; }
void backend::closeView(void *, char *, int64_t, Access) {}

// The work of the compute stream is complete already.
void backend::beginEntry(pcc_context *, pcc_step_fn) {}

// An entry is complete when its call returns, so the host cannot run ahead.
// PCC_AHEAD=1 makes the host behave as if it could, for tests.
int backend::stepsAhead() {
  const char *wish = getenv("PCC_AHEAD");
  return wish && !strcmp(wish, "1");
}
void backend::copyOut(int, const std::vector<HostCopy> &copies) {
  for (const HostCopy &copy : copies)
    memcpy(copy.to, copy.from, copy.bytes);
}
void backend::awaitCopies(int) {}
void backend::drain() {}

std::string backend::deviceReport() { return ""; }
