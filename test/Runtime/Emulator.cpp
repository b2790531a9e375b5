//===- Emulator.cpp - Tests of the emulated GPU's launches and counters ---===//

#include "runtime/emulated/Emulator.h"
#include "test/Runtime/Check.h"

#include <csignal>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

static const int count = 3;

namespace {
struct Buffers {
  int32_t operand[count] = {1, 2, 3}, result[count] = {4, 5, 6};
  int16_t narrow[count] = {7, 8, 9};
};
} // namespace

/// The values the kernel read, in the order of its buffers.
static Buffers found;

static void copy(void *const *buffers) {
  memcpy(found.operand, buffers[0], sizeof(found.operand));
  memcpy(found.result, buffers[1], sizeof(found.result));
  memcpy(found.narrow, buffers[2], sizeof(found.narrow));
}

static void launch(Buffers &given, bool inPlace) {
  static const pcc_emu_buffer described[] = {
      {sizeof(given.operand), 4, 0},
      {sizeof(given.result), 4, 1},
      {sizeof(given.narrow), 2, 1},
  };
  static const pcc_emu_kernel kernel = {"copy", copy, described, 3, 1, 1, 0, 0};
  void *buffers[] = {given.operand, inPlace ? given.operand : given.result,
                     given.narrow};
  pcc_emu_launch(&kernel, buffers);
}

/// Result buffers are poisoned, unless they share an operand's address.
static void testResults() {
  Buffers given;
  launch(given, /*inPlace=*/false);
  CHECK(found.operand[0] == 1 && found.operand[2] == 3);
  for (int32_t number : found.result)
    CHECK(number == PCC_EMU_POISON);
  for (int16_t number : found.narrow)
    CHECK(number == static_cast<int16_t>(PCC_EMU_POISON)); // of either half
  launch(given, /*inPlace=*/true);
  CHECK(found.operand[0] == 1 && found.result[1] == 2 && found.result[2] == 3);
}

/// The shared memory that each block read, in order.
static int32_t shared[2][count];
static int blocks = 0;

static void fillShared(void *const *) {
  memcpy(shared[blocks++], pcc_emu_shared(), sizeof(shared[0]));
  memset(pcc_emu_shared(), 0, sizeof(shared[0]));
}

/// Shared memory does not keep values of a previous block.
static void testShared() {
  static const pcc_emu_kernel kernel = {
      "fill", fillShared, nullptr, 0, 2, 1, sizeof(shared[0]), 0};
  pcc_emu_launch(&kernel, nullptr);
  CHECK(blocks == 2);
  for (const auto &block : shared)
    for (int32_t number : block)
      CHECK(number == PCC_EMU_POISON);
}

static const int lanes = 32;
static int wrong = 0;

/// Lanes shuffle alternately in pairs and in fours, so that some proceed while
/// others of the warp wait. Each lane offers another number at each shuffle.
static void exchange(void *const *) {
  int32_t lane = pcc_emu_thread();
  for (int32_t step = 0; step < 8; ++step) {
    bool inPairs = (step + lane / 8) % 2;
    int32_t distance = inPairs ? 1 : 2;
    uint32_t mask = inPairs ? 3u << lane / 2 * 2 : 15u << lane / 4 * 4;
    int32_t got = pcc_emu_shuffle(static_cast<int32_t>(mask),
                                  step * lanes + lane, distance, inPairs);
    wrong += got != step * lanes + (lane ^ distance);
  }
}

/// A lane receives the value that another offers at the same shuffle, not at
/// its next one.
static void testShuffles() {
  static const pcc_emu_kernel kernel = {"exchange", exchange, nullptr, 0,
                                        4,          lanes,    0,       2};
  for (uint64_t seed = 1; seed < 20; ++seed) {
    pcc_emu_seed(seed);
    pcc_emu_launch(&kernel, nullptr);
  }
  CHECK(wrong == 0);
}

static const int executions = 64, floats = 8; // of a sector

/// All lanes' elements are adjacent, then each is in a separate sector.
static void touch(void *const *buffers) {
  const auto *x = static_cast<const float *>(buffers[0]);
  int32_t lane = pcc_emu_thread();
  for (int i = 0; i < executions; ++i) {
    pcc_emu_access(x + lane, 4, 4, 0, 0);
    pcc_emu_access(x + lane * floats, 4, 4, 0, 1);
  }
}

/// A warp's sectors are counted once per execution of an access.
static void testSectors() {
  static float x[lanes * floats] __attribute__((aligned(32)));
  static const pcc_emu_buffer buffer = {sizeof(x), 4, 0};
  static const pcc_emu_kernel kernel = {"touch", touch, &buffer, 1,
                                        2,       lanes, 0,       2};
  void *buffers[] = {x};
  pcc_emu_reset();
  pcc_emu_launch(&kernel, buffers);
  pcc_emu_counts counts = pcc_emu_count("touch");
  CHECK(counts.read_sectors == 2 * executions * (lanes / floats + lanes));
  CHECK(counts.distinct_read == lanes && counts.written_sectors == 0);
}

/// One access is to either of two buffers, the other one to the second.
static void cross(void *const *buffers) {
  const auto *x = static_cast<const float *>(buffers[0]);
  for (int sector = 0; sector < 2; ++sector)
    pcc_emu_access(x + sector * floats, 4, 4, 0, 0);
  pcc_emu_access(x + floats, 4, 4, 0, 1);
}

/// If part of a buffer belongs to another one that may be written, the access
/// is counted for that one.
static void testPlaces() {
  static float x[3 * floats] __attribute__((aligned(32)));
  static const pcc_emu_buffer described[] = {{2 * floats * 4, 4, 0},
                                             {2 * floats * 4, 4, 1}};
  static const pcc_emu_kernel kernel = {"cross", cross, described, 2,
                                        1,       1,     0,         2};
  void *buffers[] = {x, x + floats};
  pcc_emu_reset();
  pcc_emu_launch(&kernel, buffers);
  pcc_emu_counts counts = pcc_emu_count("cross");
  CHECK(counts.read_sectors == 3 && counts.distinct_read == 2);
}

/// Recurses deeper than any stack.
static int descend(const float *x, int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return x && depth < 1 << 20 ? descend(x, depth + 1) + frame[0] : 0;
}

static void overflow(void *const *buffers) {
  auto *x = static_cast<float *>(buffers[0]);
  *x = static_cast<float>(descend(x, 0));
}

/// Launches a kernel that aborts; returns the error message.
static std::string errorOf(const pcc_emu_kernel &kernel, void *const *buffers) {
  int ends[2];
  CHECK(!pipe(ends));
  pid_t child = fork();
  if (!child) {
    dup2(ends[1], STDERR_FILENO);
    pcc_emu_launch(&kernel, buffers);
    _exit(0);
  }
  close(ends[1]);
  char said[256] = "";
  FILE *all = fdopen(ends[0], "r");
  CHECK(fread(said, 1, sizeof(said) - 1, all) > 0);
  fclose(all);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  return said;
}

/// A stack overflow ends the program and does not write into another stack.
static void testStacks() {
  static float x;
  static const pcc_emu_buffer buffer = {sizeof(x), 4, 1};
  static const pcc_emu_kernel kernel = {"overflow", overflow, &buffer, 1,
                                        1,          lanes,    0,       1};
  void *buffers[] = {&x};
  std::string said = errorOf(kernel, buffers);
  CHECK(said.find("kernel 'overflow', block 0, thread ") != said.npos);
  CHECK(said.find(": needs more than 512 KiB of the host's stack\n") !=
        said.npos);
}

static const int32_t readsShared = 2, writesShared = 3;

/// Thread 0 writes 16 bytes. After a barrier thread 1 writes byte 3, and thread
/// 0 reads `bytes` bytes from `first` on.
static void divide(int first, int bytes) {
  char *at = static_cast<char *>(pcc_emu_shared());
  if (pcc_emu_thread() == 0)
    pcc_emu_access(at, 16, 16, writesShared, 0);
  pcc_emu_barrier(1);
  if (pcc_emu_thread() == 1)
    pcc_emu_access(at + 3, 1, 1, writesShared, 2);
  else
    pcc_emu_access(at + first, bytes, bytes, readsShared, 3);
}
static void divideApart(void *const *) { divide(2, 1); }
static void divideRacing(void *const *) { divide(0, 4); }

/// Bytes that were written together race only with accesses to the same byte.
static void testNarrowAccesses() {
  pcc_emu_kernel kernel = {"divide", divideApart, nullptr, 0, 1, 2, 16, 4};
  for (uint64_t seed = 1; seed < 20; ++seed) {
    pcc_emu_seed(seed);
    kernel.run = divideApart;
    pcc_emu_launch(&kernel, nullptr);
    kernel.run = divideRacing;
    CHECK(errorOf(kernel, nullptr)
              .find(" element 3 of shared memory, which another thread ") !=
          std::string::npos);
  }
}

int main() {
  testStacks();
  testNarrowAccesses();
  testResults();
  testShared();
  testShuffles();
  testSectors();
  testPlaces();
  return checkResult();
}
