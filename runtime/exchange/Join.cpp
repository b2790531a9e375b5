//===- Join.cpp - Back ends that never use MPI ----------------------------===//

#include "runtime/Backend.h"
#include "runtime/exchange/Exchange.h"
#include "runtime/launch/Launch.h"
#include "runtime/support/Progress.h"

#include <unistd.h>

using namespace pcc;

bool backend::usesMPI() { return false; }

void backend::join(bool alone) {
  Launch launch = findLaunch();
  if (!alone && launch.size > 1)
    exchange::connect(launch, findRendezvous(launch));
}

void backend::finish() {
  Operation operation("leaving the other ranks", Activity::Waits);
  exchange::disconnect();
}

// The heartbeat connection has told the other ranks, which end by themselves.
void backend::abortRanks(int code) { _exit(code); }
