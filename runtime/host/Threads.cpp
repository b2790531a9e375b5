//===- Threads.cpp - The threads of a rank --------------------------------===//

#include "runtime/host/Threads.h"

#include "runtime/Backend.h"

#include <algorithm>

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the names of OpenMP.
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
void omp_set_num_threads(int);
void omp_set_dynamic(int);
int omp_get_max_threads(void);
// NOLINTEND(readability-identifier-naming)
}

using namespace pcc;

void pcc::setThreads(int threads) {
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
}

int pcc::getThreads() { return omp_get_max_threads(); }

namespace {
struct ThreadGroup {
  void (*body)(void *, int);
  void *data;
  int parts;
};
} // namespace

static void groupMember(void *argument) {
  auto *group = static_cast<ThreadGroup *>(argument);
  // The system may start fewer threads than requested.
  int step = omp_get_num_threads();
  for (int part = omp_get_thread_num(); part < group->parts; part += step)
    group->body(group->data, part);
}

void pcc::runParts(int parts, void (*body)(void *, int), void *data) {
  ThreadGroup group{body, data, parts};
  GOMP_parallel(groupMember, &group, parts, 0);
}

namespace {
struct Launch {
  pcc_work_items kernel;
  void *const *args;
  int64_t n;
  int parts;
};
} // namespace

static void launchPart(void *argument, int part) {
  auto *launch = static_cast<Launch *>(argument);
  int64_t each = launch->n / launch->parts, rest = launch->n % launch->parts;
  int64_t begin = each * part + std::min<int64_t>(part, rest);
  launch->kernel(launch->args, begin, begin + each + (part < rest));
}

void pcc::runWorkItems(int threads, pcc_work_items kernel, void *const *args,
                       int64_t n, int64_t grain) {
  if (n <= 0)
    return;
  int64_t worth = grain > 1 ? (n + grain - 1) / grain : n;
  int parts = static_cast<int>(std::min<int64_t>(threads, worth));
  if (parts <= 1) {
    kernel(args, 0, n);
    return;
  }
  Launch launch{kernel, args, n, parts};
  runParts(parts, launchPart, &launch);
}

namespace {
struct Loop {
  const std::function<void(int64_t, int64_t)> &body;
  int64_t n;
  int parts;
};
} // namespace

int backend::threads() { return omp_get_max_threads(); }

void backend::parallelFor(int64_t n,
                          const std::function<void(int64_t, int64_t)> &body) {
  int parts = static_cast<int>(std::min<int64_t>(threads(), n));
  if (parts <= 1) {
    body(0, n);
    return;
  }
  Loop loop{body, n, parts};
  runParts(
      parts,
      [](void *argument, int part) {
        auto *loop = static_cast<Loop *>(argument);
        loop->body(loop->n * part / loop->parts,
                   loop->n * (part + 1) / loop->parts);
      },
      &loop);
}

int pcc::fairThreads(const unsigned char *masks, int64_t maskBytes,
                     int processes, int own) {
  double share = 0;
  for (int64_t bit = 0; bit < maskBytes * 8; ++bit) {
    auto has = [&](int process) {
      return masks[process * maskBytes + bit / 8] >> bit % 8 & 1;
    };
    if (!has(own))
      continue;
    int users = 0;
    for (int process = 0; process < processes; ++process)
      users += has(process);
    share += 1.0 / users;
  }
  return std::max(1, static_cast<int>(share + 1e-6));
}
