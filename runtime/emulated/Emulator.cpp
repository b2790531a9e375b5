//===- Emulator.cpp - A block of threads, in lockstep where needed --------===//
//
// A thread runs until it waits: at a barrier for its block, at a shuffle for
// lanes of its warp. When no thread can run, the waiting threads are compared.
// A thread continues once all threads that it waits for have arrived.
//
//===----------------------------------------------------------------------===//

#include "runtime/emulated/Emulator.h"
#include "runtime/Chips.h"
#include "runtime/emulated/BufferMap.h"
#include "runtime/emulated/Fibers.h"
#include "runtime/emulated/Matrices.h"
#include "runtime/emulated/Sectors.h"
#include "runtime/emulated/Touches.h"
#include <algorithm>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <string>

using namespace pcc;

namespace {

std::mutex mutex;
std::map<std::string, pcc_emu_counts> counts;
uint64_t seed = 1;
int64_t mostElements = 1 << 22;
int64_t mostShared = sharedOfBlock(kDefaultChip);

/// The operation that a thread waits at.
enum class Wait { Nothing, Block, Warp, Shuffle, Matrices };

struct Thread {
  Wait wait = Wait::Nothing;
  int32_t site = 0;
  uint32_t mask = 0;
  int32_t bits = 0;            ///< its value at a shuffle
  int32_t met = 0;             ///< its value at the lanes' last shuffle
  const void *offer = nullptr; ///< its operands of a matrix operation
  int32_t words[4];            ///< its results of a matrix operation
  bool hasWords = false;
  uint32_t barriers = 0, warpBarriers = 0;
};

/// A launch; one at a time on each host thread.
class Launch {
public:
  Launch(const pcc_emu_kernel &kernel, void *const *buffers);
  void run();

  const pcc_emu_kernel &kernel;
  void *const *buffers;
  Fibers &fibers;
  std::vector<Thread> threads;
  /// By thread and site, how often the thread of the block has executed the
  /// access; the sites of a thread are contiguous.
  std::vector<uint32_t> executions;
  std::vector<uint32_t> shared;
  int64_t block = 0;
  pcc_emu_counts counted = {};

  Thread &current() { return threads[fibers.current()]; }
  void wait(Wait wait, int32_t site, uint32_t mask);
  const int32_t *exchange(const void *offer, int32_t site,
                          void (*compute)(const void *const *offers,
                                          bool variant, int32_t (*words)[4]),
                          bool variant);
  void access(const char *address, int64_t bytes, int64_t alignment,
              bool isWrite, bool isShared, int32_t site);
  [[noreturn]] void fail(int64_t thread, const char *format, ...)
      __attribute__((format(printf, 3, 4)));

private:
  void poisonResults();
  void runBlock();
  void runWarp(int64_t first, int64_t count);
  bool meet(int64_t first, int64_t count);
  /// The logical time of the running thread.
  Moment now();
  /// `at` is an element of a buffer, or for buffer -1 a byte of shared memory.
  [[noreturn]] void failRace(bool isWrite, int64_t buffer, int64_t at);

  std::mt19937_64 random;
  TouchedBytes sharedTouches;
  std::vector<TouchedBytes> bufferTouches;
  bool checksRaces;
  BufferMap places;
  Sectors read, written;
  /// By buffer, the sectors that were read and written.
  std::vector<std::vector<bool>> readOnce, writtenOnce;
};

thread_local Launch *launch = nullptr;
/// Shared by all launches of a host thread, as the stacks are large.
thread_local Fibers stacks;

} // namespace

/// Reports a stack overflow if the fault is in a guard page. Any other access
/// is repeated and ends the program.
static void onFault(int, siginfo_t *fault, void *) {
  if (launch && stacks.isBehindStack(fault->si_addr))
    launch->fail(static_cast<int64_t>(stacks.current()),
                 "needs more than %d KiB of the host's stack",
                 int(Fibers::kStackKiB));
  signal(SIGSEGV, SIG_DFL);
}

/// Runs the fault handler of this thread on an alternate stack.
static void watchStacks() {
  thread_local bool isWatching = false;
  if (isWatching)
    return;
  isWatching = true;
  thread_local char memory[64 << 10];
  stack_t other = {};
  other.ss_sp = memory;
  other.ss_size = sizeof(memory);
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (sigaltstack(&other, nullptr) || sigaction(SIGSEGV, &action, nullptr))
    abort();
}

Launch::Launch(const pcc_emu_kernel &kernel, void *const *buffers)
    : kernel(kernel), buffers(buffers), fibers(stacks),
      places(kernel, buffers) {
  watchStacks();
  std::lock_guard<std::mutex> lock(mutex);
  random.seed(seed++);
  int64_t elements = 0;
  for (int64_t i = 0; i < kernel.buffer_count; ++i)
    elements += kernel.buffers[i].bytes / kernel.buffers[i].element_bytes;
  checksRaces = elements <= mostElements;
  if (kernel.shared > mostShared)
    fail(-1, "needs %lld bytes of shared memory, a block has at most %lld",
         (long long)kernel.shared, (long long)mostShared);
}

void Launch::fail(int64_t thread, const char *format, ...) {
  fprintf(stderr, "emulator: kernel '%s', block %lld", kernel.name,
          (long long)block);
  if (thread >= 0)
    fprintf(stderr, ", thread %lld", (long long)thread);
  fprintf(stderr, ": ");
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  // Without the runtime's handler, whose report adds nothing.
  signal(SIGABRT, SIG_DFL);
  abort();
}

static void fillWithPoison(char *place, int64_t bytes) {
  const int32_t poison = PCC_EMU_POISON;
  for (int64_t at = 0; at < bytes; at += sizeof(poison))
    memcpy(place + at, &poison, std::min<int64_t>(sizeof(poison), bytes - at));
}

static const char *text(Wait wait) {
  switch (wait) {
  case Wait::Nothing:
    return "has ended";
  case Wait::Block:
    return "waits at a barrier";
  case Wait::Warp:
    return "waits at a barrier of its warp";
  case Wait::Shuffle:
    return "waits at a shuffle";
  case Wait::Matrices:
    return "waits at matrices of its warp";
  }
  return "";
}

void Launch::wait(Wait what, int32_t site, uint32_t mask) {
  Thread &thread = current();
  thread.wait = what;
  thread.site = site;
  thread.mask = mask;
  fibers.pause();
}

/// A warp-wide operation: the first lane that continues computes the results of
/// all lanes from their operands.
const int32_t *Launch::exchange(const void *offer, int32_t site,
                                void (*compute)(const void *const *offers,
                                                bool variant,
                                                int32_t (*words)[4]),
                                bool variant) {
  Thread &own = current();
  own.offer = offer;
  own.hasWords = false;
  wait(Wait::Matrices, site, 0xffffffff);
  if (!own.hasWords) {
    Thread *warp = &threads[fibers.current() & -kLanes];
    const void *offers[kLanes];
    int32_t words[kLanes][4];
    for (int64_t lane = 0; lane < kLanes; ++lane)
      offers[lane] = warp[lane].offer;
    compute(offers, variant, words);
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      memcpy(warp[lane].words, words[lane], sizeof(words[lane]));
      warp[lane].hasWords = true;
    }
  }
  return own.words;
}

/// Releases the lanes of a warp that wait for each other. Returns whether any
/// were released.
bool Launch::meet(int64_t first, int64_t count) {
  bool goesOn = false;
  for (int64_t i = first; i < first + count; ++i) {
    const Thread &thread = threads[i];
    Wait what = thread.wait;
    if (what == Wait::Nothing || what == Wait::Block)
      continue;
    uint32_t mask = thread.mask;
    if (!(mask >> (i - first) & 1))
      fail(i, "is not in the mask %08x it waits for", mask);
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      if (lane >= count)
        fail(i, "waits for lane %lld of a warp of %lld", (long long)lane,
             (long long)count);
      const Thread &other = threads[first + lane];
      if (other.wait != what || other.site != thread.site || other.mask != mask)
        fail(i, "%s, lane %lld of the mask %08x %s elsewhere", text(what),
             (long long)lane, mask,
             text(fibers.hasEnded(first + lane) ? Wait::Nothing : other.wait));
    }
    for (int64_t lane = 0; lane < count; ++lane)
      if (mask >> lane & 1) {
        Thread &released = threads[first + lane];
        released.wait = Wait::Nothing;
        released.warpBarriers += what == Wait::Warp;
        released.met = released.bits;
      }
    goesOn = true;
  }
  return goesOn;
}

/// Runs a warp until its lanes have ended or wait for the block.
void Launch::runWarp(int64_t first, int64_t count) {
  do {
    int64_t start = random() % count;
    for (int64_t k = 0, i = first + start; k < count; ++k) {
      if (threads[i].wait == Wait::Nothing && !fibers.hasEnded(i))
        fibers.resume(i);
      if (++i == first + count)
        i = first;
    }
  } while (meet(first, count));
}

void Launch::runBlock() {
  int64_t size = kernel.block;
  fibers.start(
      size,
      [](void *self) {
        auto *launch = static_cast<Launch *>(self);
        launch->kernel.run(launch->buffers);
      },
      this);
  for (Thread &thread : threads) {
    thread.wait = Wait::Nothing;
    thread.barriers = thread.warpBarriers = 0;
  }
  std::fill(executions.begin(), executions.end(), 0);
  std::fill(shared.begin(), shared.end(), PCC_EMU_POISON);
  if (checksRaces)
    sharedTouches.clear(kernel.shared);
  std::vector<int64_t> warps((size + kLanes - 1) / kLanes);
  std::iota(warps.begin(), warps.end(), 0);
  while (true) {
    std::shuffle(warps.begin(), warps.end(), random);
    for (int64_t warp : warps)
      runWarp(warp * kLanes, std::min(kLanes, size - warp * kLanes));
    int64_t waiting = -1, ended = -1;
    for (int64_t i = 0; i < size; ++i)
      (fibers.hasEnded(i) ? ended : waiting) = i;
    if (waiting < 0)
      break;
    if (ended >= 0)
      fail(waiting, "waits at a barrier, thread %lld has ended",
           (long long)ended);
    for (int64_t i = 0; i < size; ++i)
      if (threads[i].site != threads[0].site)
        fail(i, "waits at barrier %d, thread 0 at barrier %d", threads[i].site,
             threads[0].site);
    for (Thread &thread : threads) {
      thread.wait = Wait::Nothing;
      ++thread.barriers;
    }
  }
  counted.read_sectors += read.take();
  counted.written_sectors += written.take();
}

/// Poisons results that overlap no other buffer, so that reads before writes,
/// and elements left unwritten, are detected.
void Launch::poisonResults() {
  auto overlap = [&](int64_t i, int64_t j) {
    const char *a = static_cast<const char *>(buffers[i]),
               *b = static_cast<const char *>(buffers[j]);
    return a < b + kernel.buffers[j].bytes && b < a + kernel.buffers[i].bytes;
  };
  for (int64_t i = 0; i < kernel.buffer_count; ++i) {
    bool isFresh = kernel.buffers[i].is_written;
    for (int64_t j = 0; isFresh && j < kernel.buffer_count; ++j)
      isFresh = i == j || !overlap(i, j);
    if (isFresh)
      fillWithPoison(static_cast<char *>(buffers[i]), kernel.buffers[i].bytes);
  }
}

void Launch::run() {
  poisonResults();
  threads.resize(kernel.block);
  executions.resize(kernel.block * kernel.sites);
  shared.resize((kernel.shared + 3) / 4 + 4);
  bufferTouches.resize(kernel.buffer_count);
  for (int64_t i = 0; checksRaces && i < kernel.buffer_count; ++i)
    if (kernel.buffers[i].is_written)
      bufferTouches[i].clear(kernel.buffers[i].bytes);
  for (auto *touched : {&readOnce, &writtenOnce})
    for (int64_t i = 0; i < kernel.buffer_count; ++i)
      touched->emplace_back(kernel.buffers[i].bytes / Sectors::kBytes + 2);
  counted.launches = 1;
  counted.blocks = kernel.grid;
  // Visits every block once: the step is coprime to the number of blocks.
  int64_t grid = kernel.grid, step = grid > 1 ? 1 + random() % (grid - 1) : 1;
  while (std::gcd(step, grid) != 1)
    ++step;
  int64_t start = random() % grid;
  for (int64_t i = 0; i < grid; ++i) {
    block =
        static_cast<int64_t>((static_cast<__int128>(i) * step + start) % grid);
    runBlock();
  }
}

Moment Launch::now() {
  int64_t id = fibers.current();
  const Thread &thread = threads[id];
  return {static_cast<uint32_t>(block), static_cast<uint16_t>(id),
          thread.barriers, thread.warpBarriers};
}

void Launch::failRace(bool isWrite, int64_t buffer, int64_t at) {
  std::string what =
      buffer < 0 ? "shared memory" : "buffer " + std::to_string(buffer);
  fail(static_cast<int64_t>(fibers.current()),
       "%s element %lld of %s, which another thread %s at the same time",
       isWrite ? "writes" : "reads", (long long)at, what.c_str(),
       isWrite ? "touches" : "writes");
}

void Launch::access(const char *address, int64_t bytes, int64_t alignment,
                    bool isWrite, bool isShared, int32_t site) {
  int64_t id = fibers.current();
  const char *does = isWrite ? "writes" : "reads";
  if (reinterpret_cast<uintptr_t>(address) % alignment)
    fail(id, "%s %lld bytes at an address that is no multiple of %lld", does,
         (long long)bytes, (long long)alignment);
  if (isShared) {
    int64_t at = address - reinterpret_cast<const char *>(shared.data());
    if (at < 0 || at + bytes > kernel.shared)
      fail(id, "%s %lld bytes at %lld of its %lld bytes of shared memory", does,
           (long long)bytes, (long long)at, (long long)kernel.shared);
    if (!checksRaces)
      return;
    const Moment moment = now();
    int64_t unit = sharedTouches.unitFor(at, bytes);
    for (int64_t i = at; i < at + bytes; i += unit) {
      Touches &touches = sharedTouches[i];
      if (!isWrite && !touches.isWritten())
        fail(id,
             "reads byte %lld of shared memory, which no thread has written",
             (long long)i);
      if (touches.isRace(moment, isWrite))
        failRace(isWrite, /*buffer=*/-1, i);
    }
    return;
  }
  int64_t found = places.find(address, bytes, site);
  if (found < 0)
    fail(id, "%s %lld bytes outside of the kernel's buffers", does,
         (long long)bytes);
  const pcc_emu_buffer &buffer = kernel.buffers[found];
  if (isWrite && !buffer.is_written)
    fail(id, "writes to buffer %lld, which the kernel only reads",
         (long long)found);
  uint32_t warp = static_cast<uint32_t>(id / kLanes);
  (isWrite ? written : read)
      .note(warp, site, executions[id * kernel.sites + site]++,
            reinterpret_cast<uintptr_t>(address), bytes);
  auto sectorOf = [](const void *at) {
    return reinterpret_cast<uintptr_t>(at) / Sectors::kBytes;
  };
  uintptr_t first = sectorOf(buffers[found]);
  for (uintptr_t sector = sectorOf(address);
       sector <= sectorOf(address + bytes - 1); ++sector) {
    std::vector<bool>::reference touched =
        (isWrite ? writtenOnce : readOnce)[found][sector - first];
    (isWrite ? counted.distinct_written : counted.distinct_read) += !touched;
    touched = true;
  }
  // Data that is only read has no races.
  if (!checksRaces || !buffer.is_written)
    return;
  int64_t at = address - static_cast<const char *>(buffers[found]);
  const Moment moment = now();
  TouchedBytes &touched = bufferTouches[found];
  int64_t unit = touched.unitFor(at, bytes);
  for (int64_t i = at; i < at + bytes; i += unit)
    if (touched[i].isRace(moment, isWrite))
      failRace(isWrite, found, i / buffer.element_bytes);
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

// NOLINTBEGIN(readability-identifier-naming): as in Emulator.h.

void pcc_emu_launch(const pcc_emu_kernel *kernel, void *const *buffers) {
  Launch now(*kernel, buffers);
  launch = &now;
  now.run();
  launch = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  pcc_emu_counts &sum = counts[kernel->name];
  sum.launches += now.counted.launches;
  sum.read_sectors += now.counted.read_sectors;
  sum.written_sectors += now.counted.written_sectors;
  sum.distinct_read += now.counted.distinct_read;
  sum.distinct_written += now.counted.distinct_written;
  sum.blocks += now.counted.blocks;
}

void pcc_emu_seed(uint64_t value) {
  std::lock_guard<std::mutex> lock(mutex);
  seed = value;
}

void pcc_emu_check_races(int64_t most_elements) {
  std::lock_guard<std::mutex> lock(mutex);
  mostElements = most_elements;
}

void pcc_emu_limit_shared(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  mostShared = bytes;
}

pcc_emu_counts pcc_emu_count(const char *kernel) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = counts.find(kernel);
  return it == counts.end() ? pcc_emu_counts() : it->second;
}

void pcc_emu_reset(void) {
  std::lock_guard<std::mutex> lock(mutex);
  counts.clear();
}

int32_t pcc_emu_thread(void) {
  return static_cast<int32_t>(launch->fibers.current());
}
int32_t pcc_emu_block(void) { return static_cast<int32_t>(launch->block); }
int32_t pcc_emu_block_size(void) {
  return static_cast<int32_t>(launch->kernel.block);
}
int32_t pcc_emu_grid_size(void) {
  return static_cast<int32_t>(launch->kernel.grid);
}

void pcc_emu_barrier(int32_t site) { launch->wait(Wait::Block, site, 0); }

void pcc_emu_sync_warp(int32_t mask, int32_t site) {
  launch->wait(Wait::Warp, site, mask);
}

int32_t pcc_emu_shuffle(int32_t mask, int32_t bits, int32_t distance,
                        int32_t site) {
  launch->current().bits = bits;
  launch->wait(Wait::Shuffle, site, mask);
  int64_t id = launch->fibers.current();
  int64_t other = (id & -kLanes) | ((id ^ distance) % kLanes);
  if (other >= launch->kernel.block || !(mask >> other % kLanes & 1))
    launch->fail(id, "shuffles with lane %lld, which does not take part",
                 (long long)(other % kLanes));
  // meet() overwrites it only when all partners of the lane have continued and
  // read: they run before the next call of meet().
  return launch->threads[other].met;
}

void pcc_emu_load_matrices(const void *row, int32_t is_transposed, int32_t site,
                           int32_t *result) {
  memcpy(result, launch->exchange(row, site, loadMatrices, is_transposed), 16);
}

void pcc_emu_multiply(const int32_t *a, const int32_t *b, const float *sums,
                      int32_t is_bfloat, int32_t site, float *result) {
  LaneFactors own;
  memcpy(own.a, a, sizeof(own.a));
  memcpy(own.b, b, sizeof(own.b));
  memcpy(own.sums, sums, sizeof(own.sums));
  auto compute = [](const void *const *offers, bool isBfloat,
                    int32_t (*words)[4]) {
    const LaneFactors *lanes[kLanes];
    float results[kLanes][4];
    for (int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = static_cast<const LaneFactors *>(offers[lane]);
    multiplyMatrices(lanes, isBfloat, results);
    memcpy(words, results, sizeof(results));
  };
  memcpy(result, launch->exchange(&own, site, compute, is_bfloat), 16);
}

void *pcc_emu_shared(void) { return launch->shared.data(); }

void pcc_emu_access(const void *address, int32_t bytes, int32_t alignment,
                    int32_t kind, int32_t site) {
  launch->access(static_cast<const char *>(address), bytes, alignment, kind & 1,
                 kind & 2, site);
}
// NOLINTEND(readability-identifier-naming)
