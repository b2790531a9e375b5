//===- DataOrder.h - Order of the samples -----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_DATAORDER_H
#define PCC_RUNTIME_DATA_DATAORDER_H

#include "runtime/data/Blend.h"
#include "runtime/data/DataPosition.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace pcc {

/// The order of the samples of one source. Passes over all samples follow each
/// other without end.
class PassOrder {
public:
  /// With `shuffle`, each pass over the samples has its own permutation,
  /// derived from `seed`.
  PassOrder(int64_t samples, bool shuffle, uint64_t seed);

  /// Returns the number of samples of a pass.
  int64_t samples() const { return count; }
  /// Returns the number of the sample at a position of the sequence.
  int64_t sample(int64_t position) const;

private:
  int64_t permute(int64_t n, uint64_t key) const;

  int64_t count;
  bool shuffle;
  uint64_t seed;
  int halfBits = 1; ///< half the bits of permute()'s domain
};

/// The samples of each step, a pure function of seed, step and, in a blend, the
/// position from which it began. The samples of several sources are numbered
/// one source after the other, as in BlendDataset.
class DataOrder {
public:
  /// The order of one source: step s (from 1) uses the positions (s - 1) *
  /// batch ... s * batch - 1 of its PassOrder.
  DataOrder(int64_t samples, int64_t batch, bool shuffle, uint64_t seed);

  /// The order of the steps after a position: each source of its blend
  /// continues where it was.
  DataOrder(const DataPosition &from, bool shuffle, uint64_t seed);

  /// Returns the order for evaluation: every sample once, in order. The samples
  /// after the last full batch are split into pieces whose size divides the
  /// batch size. A piece is repeated to fill a batch, so the batch's mean is
  /// that of the piece. There are at most 16 pieces; samples beyond them are
  /// left out. Without `pieces`, all samples after the last full batch are left
  /// out.
  static DataOrder once(int64_t samples, int64_t batch, bool pieces);

  /// Returns the number of steps of an order from once().
  int64_t steps() const { return whole() + pieces.size(); }
  /// Returns the number of distinct samples of a step of such an order.
  int64_t samplesIn(int64_t step) const;
  /// Returns the number of samples of the steps up to this one.
  int64_t samplesUpTo(int64_t step) const;

  /// Returns the number of samples of all sources.
  int64_t samples() const;
  /// Returns the number of the i-th sample of a step.
  int64_t sample(int64_t step, int64_t i) const;
  /// Returns the numbers of all samples of a step.
  std::vector<int64_t> samplesOf(int64_t step) const;
  /// Returns the samples that the blend took from each source up to a step; the
  /// step of the position, one of the last steps or a later one.
  std::vector<int64_t> takenAfter(int64_t step) const;

private:
  /// Fewer samples than a batch, which get a step of their own.
  struct Piece {
    int64_t first, count;
  };
  struct Source {
    PassOrder order;
    int64_t first; ///< the number of its first sample
    int64_t start; ///< the position at which the blend began
  };
  /// Returns the number of full batches.
  int64_t whole() const { return samples() / batch; }
  /// Returns the piece of a step; null if it has a full batch.
  const Piece *pieceOf(int64_t step) const;
  int64_t sampleOf(const BlendSteps::Sample &sample) const;

  std::vector<Piece> pieces;
  std::vector<Source> sources;
  int64_t batch, since = 0;
  std::unique_ptr<BlendSteps> blend; ///< null for one source
};

} // namespace pcc

#endif // PCC_RUNTIME_DATA_DATAORDER_H
