//===- Traffic.h - Memory traffic of a kernel -------------------*- C++ -*-===//
//
// Checks the memory traffic of kernels. The emulator counts the sectors of 32
// bytes that a kernel reads and writes without a cache, and the distinct
// sectors among them. The distinct sectors are the minimum. The bounds are:
// - A kernel of more than 1 MiB may move 1.1 times the minimum; 1.3 times if it
//   looks up rows, adds to rows that it looks up, or sums over rows.
// - A kernel of more than 4 MiB must have at least 256 blocks, as otherwise a
//   large device is partly idle.
// - Attention by tiles must read operands that exceed shared memory repeatedly.
//   It may move 1.01 times the sectors that tiles of 128 queries read, in the
//   gradient also tiles of 128 keys, and for a bias' cotangent tiles of both.
//   Some gradients have smaller tiles (Traffic.cpp). Tiles whose scores are all
//   masked are not counted.
// - A grouped contraction may move 1.01 times the sectors that its tiles read:
//   each factor once for each tile along the other one.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TOOLS_PCC_KERNELS_TRAFFIC_H
#define PCC_TOOLS_PCC_KERNELS_TRAFFIC_H

#include "tools/pcc-kernels/Code.h"

namespace pcc {

/// The kinds of kernels with different bounds.
enum class TrafficKind {
  Plain,
  Gather,
  Scatter,
  ColumnSum,
  Attention,
  Grouped
};

/// Returns the kind of a kernel on tensors.
TrafficKind trafficKindOf(mlir::func::FuncOp kernel);

/// The bound on a kernel's traffic.
struct TrafficRule {
  /// The kind; it determines the bound, except for tiles.
  TrafficKind kind = TrafficKind::Plain;
  double most = 0; ///< the bound of tiles, in sectors
};

/// Returns the bound on the traffic of a kernel's attention or grouped
/// contraction, in sectors; 0: it has none.
double mostOfTiles(mlir::func::FuncOp kernel);

/// The traffic of one launch of a kernel.
struct KernelTraffic {
  /// The emulator's counts.
  pcc_emu_counts counts = {};
  /// A description of the violated bounds; empty: none.
  std::string problem;

  /// The number of sectors that were touched.
  int64_t least() const {
    return counts.distinct_read + counts.distinct_written;
  }
  /// The moved sectors, as a multiple of the touched ones.
  double times() const {
    return least() ? double(counts.read_sectors + counts.written_sectors) /
                         double(least())
                   : 1;
  }
};

/// Launches a kernel in the emulator. Results share the memory of operands
/// where allowed.
KernelTraffic countTraffic(const Runnable::Kernel &kernel,
                           const TrafficRule &rule, uint64_t seed);

/// Prints a line with the traffic of each kernel of a module. Returns whether
/// one exceeds its bounds, or compilation failed.
bool reportTraffic(mlir::ModuleOp module, const KernelChoice &choice,
                   uint64_t seed);

} // namespace pcc

#endif // PCC_TOOLS_PCC_KERNELS_TRAFFIC_H
