//===- Exchange.h - Ranks that talk by TCP ----------------------*- C++ -*-===//
//
// The control messages of Backend.h for back ends without MPI: start-up,
// checkpoints, the end of a step. What is computed does not pass here. Every
// rank has a connection with rank 0 from the start; two others connect when one
// sends to the other for the first time:
//
//   rank 1 ---- rank 0 ---- rank 2      cards, barriers, broadcasts
//   rank 1 -----------------> rank 2    the pieces of a checkpoint
//
// Only the main thread communicates, and waits where it does. A rank that died
// closes its connections; the lifeline tells of it, and this as a last resort.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_EXCHANGE_EXCHANGE_H
#define PCC_RUNTIME_EXCHANGE_EXCHANGE_H

#include <cstdint>
#include <sched.h>
#include <vector>

namespace pcc {
namespace exchange {

/// The ranks that share this one's host.
struct Neighbors {
  int index = 0; ///< this one's number among them, in the order of ranks
  int count = 1; ///< this one included
  /// The cores that each may run on, by its number; none where that could not
  /// be found out.
  std::vector<cpu_set_t> cores;
};
/// The cores that this process may run on.
cpu_set_t ownCores();
/// Known once backend::join() has returned.
Neighbors neighbors();

/// The greatest number of bytes that the system is given at once. Tests lower
/// it.
extern int64_t greatestPiece;

} // namespace exchange
} // namespace pcc

#endif // PCC_RUNTIME_EXCHANGE_EXCHANGE_H
