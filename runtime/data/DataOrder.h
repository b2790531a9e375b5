//===- DataOrder.h - Which samples a step uses ------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_DATAORDER_H
#define PCC_RUNTIME_DATA_DATAORDER_H

#include <cstdint>
#include <vector>

namespace pcc {

/// The order of the samples of a data set, a pure function of seed and step.
/// Step s (from 1) uses number (s - 1) * batch + i as its i-th; past the last
/// sample it begins again at 0.
class DataOrder {
public:
  /// With `shuffle`, each pass over the samples has a permutation of its own,
  /// drawn from `seed`.
  DataOrder(int64_t samples, int64_t batch, bool shuffle, uint64_t seed);

  /// Every sample once, in order, for evaluation. Behind the whole batches come
  /// those of fewer samples, each repeated as often as fills the batch, so that
  /// its mean is that of the samples. Where that takes too many batches some
  /// samples are left out; without `pieces` all that fill no batch are.
  static DataOrder once(int64_t samples, int64_t batch, bool pieces);

  /// How many steps there are of an order that has every sample once.
  int64_t steps() const { return whole() + pieces.size(); }
  /// How many different samples a step of such an order has.
  int64_t samplesIn(int64_t step) const;
  /// How many samples the steps up to this one have.
  int64_t samplesUpTo(int64_t step) const;

  /// How many samples the data set has.
  int64_t samples() const { return count; }
  /// The number of the sample that is the i-th of a step.
  int64_t sample(int64_t step, int64_t i) const;
  /// The numbers of all samples of a step.
  std::vector<int64_t> samplesOf(int64_t step) const;

private:
  /// Samples that take a step of their own.
  struct Piece {
    int64_t first, count;
  };
  int64_t permute(int64_t n, uint64_t key) const;
  /// How many whole batches there are.
  int64_t whole() const { return count / batch; }
  /// The piece that a step has, or null.
  const Piece *pieceOf(int64_t step) const;

  std::vector<Piece> pieces;
  int64_t count, batch;
  bool shuffle;
  uint64_t seed;
  int halfBits = 1; ///< of the domain that permute() works on
};

} // namespace pcc

#endif // PCC_RUNTIME_DATA_DATAORDER_H
