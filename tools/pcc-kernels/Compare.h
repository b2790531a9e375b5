//===- Compare.h - A kernel on the CPU and on a device ----------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_KERNELS_COMPARE_H
#define PCC_TOOLS_PCC_KERNELS_COMPARE_H

#include "tools/pcc-kernels/Code.h"

namespace pcc {

/// What came out of running a kernel twice.
struct Comparison {
  /// What is wrong; empty: nothing.
  std::string problem;
  /// The largest difference of floats, and what is allowed there.
  double error = 0, allowed = 0;
  /// The largest absolute value of each buffer.
  std::vector<double> largest;
  /// What the device read and wrote, and the least it can: each operand and
  /// each result once.
  pcc_emu_counts counts = {};
  int64_t leastRead = 0, leastWritten = 0;
};

/// Runs a kernel by the CPU and by the emulator on the same drawn numbers, the
/// latter in two orders of blocks, and compares bytes and numbers. Floats are
/// drawn between 0 and 1, or -1 and 1 where `isSigned`; with `isInPlace`
/// results lie in the operands that they may lie in. `largest` is that of a run
/// on positive numbers.
Comparison compareKernel(const Runnable::Kernel &kernel, uint64_t seed,
                         bool isSigned, bool isInPlace,
                         std::vector<double> largest = {});

/// What a kernel is given, and what the CPU makes of it.
struct Expectation {
  /// The bytes of each buffer: before of those that are read alone, whose bytes
  /// stay, after of those that are written, all of them.
  std::vector<std::vector<unsigned char>> before, after;
  /// By how much a float may differ beside its rounding, and the largest
  /// absolute value, of each buffer.
  std::vector<double> allowed, largest;
};

/// Runs a kernel by the CPU alone; parameters as of compareKernel().
Expectation expectationOf(const Runnable::Kernel &kernel, uint64_t seed,
                          bool isSigned, std::vector<double> largest);

} // namespace pcc

#endif // PCC_TOOLS_PCC_KERNELS_COMPARE_H
