//===- Stall.cpp - Finds the rank that stalls a job -----------------------===//

#include "runtime/launch/Stall.h"

#include <algorithm>

using namespace pcc;

bool RunningClock::update(double steady) {
  double elapsed = last < 0 ? 0 : steady - last;
  last = steady;
  // On busy cores a thread waits less than a second.
  bool stopped = elapsed > tick + 1;
  seconds += stopped ? tick : elapsed;
  return stopped;
}

void RankState::hear(const Progress &now, double time) {
  heard = time;
  if (now.sum != progress.sum || movedAt == 0) {
    moved = time;
    movedAt = ::time(nullptr);
  }
  progress = now;
}

void RankState::restart(double now) {
  heard = moved = now;
  movedAt = ::time(nullptr);
}

Stall pcc::findStall(const std::vector<RankState> &ranks, double now,
                     double timeout) {
  Stall stall;
  std::vector<int> silent, idle;
  for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
    const RankState &state = ranks[rank];
    if (!state.isPresent)
      continue;
    // The cause of a stall has been silent for the whole timeout; half of it is
    // more than a heartbeat takes.
    bool isSilent = now - state.heard >= timeout / 2;
    bool flushes = !isSilent && state.progress.doing == Activity::Flushes;
    double limit = flushes ? std::max(timeout, leastFlush) : timeout;
    if (now - state.moved < limit)
      return stall;
    if (isSilent)
      silent.push_back(rank);
    else if (state.progress.doing != Activity::Waits)
      idle.push_back(rank);
  }
  stall.found = true;
  stall.isSilent = !silent.empty();
  stall.ranks = stall.isSilent ? silent : idle;
  return stall;
}
