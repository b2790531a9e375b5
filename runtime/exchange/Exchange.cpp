//===- Exchange.cpp - Control messages over TCP ---------------------------===//

#include "runtime/exchange/Exchange.h"

#include "runtime/Backend.h"
#include "runtime/exchange/Channels.h"
#include "runtime/launch/Launch.h"
#include "runtime/support/Progress.h"

#include <algorithm>
#include <memory>

using namespace pcc;

/// Null if this is the only rank. Only disconnect() frees it: other threads may
/// end the process.
static Channels *channels = nullptr;

void exchange::connect(const Launch &launch, const Rendezvous &rendezvous) {
  channels = new Channels(launch, rendezvous);
}

void exchange::disconnect() {
  if (!channels)
    return;
  // A rank that has left does not answer any more, so all meet here first.
  backend::maxOverRanks(0);
  delete channels;
  channels = nullptr;
}

int backend::rank() { return channels ? channels->rank() : 0; }
int backend::size() { return channels ? channels->size() : 1; }

cpu_set_t exchange::ownCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores))
    CPU_ZERO(&cores);
  return cores;
}

exchange::Neighbors exchange::neighbors() {
  return channels ? channels->neighbors() : Neighbors{0, {0}, {ownCores()}};
}

int64_t exchange::sumOnHost(int64_t value) {
  Neighbors near = neighbors();
  if (near.count() == 1)
    return value;
  int first = near.ranks[0];
  if (near.index > 0) {
    backend::send(&value, sizeof(value), first);
    backend::receive(&value, sizeof(value), first);
    return value;
  }
  int64_t sum = value;
  for (int rank : near.ranks)
    if (rank != first) {
      backend::receive(&value, sizeof(value), rank);
      sum += value;
    }
  for (int rank : near.ranks)
    if (rank != first)
      backend::send(&sum, sizeof(sum), rank);
  return sum;
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
