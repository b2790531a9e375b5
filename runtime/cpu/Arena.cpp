//===- Arena.cpp - The arena in host memory -------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cpu/ArenaMemory.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/OffloadFile.h"

#include <cstdlib>
#include <cstring>

using namespace pcc;

char *backend::allocateArena(int64_t bytes, int64_t, const Offload &offload) {
  char *memory = allocateArenaMemory(bytes, offload);
  requireBlasBuffers();
  return memory;
}

char *pcc::reach(const void *place) {
  return static_cast<char *>(const_cast<void *>(place));
}

void *backend::openView(char *memory, int64_t, Access) { return memory; }
void backend::closeView(void *, char *memory, int64_t bytes, Access) {
  dropOffloaded(memory, bytes);
}

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
