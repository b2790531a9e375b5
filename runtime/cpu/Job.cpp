//===- Job.cpp - The ranks of a CPU program -------------------------------===//
//
// MPI is started only where there are other ranks or a launcher to talk to.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/IdleThreads.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"

#include <algorithm>
#include <csignal>
#include <unistd.h>

using namespace pcc;

static MPI_Comm control = MPI_COMM_NULL;
static int ownRank = 0, worldRanks = 1;
static const int controlTag = 1;

/// The threads that MPI started.
static std::set<int> threadsOfMPI;

void pcc::checkMPI(int status, const char *what) {
  if (status == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  fail(ExitCommunication, format("%s failed: %s", what, text));
}

void backend::join(bool alone) {
  if (alone)
    return;
  int provided = 0;
  std::set<int> before = threadIds();
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided))
    fail(ExitCommunication, "MPI cannot be started");
  for (int thread : threadIds())
    if (!before.count(thread))
      threadsOfMPI.insert(thread);
  // What is duplicated from it inherits the handler.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  checkMPI(MPI_Comm_dup(MPI_COMM_WORLD, &control), "joining the ranks");
  MPI_Comm_rank(control, &ownRank);
  MPI_Comm_size(control, &worldRanks);
}

void backend::finish() {
  if (control == MPI_COMM_NULL)
    return;
  Operation operation("leaving the other ranks", Doing::Waits);
  // Ten seconds are more than a busy host keeps a thread waiting.
  waitUntilIdle(threadsOfMPI, 10000);
  MPI_Finalize();
}

void backend::abortRanks(int code) {
  if (control != MPI_COMM_NULL)
    MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

int backend::rank() { return ownRank; }
int backend::size() { return worldRanks; }

template <typename Function>
static void inPieces(int64_t bytes, Function piece) {
  for (int64_t at = 0; at < bytes; at += greatestCount) {
    piece(at, static_cast<int>(std::min(greatestCount, bytes - at)));
    advance();
  }
}

void backend::broadcast(void *buffer, int64_t bytes, int root) {
  if (control == MPI_COMM_NULL)
    return;
  Operation operation("broadcast", Doing::Waits);
  inPieces(bytes, [&](int64_t at, int n) {
    checkMPI(
        MPI_Bcast(static_cast<char *>(buffer) + at, n, MPI_BYTE, root, control),
        "broadcast");
  });
}

void backend::send(const void *buffer, int64_t bytes, int to) {
  Operation operation("send", Doing::Waits);
  inPieces(bytes, [&](int64_t at, int n) {
    checkMPI(MPI_Send(static_cast<const char *>(buffer) + at, n, MPI_BYTE, to,
                      controlTag, control),
             "send");
  });
}

void backend::receive(void *buffer, int64_t bytes, int from) {
  Operation operation("receive", Doing::Waits);
  inPieces(bytes, [&](int64_t at, int n) {
    checkMPI(MPI_Recv(static_cast<char *>(buffer) + at, n, MPI_BYTE, from,
                      controlTag, control, MPI_STATUS_IGNORE),
             "receive");
  });
}

int backend::maxOverRanks(int value) {
  Operation operation("barrier", Doing::Waits);
  if (control != MPI_COMM_NULL)
    checkMPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, control),
             "a barrier");
  return value;
}
