//===- Arena.cpp - Device memory of a rank --------------------------------===//
//
// One allocation holds the arena, the workspace of the libraries and the
// program's constants.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

using namespace pcc;
using namespace pcc::cuda;

static Extra afterArena;

const Extra &cuda::extra() { return afterArena; }

int64_t cuda::bytesInUse() {
  size_t free = 0, total = 0;
  check(driver().cuMemGetInfo(&free, &total), "the query of free memory");
  return static_cast<int64_t>(total - free);
}

std::string cuda::freeText() {
  size_t free = 0, total = 0;
  driver().cuMemGetInfo(&free, &total);
  return format("%s of the %s of '%s' are free",
                bytesText(static_cast<int64_t>(free)).c_str(),
                bytesText(static_cast<int64_t>(total)).c_str(),
                device().name.c_str());
}

/// Rounds up to an alignment that satisfies libraries and kernels.
static int64_t aligned(int64_t bytes) { return (bytes + 255) / 256 * 256; }

/// Writes the constants, some of which depend on this rank's index in a
/// communicator.
static void writeConstants(const pcc_program &program) {
  for (int i = 0; i < program.n_constants; ++i) {
    const pcc_constant &constant = program.constants[i];
    HostView view(reinterpret_cast<char *>(afterArena.constants +
                                           i * int64_t{PCC_ALIGNMENT}),
                  sizeof(constant.value), backend::Access::Write);
    int64_t index = constant.comm < 0 ? 1 : communicator(constant.comm).index;
    *static_cast<int64_t *>(view.data()) = constant.value * index;
  }
}

char *backend::allocateArena(int64_t bytes, int64_t kept) {
  const pcc_program &program = pcc_the_program;
  int64_t arena = aligned(bytes);
  int64_t all = arena + int64_t{PCC_WORKSPACE_BYTES} +
                program.n_constants * PCC_ALIGNMENT;
  CUdeviceptr memory = 0;
  CUresult result = driver().cuMemAlloc(&memory, all);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    fail(ExitMemory,
         format("out of memory: this rank needs %s, %s", bytesText(all).c_str(),
                freeText().c_str()),
         "a smaller micro batch, or more GPUs with a higher --tp or --pp, need "
         "less");
  check(result, "the allocation of memory");
  connectCollectives(reinterpret_cast<char *>(memory));
  if (kept > 0)
    check(driver().cuMemsetD8Async(memory, 0, kept, computeStream()),
          "a clear of memory");
  afterArena.workspace = memory + arena;
  afterArena.constants = afterArena.workspace + int64_t{PCC_WORKSPACE_BYTES};
  writeConstants(program);
  return reinterpret_cast<char *>(memory);
}
