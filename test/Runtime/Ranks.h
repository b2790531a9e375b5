//===- Ranks.h - Tests that run on several ranks ----------------*- C++ -*-===//
//
// A test program starts its own ranks, which share memory, or mpirun starts
// them.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TEST_RUNTIME_RANKS_H
#define PCC_TEST_RUNTIME_RANKS_H

#include "runtime/Backend.h"
#include "runtime/launch/ExecRanks.h"
#include "runtime/launch/Launch.h"
#include "runtime/launch/Signals.h"
#include "runtime/launch/StatusBoard.h"
#include "runtime/support/Error.h"

#include <csignal>
#include <cstdlib>
#include <sys/prctl.h>
#include <vector>

/// Runs `body` on so many ranks. Returns the exit code.
template <typename Function>
int runOnRanks(int64_t ranks, char **argv, Function body) {
  using namespace pcc;
  watchSignals();
  if (isStarter())
    runStarter(argv);
  Launch launch = findLaunch();
  checkLaunch(launch, ranks, "it is a test");
  if (launch.launcher == Launcher::None)
    return startRanks(ranks, argv);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  joinStatusBoard(launch.rank);
  backend::join(/*alone=*/false);
  setErrorRank(backend::rank(), backend::size(), backend::abortRanks);
  statusJoined();
  int code = body();
  if (code)
    statusFailed(code);
  else
    statusDone();
  backend::finish();
  return code;
}

/// Memory of the arena, which collectives and transfers access.
class ArenaMemory {
public:
  /// All ranks call it, after backend::prepare().
  static void allocate() { at = pcc::backend::allocateArena(bytes, 0, {}); }
  static char *take(size_t count) {
    char *taken = at;
    at += (count + PCC_ALIGNMENT - 1) / PCC_ALIGNMENT * PCC_ALIGNMENT;
    used += at - taken;
    if (used > bytes)
      abort();
    return taken;
  }

private:
  static constexpr int64_t bytes = int64_t{256} << 20;
  static inline int64_t used = 0;
  static inline char *at = nullptr;
};

template <typename T>
struct ArenaAllocator {
  using value_type = T;
  ArenaAllocator() = default;
  template <typename U>
  ArenaAllocator(const ArenaAllocator<U> &) {}
  T *allocate(size_t n) {
    return reinterpret_cast<T *>(ArenaMemory::take(n * sizeof(T)));
  }
  void deallocate(T *, size_t) {}
  template <typename U>
  bool operator==(const ArenaAllocator<U> &) const {
    return true;
  }
  template <typename U>
  bool operator!=(const ArenaAllocator<U> &) const {
    return false;
  }
};

/// A vector in the arena.
template <typename T>
using ArenaVector = std::vector<T, ArenaAllocator<T>>;

#endif // PCC_TEST_RUNTIME_RANKS_H
