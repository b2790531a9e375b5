//===- Transport.cpp - Communication by MPI -------------------------------===//

#include "runtime/mpi/Transport.h"

#include "runtime/cpu/ArenaMemory.h"
#include "runtime/mpi/IdleThreads.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <climits>
#include <unistd.h>

using namespace pcc;
using namespace pcc::mpi;

// Large messages are divided into pieces of this many elements.
int64_t mpi::greatestCount = INT_MAX / 2;

void MPITransport::begin() {
  const Library &mpi = library();
  int provided = 0;
  std::set<int> before = threadIds();
  if (mpi.Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided))
    fail(ExitCommunication, "MPI cannot be started");
  for (int id : threadIds())
    if (!before.count(id))
      threads.insert(id);
  // Communicators derived from this one inherit its error handler.
  mpi.Comm_set_errhandler(mpi.world, mpi.returnErrors);
  check(mpi.Comm_dup(mpi.world, &transfers), "making a communicator");
}

void MPITransport::finish() {
  // Ten seconds exceed the time that a thread waits for a core on a busy host.
  waitUntilIdle(threads, 10000);
  library().Finalize();
}

void MPITransport::poll() {
  const Library &mpi = library();
  int isThere;
  check(mpi.Iprobe(MPI_ANY_SOURCE, 0, mpi.world, &isThere, MPI_STATUS_IGNORE),
        "probing for messages");
}

bool MPITransport::areComplete(std::vector<void *> &messages,
                               const char *name) {
  static_assert(sizeof(MPI_Request) == sizeof(void *));
  int areOver = 0;
  check(library().Testall(static_cast<int>(messages.size()),
                          reinterpret_cast<MPI_Request *>(messages.data()),
                          &areOver, MPI_STATUSES_IGNORE),
        name);
  return areOver;
}

void MPITransport::abort(int code) {
  library().Abort(library().world, code);
  _exit(code);
}

void MPITransport::connect(Communicator &communicator) {
  const Library &mpi = library();
  auto link = std::make_unique<Link>();
  const char *what = "making a communicator";
  // The lowest rank distinguishes the communicators of different ranks.
  check(mpi.Comm_split(mpi.world,
                       *std::min_element(communicator.ranks.begin(),
                                         communicator.ranks.end()),
                       communicator.index, &link->comm),
        what);
  MPI_Comm host;
  check(mpi.Comm_split_type(link->comm, MPI_COMM_TYPE_SHARED, 0, mpi.noInfo,
                            &host),
        "finding the ranks of this host");
  int onHost = 0;
  mpi.Comm_size(host, &onHost);
  mpi.Comm_free(&host);
  // The ranks of a communicator must divide a message in the same way.
  int local = onHost == communicator.size();
  check(mpi.Allreduce(MPI_IN_PLACE, &local, 1, mpi.i32, mpi.min, link->comm),
        what);
  link->oneHost = local;
  communicator.link = std::move(link);
}

// Both sides divide a transfer in the same way; pieces of one channel arrive in
// order.
static void post(MPI_Comm comm, const Message &message, Posted &posted) {
  const Library &mpi = library();
  for (int64_t at = 0; at < message.bytes; at += greatestCount) {
    int n = static_cast<int>(std::min(greatestCount, message.bytes - at));
    char *piece = message.buffer + at;
    MPI_Request made;
    check(message.sends ? mpi.Isend(piece, n, mpi.byte, message.peer,
                                    message.channel, comm, &made)
                        : mpi.Irecv(piece, n, mpi.byte, message.peer,
                                    message.channel, comm, &made),
          message.sends ? "send" : "receive");
    posted.messages.push_back(made);
  }
}

void MPITransport::transfer(Request &request,
                            const std::vector<Message> &messages) {
  request.post = [=, comm = transfers](int64_t, int phase, int,
                                       Posted &posted) {
    if (phase == 0)
      for (const Message &message : messages)
        post(comm, message, posted);
    return phase == 0;
  };
}

char *MPITransport::allocateArena(int64_t bytes, char *at) {
  return allocatePrivateArena(bytes, at);
}
