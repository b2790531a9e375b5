//===- Traffic.h - What a kernel moves on a device --------------*- C++ -*-===//
//
// A kernel that only moves data is as fast as it reads and writes little. The
// emulator counts what a kernel moves, in sectors of 32 bytes and without a
// cache, and what it touches at all; each of these once is the least. A kernel
// of more than 1 MiB may move 1.1 times the least, 1.3 times where it looks up
// rows, adds to rows that it looks up, or sums up rows; one of more than 4 MiB
// has at least 256 blocks, as a large device is idle else. Attention by tiles
// has to read more than once what does not fit: it may move what tiles of 128
// queries, in its gradient of 128 keys, too, and for a bias' cotangent of both,
// read if none is looked at whose scores are masked all.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TOOLS_PCC_KERNELS_TRAFFIC_H
#define PCC_TOOLS_PCC_KERNELS_TRAFFIC_H

#include "tools/pcc-kernels/Code.h"

namespace pcc {

/// What decides how much a kernel may move.
enum class TrafficKind { Plain, Gather, Scatter, ColumnSum, Attention };

/// The kind of a kernel on tensors.
TrafficKind trafficKindOf(mlir::func::FuncOp kernel);

/// What a kernel may move.
struct TrafficRule {
  /// Of anything but attention it says how many times the least.
  TrafficKind kind = TrafficKind::Plain;
  double most = 0; ///< of attention: sectors
};

/// How many sectors a kernel's attention may move; 0: it has none.
double mostOfAttention(mlir::func::FuncOp kernel);

/// What a kernel moved in one launch.
struct KernelTraffic {
  /// As the emulator counts.
  pcc_emu_counts counts = {};
  /// What may be too much; empty: nothing.
  std::string problem;

  /// Sectors that were touched, each once.
  int64_t least() const {
    return counts.distinct_read + counts.distinct_written;
  }
  /// What was moved, as a multiple of that.
  double times() const {
    return least() ? double(counts.read_sectors + counts.written_sectors) /
                         double(least())
                   : 1;
  }
};

/// Launches a kernel in the emulator, results in operands' places where they
/// may be.
KernelTraffic countTraffic(const Runnable::Kernel &kernel,
                           const TrafficRule &rule, uint64_t seed);

/// Prints a line for each kernel of a module with what it moved. Whether one
/// moves too much, or could not be compiled.
bool reportTraffic(mlir::ModuleOp module, const KernelChoice &choice,
                   uint64_t seed);

} // namespace pcc

#endif // PCC_TOOLS_PCC_KERNELS_TRAFFIC_H
