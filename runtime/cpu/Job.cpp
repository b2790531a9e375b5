//===- Job.cpp - The ranks of a CPU program -------------------------------===//
//
// MPI is initialized only if there are other ranks or a launcher.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cpu/Context.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"

#include <algorithm>

using namespace pcc;

static MPI_Comm control = MPI_COMM_NULL;
static int ownRank = 0, worldRanks = 1;
static const int controlTag = 1;

/// The stream of control messages. Never freed.
static Stream &messages = *new Stream;

bool backend::usesMPI() { return true; }
backend::Devices backend::findDevices() { return {}; }

void backend::join(bool alone) {
  if (alone)
    return;
  communication::start();
  communication::call([] {
    checkMPI(MPI_Comm_dup(MPI_COMM_WORLD, &control), "joining the ranks");
    MPI_Comm_rank(control, &ownRank);
    MPI_Comm_size(control, &worldRanks);
  });
}

void backend::finish() {
  Operation operation("leaving the other ranks", Activity::Waits);
  communication::end();
}

void backend::abortRanks(int code) { communication::abort(code); }

int backend::rank() { return ownRank; }
int backend::size() { return worldRanks; }

/// Transfers a message in pieces; post(offset, count, request) posts one piece.
template <typename Function>
static void run(const char *name, int64_t bytes, Function post) {
  auto request = std::make_unique<Request>();
  request->name = name;
  request->pieces = (bytes + greatestCount - 1) / greatestCount;
  request->post = [=](int64_t piece, int phase, int, Posted &posted) {
    if (phase > 0)
      return false;
    int64_t at = piece * greatestCount;
    posted.emplace_back();
    checkMPI(post(at, static_cast<int>(std::min(greatestCount, bytes - at)),
                  &posted.back()),
             name);
    return true;
  };
  Operation operation(name, Activity::Waits);
  communication::run(messages, std::move(request));
}

void backend::broadcast(void *buffer, int64_t bytes, int root) {
  if (control == MPI_COMM_NULL)
    return;
  run("broadcast", bytes, [=](int64_t at, int n, MPI_Request *request) {
    return MPI_Ibcast(static_cast<char *>(buffer) + at, n, MPI_BYTE, root,
                      control, request);
  });
}

void backend::send(const void *buffer, int64_t bytes, int to) {
  run("send", bytes, [=](int64_t at, int n, MPI_Request *request) {
    return MPI_Isend(static_cast<const char *>(buffer) + at, n, MPI_BYTE, to,
                     controlTag, control, request);
  });
}

void backend::receive(void *buffer, int64_t bytes, int from) {
  run("receive", bytes, [=](int64_t at, int n, MPI_Request *request) {
    return MPI_Irecv(static_cast<char *>(buffer) + at, n, MPI_BYTE, from,
                     controlTag, control, request);
  });
}

int backend::maxOverRanks(int value) {
  if (control != MPI_COMM_NULL)
    run("barrier", 1, [&value](int64_t, int, MPI_Request *request) {
      return MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, control,
                            request);
    });
  return value;
}
