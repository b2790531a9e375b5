//===- Watch.cpp - Tests of hang detection --------------------------------===//

#include "runtime/launch/Interfaces.h"
#include "runtime/launch/Stall.h"
#include "runtime/support/Progress.h"
#include "test/Runtime/Check.h"

#include <arpa/inet.h>
#include <thread>
#include <unistd.h>

using namespace pcc;

static void testClock() {
  RunningClock clock(0.1);
  CHECK(!clock.update(100));
  CHECK(!clock.update(100.1));
  CHECK(!clock.update(101.0)); // busy cores
  CHECK(clock.now() > 0.9 && clock.now() < 1.1);
  CHECK(clock.update(131)); // Ctrl-Z for 30 s
  CHECK(clock.now() < 1.2);
  CHECK(!clock.update(131.1));
}

/// The state of a rank that last made progress, and last sent a heartbeat, at
/// these times.
static RankState rankOf(Activity doing, double moved, double heard) {
  RankState state;
  state.progress.doing = doing;
  state.moved = moved;
  state.heard = heard;
  return state;
}

static void testStall() {
  const double timeout = 10, now = 100;
  auto waits = [](double moved) { return rankOf(Activity::Waits, moved, 100); };
  auto find = [&](std::vector<RankState> ranks) {
    return findStall(ranks, now, timeout);
  };
  // A busy rank keeps all others waiting; so does a slow flush.
  CHECK(!find({waits(10), waits(10), rankOf(Activity::Works, 91, 100)}).found);
  CHECK(!find({waits(10), rankOf(Activity::Flushes, 30, 100)}).found);
  // Silent ranks are reported before one that is only idle.
  Stall stall = find({waits(90), rankOf(Activity::Waits, 89, 89),
                      rankOf(Activity::Works, 89, 100)});
  CHECK(stall.found && stall.isSilent && stall.ranks == std::vector<int>{1});
  // A silent rank is reported although it flushes.
  stall = find({waits(90), rankOf(Activity::Flushes, 89, 89)});
  CHECK(stall.found && stall.isSilent && stall.ranks == std::vector<int>{1});
  stall = find({waits(90), rankOf(Activity::Works, 89, 100)});
  CHECK(stall.found && !stall.isSilent && stall.ranks == std::vector<int>{1});
  stall = find({waits(90), waits(80)});
  CHECK(stall.found && stall.ranks.empty());
  // A rank that has left is not reported.
  RankState left = rankOf(Activity::Works, 0, 0);
  left.isPresent = false;
  CHECK(!find({waits(95), left}).found);
  stall = find({waits(90), left, rankOf(Activity::Works, 1, 1)});
  CHECK(stall.ranks == std::vector<int>{2});

  // Only changes count as progress.
  RankState state;
  Progress progress;
  progress.sum = 7;
  state.hear(progress, 1);
  state.hear(progress, 2);
  CHECK(state.moved == 1 && state.heard == 2);
  ++progress.sum;
  state.hear(progress, 3);
  CHECK(state.moved == 3);
  state.restart(9);
  CHECK(state.moved == 9 && state.heard == 9);
}

/// Read by another thread, because reads of this one count as progress.
static Progress read() {
  Progress progress;
  std::thread([&] { progress = readProgress(); }).join();
  return progress;
}

static void writeBytes() {
  int ends[2];
  CHECK(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3);
  close(ends[0]);
  close(ends[1]);
}

/// Whether a thread that watches sees progress while `work` is done here.
static bool seesProgress(void (*work)()) {
  std::atomic<bool> began{false}, ended{false};
  bool moved = false;
  std::thread watcher([&] {
    readProgress();
    uint64_t before = readProgress().sum;
    began = true;
    while (!ended) {
    }
    moved = readProgress().sum != before;
  });
  while (!began) {
  }
  work();
  ended = true;
  watcher.join();
  return moved;
}

static void testProgress() {
  setPhase("step", 12);
  CHECK(read().text == "step 12");
  Progress before, after;
  {
    Operation outer("run");
    CHECK(read().text == "'run' of step 12");
    {
      Operation inner("all_reduce", Activity::Waits, " over tp");
      before = read();
      CHECK(before.text == "'all_reduce over tp' of step 12");
      CHECK(before.doing == Activity::Waits);
      CHECK(read().sum == before.sum);
      // Bytes of the communication thread, which this one stands for, count
      // during an operation, and so do pieces.
      progressNotes.communicator = getpid();
      before = read();
      CHECK(read().sum == before.sum);
      writeBytes();
      after = read();
      CHECK(after.sum != before.sum);
      advanceCommunication();
      CHECK(read().sum != after.sum);
    }
    CHECK(read().sum != after.sum);
    CHECK(read().doing == Activity::Works);
    Operation file("write", std::string("a/b/model.safetensors"));
    CHECK(read().text == "'write model.safetensors' of step 12");
    // For a busy rank, bytes of all other threads count as progress.
    CHECK(!seesProgress([] {
      writeBytes();
      std::vector<char> touched(1 << 22, 1);
    }));
    CHECK(seesProgress([] { std::thread(writeBytes).join(); }));
    progressNotes.communicator = 0;
  }
  setPhase("the export");
  CHECK(read().text == "the export");
}

static in_addr_t host(const char *text) {
  in_addr address = {};
  CHECK(inet_pton(AF_INET, text, &address) == 1);
  return address.s_addr;
}

static void testInterfaces() {
  CHECK(isListed("ib0,eth1", "eth1", host("10.0.0.1")));
  CHECK(!isListed("ib0,eth1", "eth0", host("10.0.0.1")));
  CHECK(isListed("lo,10.0.0.0/8", "eth0", host("10.1.2.3")));
  CHECK(!isListed("10.0.0.0/16", "eth0", host("10.1.2.3")));
  CHECK(isListed("0.0.0.0/0", "eth0", host("10.1.2.3")));
  CHECK(!isListed("10.0.0.0/99,x/8", "eth0", host("10.1.2.3")));

  in_addr_t mask = host("255.255.255.0");
  // Each host has a bridge with this address, which leads to no other host.
  Address bridge = {host("172.17.0.1"), mask};
  Address first = {host("10.0.1.1"), mask}, second = {host("10.0.2.1"), mask};
  std::vector<Address> shared = sharedAddresses(
      {bridge, first, second}, {{bridge, {host("10.0.2.7"), mask}}});
  CHECK(shared.size() == 1 && shared[0].host == second.host);
  shared = sharedAddresses(
      {bridge, first, second},
      {{bridge, {host("10.0.2.7"), mask}}, {{host("10.0.1.8"), mask}, bridge}});
  CHECK(shared.size() == 2);
  CHECK(sharedAddresses({first}, {{}}).size() == 1);
}

int main() {
  testClock();
  testStall();
  testProgress();
  testInterfaces();
  return checkResult();
}
