//===- Exchange.cpp - Control messages of ranks without MPI ---------------===//
//
// Runs on any number of ranks, as the launcher says. Tests every operation of
// runtime/exchange with messages of 0 bytes, of odd sizes and of more than 2
// GiB, in pieces as large as the system accepts and of 7 bytes. With an
// argument one rank misbehaves:
//
//   die R     rank R is killed in the middle of a message to rank 0
//   leave R   rank R exits with code 42
//   differ    rank 1 sends fewer bytes than rank 0 expects
//
//===----------------------------------------------------------------------===//

#include "runtime/exchange/Exchange.h"
#include "runtime/Backend.h"
#include "runtime/exchange/Rendezvous.h"
#include "runtime/launch/Heartbeat.h"
#include "runtime/support/Error.h"
#include "test/Runtime/Check.h"

#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <netinet/tcp.h>
#include <numeric>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

// There is no program: runtime/train contains a program's main.
const pcc_program pcc_the_program = {};

static std::vector<char> textOf(int rank, int64_t bytes) {
  std::vector<char> text(bytes);
  for (int64_t i = 0; i < bytes; ++i)
    text[i] = static_cast<char>(rank * 31 + i * 7 + i / 251);
  return text;
}

static void testSizes(int64_t bytes) {
  int own = backend::rank(), ranks = backend::size();
  for (int root : {0, ranks - 1, ranks / 2}) {
    std::vector<char> text =
        own == root ? textOf(root, bytes) : std::vector<char>(bytes, 'x');
    backend::broadcast(text.data(), bytes, root);
    CHECK(text == textOf(root, bytes));
  }
  // Every rank sends to every other, in an order without circular waits.
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      if (from == to)
        continue;
      std::vector<char> text = textOf(from * ranks + to, bytes);
      if (own == from)
        backend::send(text.data(), bytes, to);
      if (own == to) {
        std::vector<char> got(bytes, 'x');
        backend::receive(got.data(), bytes, from);
        CHECK(got == text);
      }
    }
}

/// Messages that are sent before the receiver waits for them keep their order.
static void testOrder() {
  int own = backend::rank(), ranks = backend::size();
  for (int to = 0; to < ranks; ++to)
    for (int i = 0; i < 3 && to != own; ++i) {
      int32_t value = 100 * own + i;
      backend::send(&value, 4, to);
    }
  for (int i = 0; i < ranks; ++i) {
    int from = (own + i) % ranks;
    for (int j = 0; j < 3 && from != own; ++j) {
      int32_t value = -1;
      backend::receive(&value, 4, from);
      CHECK(value == 100 * from + j);
    }
  }
}

/// A message of more than 2 GiB, whose memory maps the same 64 MiB repeatedly.
static void testHuge() {
  const int64_t part = int64_t{64} << 20, parts = 33;
  int file = memfd_create("huge", MFD_CLOEXEC);
  CHECK(file >= 0 && ftruncate(file, part) == 0);
  auto *memory = static_cast<char *>(mmap(nullptr, parts * part, PROT_NONE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (int64_t i = 0; i < parts; ++i)
    CHECK(mmap(memory + i * part, part, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED, file, 0) == memory + i * part);
  int64_t bytes = parts * part - 3;
  int last = backend::size() - 1;
  std::vector<char> text = textOf(5, part);
  if (backend::rank() == last) {
    memcpy(memory, text.data(), part);
    backend::send(memory, bytes, 0);
  } else if (backend::rank() == 0) {
    backend::receive(memory, bytes, last);
    CHECK(std::equal(text.begin(), text.end(), memory));
  }
  munmap(memory, parts * part);
  close(file);
}

/// A rank may be stopped for any time while messages wait for it: only
/// heartbeats may end its connections.
static void testPatience() {
  const int most = 1024;
  for (int socket = 0; socket < most; ++socket) {
    unsigned milliseconds = 0;
    socklen_t length = sizeof(milliseconds);
    if (!getsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds,
                    &length))
      CHECK(milliseconds == 0);
  }
}

static void testNames() {
  CHECK(firstHost("gpu03") == "gpu03");
  CHECK(firstHost("gpu[03-05,9],cpu1") == "gpu03");
  CHECK(firstHost("a,b") == "a");
  CHECK(firstHost("rack[2,4]node[7-9].x") == "rack2node7.x");
  auto found =
      addressesOfUri("1.0;tcp://10.0.0.1,10.1.0.1:4000;tcp6://[::1]:4");
  CHECK(found.size() == 2 && found[0] == inet_addr("10.0.0.1") &&
        found[1] == inet_addr("10.1.0.1"));
  CHECK(addressesOfUri("").empty() &&
        addressesOfUri("1.0;tcp6://[::1]:4").empty());
  CHECK(tasksOfNode("4", 0) == 4 && tasksOfNode("4", 1) == -1);
  CHECK(tasksOfNode("4(x2),3", 1) == 4 && tasksOfNode("4(x2),3", 2) == 3);
  CHECK(tasksOfNode("4,3(x12)", 0) == 4 && tasksOfNode("4,3(x12)", 12) == 3);
  CHECK(tasksOfNode("4,3(x12)", 13) == -1 && tasksOfNode("4", -1) == -1);
  CHECK(tasksOfNode("", 0) == -1 && tasksOfNode("4(x", 0) == -1);
}

[[noreturn]] static void misbehave(const std::string &how, int who) {
  int own = backend::rank();
  std::vector<char> text(1 << 26, 'x');
  if (own == who && how == "leave")
    fail(static_cast<ExitCode>(42), "this rank gives up");
  if (own == who && how == "die") {
    // The message is longer than the socket buffers of both sides.
    alarm(1);
    backend::send(text.data(), static_cast<int64_t>(text.size()), 0);
  } else if (own == 1 && how == "differ") {
    backend::send(text.data(), 8, 0);
  } else if (own == 0) {
    if (how == "die")
      sleep(2);
    backend::receive(text.data(), static_cast<int64_t>(text.size()), who);
    if (how == "die")
      backend::receive(text.data(), 1, who);
  }
  backend::maxOverRanks(0);
  _exit(99);
}

/// One of the given cores, by rank.
static cpu_set_t oneCore(const cpu_set_t &all, int rank) {
  cpu_set_t one;
  CPU_ZERO(&one);
  int left = rank % CPU_COUNT(&all);
  for (int core = 0; left >= 0; ++core)
    if (CPU_ISSET(core, &all) && left-- == 0)
      CPU_SET(core, &one);
  return one;
}

int main(int argc, char **argv) {
  Launch launch = findLaunch();
  setErrorRank(launch.rank, static_cast<int>(launch.size), nullptr);
  // If all ranks are on this host, each is bound to a core at the rendezvous.
  bool isBound = getenv("EXPECTED_NEIGHBORS");
  cpu_set_t all = exchange::ownCores();
  if (isBound) {
    cpu_set_t own = oneCore(all, static_cast<int>(launch.rank));
    CHECK(!sched_setaffinity(0, sizeof(own), &own));
  }
  backend::join(/*alone=*/launch.launcher == Launcher::None);
  CHECK(!sched_setaffinity(0, sizeof(all), &all));
  setErrorRank(backend::rank(), backend::size(), backend::abortRanks);
  CHECK(backend::rank() == launch.rank && backend::size() == launch.size);
  const char *bare = getenv("PLAIN_NO_LIFELINE");
  if (!bare)
    startHeartbeat({});
  if (argc > 1)
    misbehave(argv[1], argc > 2 ? atoi(argv[2]) : 1);

  testNames();
  exchange::Neighbors near = exchange::neighbors();
  if (const char *expected = getenv("EXPECTED_NEIGHBORS"))
    CHECK(near.count() == atoi(expected) && near.index < near.count());
  CHECK(near.cores.size() == static_cast<size_t>(near.count()));
  for (int i = 0; isBound && i < near.count(); ++i) {
    cpu_set_t expected = oneCore(all, i);
    CHECK(CPU_EQUAL(&near.cores[i], &expected));
  }
  CHECK(backend::maxOverRanks(backend::rank()) == backend::size() - 1);
  CHECK(backend::maxOverRanks(-5 - backend::rank()) == -5);
  for (int64_t pieces : {exchange::greatestPiece, int64_t{7}}) {
    exchange::greatestPiece = pieces;
    for (int64_t bytes : {0, 1, 3, 1000, 65537})
      testSizes(bytes);
    testOrder();
  }
  exchange::greatestPiece = int64_t{1} << 30;
  if (bare)
    testPatience();
  if (backend::size() > 1 && getenv("EXCHANGE_HUGE"))
    testHuge();
  failures = backend::maxOverRanks(failures);
  int result = backend::rank() == 0 ? checkResult() : failures != 0;
  backend::finish();
  endHeartbeat(0);
  return result;
}
