//===- Job.cpp - The ranks of a CPU program -------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cpu/Context.h"
#include "runtime/exchange/Exchange.h"
#include "runtime/mpi/Transport.h"
#include "runtime/shared/Transport.h"
#include "runtime/support/Progress.h"

using namespace pcc;

bool backend::usesMPI() { return true; }
backend::Devices backend::findDevices() { return {}; }

/// How long a waiting rank may spin, in seconds. Sleeping and waking up takes
/// longer, but a spinning rank may take the core from the one it waits for.
static double spinSeconds() {
  exchange::Neighbors near = exchange::neighbors();
  int cores = CPU_COUNT(&near.cores.at(near.index));
  return near.count() <= cores ? 50e-6 : 0;
}

void backend::join(bool alone) {
  if (alone)
    return;
  Launch launch = findLaunch();
  if (launch.launcher == Launcher::SelfStarted) {
    exchange::connect(launch, findRendezvous(launch));
    communication::start(std::make_unique<shared::SharedTransport>(
        rank(), size(), spinSeconds()));
    return;
  }
  communication::start(std::make_unique<mpi::MPITransport>());
  Rendezvous rendezvous;
  communication::call([&] { rendezvous = mpi::findRendezvous(launch); });
  exchange::connect(launch, rendezvous);
}

void backend::finish() {
  Operation operation("leaving the other ranks", Activity::Waits);
  communication::end();
  exchange::disconnect();
}

void backend::abortRanks(int code) { communication::abort(code); }
