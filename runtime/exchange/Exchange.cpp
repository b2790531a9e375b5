//===- Exchange.cpp - Control messages over TCP ---------------------------===//

#include "runtime/exchange/Exchange.h"

#include "runtime/Backend.h"
#include "runtime/exchange/Channels.h"
#include "runtime/launch/Launch.h"
#include "runtime/support/Progress.h"

#include <algorithm>
#include <memory>
#include <unistd.h>

using namespace pcc;

/// Null if this is the only rank. Only finish() frees it: other threads may end
/// the process.
static Channels *channels = nullptr;

bool backend::usesMPI() { return false; }

void backend::join(bool alone) {
  Launch launch = findLaunch();
  if (!alone && launch.size > 1)
    channels = new Channels(launch);
}

void backend::finish() {
  Operation operation("leaving the other ranks", Activity::Waits);
  // A rank that has left does not answer any more, so all meet here first.
  maxOverRanks(0);
  delete channels;
  channels = nullptr;
}

// The heartbeat connection has told the other ranks, which end by themselves.
void backend::abortRanks(int code) { _exit(code); }

int backend::rank() { return channels ? channels->rank() : 0; }
int backend::size() { return channels ? channels->size() : 1; }

cpu_set_t exchange::ownCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores))
    CPU_ZERO(&cores);
  return cores;
}

exchange::Neighbors exchange::neighbors() {
  return channels ? channels->neighbors() : Neighbors{0, 1, {ownCores()}};
}

void backend::broadcast(void *buffer, int64_t bytes, int root) {
  Operation operation("broadcast", Activity::Waits);
  // Through rank 0, which has a connection with every other rank.
  if (rank() == 0) {
    if (root != 0)
      channels->receive(root, MessageKind::Broadcast, buffer, bytes);
    for (int to = 1; to < size(); ++to)
      if (to != root)
        channels->send(to, MessageKind::Broadcast, buffer, bytes);
  } else if (rank() == root) {
    channels->send(0, MessageKind::Broadcast, buffer, bytes);
  } else {
    channels->receive(0, MessageKind::Broadcast, buffer, bytes);
  }
}

void backend::send(const void *buffer, int64_t bytes, int to) {
  Operation operation("send", Activity::Waits);
  channels->send(to, MessageKind::Message, buffer, bytes);
}

void backend::receive(void *buffer, int64_t bytes, int from) {
  Operation operation("receive", Activity::Waits);
  channels->receive(from, MessageKind::Message, buffer, bytes);
}

int backend::maxOverRanks(int value) {
  Operation operation("barrier", Activity::Waits);
  int32_t most = value, other;
  if (rank() == 0) {
    for (int from = 1; from < size(); ++from) {
      channels->receive(from, MessageKind::Barrier, &other, sizeof(other));
      most = std::max(most, other);
    }
    for (int to = 1; to < size(); ++to)
      channels->send(to, MessageKind::Barrier, &most, sizeof(most));
  } else {
    channels->send(0, MessageKind::Barrier, &most, sizeof(most));
    channels->receive(0, MessageKind::Barrier, &most, sizeof(most));
  }
  return most;
}
