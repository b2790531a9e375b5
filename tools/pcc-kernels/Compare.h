//===- Compare.h - Comparison of kernels on CPU and emulator ----*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_KERNELS_COMPARE_H
#define PCC_TOOLS_PCC_KERNELS_COMPARE_H

#include "tools/pcc-kernels/Code.h"

namespace pcc {

/// The result of a comparison.
struct Comparison {
  /// A description of the problem; empty: none.
  std::string problem;
  /// The difference of floats that is largest relative to its bound, and that
  /// bound.
  double error = 0, allowed = 0;
  /// The largest absolute value of each buffer.
  std::vector<double> largest;
  /// The sectors that the device read and wrote, and the minimum: each operand
  /// and each result once.
  pcc_emu_counts counts = {};
  int64_t leastRead = 0, leastWritten = 0;
};

/// Runs a kernel on the CPU and in the emulator on the same random inputs, in
/// the emulator with two orders of blocks, and compares the results. Floats are
/// drawn between 0 and 1, or between -1 and 1 if `isSigned`. With `isInPlace`,
/// results share the memory of operands where allowed. `largest` are the
/// magnitudes of a run on positive numbers.
Comparison compareKernel(const Runnable::Kernel &kernel, uint64_t seed,
                         bool isSigned, bool isInPlace,
                         std::vector<double> largest = {});

/// The inputs of a kernel, and the CPU's results.
struct Expectation {
  /// The bytes of each buffer: `before` has the read-only buffers, `after` the
  /// written ones; other entries are empty.
  std::vector<std::vector<unsigned char>> before, after;
  /// For each buffer, the allowed difference of floats besides their rounding,
  /// and the largest absolute value.
  std::vector<double> allowed, largest;
};

/// Runs a kernel on the CPU only; the parameters are those of compareKernel().
Expectation expectationOf(const Runnable::Kernel &kernel, uint64_t seed,
                          bool isSigned, std::vector<double> largest);

} // namespace pcc

#endif // PCC_TOOLS_PCC_KERNELS_COMPARE_H
