//===- NcclSockets.cpp - Ranks in the double of NCCL ----------------------===//
//
// Each pair of ranks of a communicator is connected by a local socket.
//
//===----------------------------------------------------------------------===//

#include "test/Cuda/Double/Nccl.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace fake;

void fake::die(const std::string &text) {
  fprintf(stderr, "double of NCCL: %s\n", text.c_str());
  fflush(stderr);
  abort();
}

int fake::setting(const char *name, int otherwise) {
  const char *value = getenv(name);
  return value ? atoi(value) : otherwise;
}

static const char *const kinds[] = {"all_reduce", "all_gather",
                                    "reduce_scatter", "message"};

static std::string textOf(const Header &header) {
  return std::string(header.kind < 4 ? kinds[header.kind] : "nonsense") +
         " number " + std::to_string(header.number) + " of " +
         std::to_string(header.bytes) + " bytes, type " +
         std::to_string(header.type) + ", reduction " +
         std::to_string(header.reduction);
}

void fake::hang(ncclComm &comm) {
  comm.error = ncclRemoteError;
  while (true)
    pause();
}

/// Transfers as many bytes as possible; false if the other rank is gone.
static bool move(ncclComm &comm, Flow &flow) {
  while (flow.done < flow.all()) {
    bool inHeader = flow.done < sizeof(Header);
    char *header =
        reinterpret_cast<char *>(flow.sends ? &flow.header : &flow.theirs);
    char *at = inHeader ? header + flow.done
                        : flow.data + (flow.done - sizeof(Header));
    size_t left = (inHeader ? sizeof(Header) : flow.all()) - flow.done;
    int socket = comm.sockets[flow.rank];
    ssize_t n = flow.sends ? send(socket, at, left, MSG_NOSIGNAL)
                           : recv(socket, at, left, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      return true;
    if (n <= 0)
      return false;
    flow.done += n;
    if (!flow.sends && inHeader && flow.done == sizeof(Header) &&
        memcmp(&flow.theirs, &flow.header, sizeof(Header)) != 0)
      die("rank " + std::to_string(comm.rank) + " of a communicator of " +
          std::to_string(comm.size) + " is at " + textOf(flow.header) +
          ", and rank " + std::to_string(flow.rank) + " at " +
          textOf(flow.theirs));
  }
  return true;
}

static double now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

void fake::moveAll(ncclComm &comm, std::deque<Flow> &flows) {
  double deadline = now() + setting("NCCL_DOUBLE_SECONDS", 120);
  while (true) {
    std::vector<pollfd> entries;
    std::vector<char> begun(2 * comm.size, 0);
    const Flow *waiting = nullptr;
    for (Flow &flow : flows) {
      char &isBegun = begun[2 * flow.rank + flow.sends];
      if (flow.done == flow.all() || isBegun)
        continue;
      isBegun = 1;
      if (!move(comm, flow))
        hang(comm);
      if (flow.done < flow.all()) {
        waiting = &flow;
        entries.push_back({comm.sockets[flow.rank],
                           static_cast<short>(flow.sends ? POLLOUT : POLLIN),
                           0});
      }
    }
    if (std::all_of(flows.begin(), flows.end(),
                    [](const Flow &flow) { return flow.done == flow.all(); }))
      return;
    if (entries.empty())
      continue;
    poll(entries.data(), entries.size(), 100);
    if (now() > deadline)
      die("rank " + std::to_string(comm.rank) + " of a communicator of " +
          std::to_string(comm.size) + " waits for rank " +
          std::to_string(waiting->rank) + " in " + textOf(waiting->header));
  }
}

static std::string nameOf(const ncclUniqueId &id, int rank) {
  return std::string(id.internal) + "-" + std::to_string(rank);
}

static sockaddr_un addressOf(const std::string &name, socklen_t &length) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  // An abstract socket address, without a file, starts with a zero.
  memcpy(address.sun_path + 1, name.c_str(), name.size());
  length = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  return address;
}

void fake::connectAll(ncclComm &comm, const ncclUniqueId &id) {
  socklen_t length;
  sockaddr_un own = addressOf(nameOf(id, comm.rank), length);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, reinterpret_cast<sockaddr *>(&own), length) ||
      listen(listener, comm.size))
    die(std::string("two ranks of one number: ") + strerror(errno));
  comm.sockets.assign(comm.size, -1);
  double deadline = now() + setting("NCCL_DOUBLE_SECONDS", 120);
  for (int rank = 0; rank < comm.rank; ++rank) {
    sockaddr_un theirs = addressOf(nameOf(id, rank), length);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (connect(made, reinterpret_cast<sockaddr *>(&theirs), length)) {
      if (now() > deadline)
        die("rank " + std::to_string(rank) + " does not come");
      usleep(5000);
    }
    if (send(made, &comm.rank, sizeof(int), MSG_NOSIGNAL) != sizeof(int))
      hang(comm);
    comm.sockets[rank] = made;
  }
  for (int i = comm.rank + 1; i < comm.size; ++i) {
    pollfd entry = {listener, POLLIN, 0};
    int rank, made = -1;
    if (poll(&entry, 1, static_cast<int>(1000 * (deadline - now()))) == 1)
      made = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (made < 0 || read(made, &rank, sizeof(rank)) != sizeof(rank))
      die("a rank does not come");
    comm.sockets[rank] = made;
  }
  close(listener);
}

int fake::findEqual(ncclComm &comm, const std::string &text) {
  char own[128] = "", theirs[128];
  text.copy(own, sizeof(own) - 1);
  for (int socket : comm.sockets)
    if (socket >= 0 && send(socket, own, sizeof(own), MSG_NOSIGNAL) < 0)
      hang(comm);
  int found = -1;
  for (int rank = 0; rank < comm.size; ++rank) {
    int socket = comm.sockets[rank];
    if (socket < 0)
      continue;
    if (recv(socket, theirs, sizeof(theirs), MSG_WAITALL) != sizeof(theirs))
      hang(comm);
    if (!memcmp(own, theirs, sizeof(own)))
      found = rank;
    fcntl(socket, F_SETFL, O_NONBLOCK);
  }
  return found;
}
