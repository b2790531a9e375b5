//===- Exchange.h - Control messages over TCP -------------------*- C++ -*-===//
//
// The control messages of Backend.h: startup, checkpoints and the end of a
// step. Compiled code's data is not sent here. Every rank has a connection with
// rank 0 from the start. Two other ranks connect when one of them first sends
// to the other, once per direction:
//
//   rank 1 ---- rank 0 ---- rank 2      endpoints, barriers, broadcasts
//   rank 1 -----------------> rank 2    the pieces of a checkpoint
//
// Only the main thread communicates, and it blocks. A rank that dies closes its
// connections. The heartbeat connection normally reports it; the code here does
// so as a last resort.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_EXCHANGE_EXCHANGE_H
#define PCC_RUNTIME_EXCHANGE_EXCHANGE_H

#include "runtime/exchange/Rendezvous.h"
#include "runtime/launch/Launch.h"

#include <cstdint>
#include <sched.h>
#include <vector>

namespace pcc {
namespace exchange {

/// The ranks on this rank's host.
struct Neighbors {
  int index = 0; ///< this rank's number among them, in rank order
  /// Their numbers, including this rank's.
  std::vector<int> ranks = {0};
  int count() const { return static_cast<int>(ranks.size()); }
  /// For each of them the cores on which it may run; empty if unknown.
  std::vector<cpu_set_t> cores;
};
/// The cores on which this process may run.
cpu_set_t ownCores();
/// Valid once backend::join() has returned.
Neighbors neighbors();

/// Connects the ranks of a launch; all of them call it.
void connect(const Launch &launch, const Rendezvous &rendezvous);
/// Waits for all ranks and closes the connections.
void disconnect();
/// Returns the sum of the values of the ranks on this host, which all call it.
int64_t sumOnHost(int64_t value);

/// The maximum number of bytes in one system call. Tests lower it.
extern int64_t greatestPiece;

} // namespace exchange
} // namespace pcc

#endif // PCC_RUNTIME_EXCHANGE_EXCHANGE_H
