//===- Blend.h - Which source a sample comes from ---------------*- C++ -*-===//
//
// A blend takes its samples from several sources, in proportion to their
// weights:
//
//     weights 3 : 7     b a b b a b b b a b   b a b b ...
//
// At every prefix of this sequence the number of samples of each source is
// within one of its share.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_DATA_BLEND_H
#define PCC_RUNTIME_DATA_BLEND_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace pcc {

/// The sequence of sources, by Tijdeman's rule (The chairman assignment
/// problem, 1980). A source of share w with c samples among the first t - 1 may
/// take sample t once it is behind by w t - c >= 1 / (2n - 2), for n sources.
/// Its deadline is the first sample at which it would be behind by 1 - 1 / (2n
/// - 2). The source with the earliest deadline takes the sample. So no source
/// is ever ahead or behind by more than 1 - 1 / (2n - 2) samples. Taking the
/// source that is furthest behind has no such bound.
///
/// All numbers are integers, so every machine computes the same sequence. The
/// state is the count of each source.
class Blend {
public:
  /// `weights`: positive, with a sum of at most `mostProportion`. `counts`: the
  /// samples of each source that were taken before, together less than 2^53;
  /// they must be those of a blend with the same weights.
  Blend(std::vector<int64_t> weights, std::vector<int64_t> counts);

  /// Returns whether a blend of these weights can have these counts: each is
  /// within one of its share.
  static bool isPossible(const std::vector<int64_t> &weights,
                         const std::vector<int64_t> &counts);

  /// Takes the next sample. Returns the number of its source.
  size_t next();
  /// Returns the samples of each source that were taken so far.
  const std::vector<int64_t> &counts() const { return taken; }

private:
  /// The samples, numbered from 1, between which a source takes its next one.
  struct Window {
    int64_t release, deadline;
  };
  Window windowOf(size_t source) const;

  std::vector<int64_t> weights;
  std::vector<int64_t> taken;
  std::vector<Window> windows;
  int64_t sum = 0;   ///< of the weights
  int64_t total = 0; ///< samples taken
};

/// The blend of each step of a run. Steps are requested in increasing order,
/// except for the last few. For several threads.
class BlendSteps {
public:
  /// A sample: its source, and its position in the sequence of this source's
  /// samples, from 0.
  struct Sample {
    size_t source;
    int64_t position;
  };
  /// The samples of one step.
  struct Step {
    std::vector<Sample> samples;
    /// The samples of each source up to this step, with it.
    std::vector<int64_t> counts;
  };

  /// `first`: the blend after step `done`.
  BlendSteps(Blend first, int64_t done, int64_t batch)
      : first(first), blend(std::move(first)), done(done), issued(done),
        batch(batch) {}

  /// Returns a step after `done`.
  std::shared_ptr<const Step> step(int64_t step);
  /// Returns the samples of each source up to a step, `done` or later.
  std::vector<int64_t> countsAfter(int64_t step);

private:
  const Blend first;
  Blend blend;
  int64_t done, issued; ///< `blend` is the one after step `issued`
  int64_t batch;
  std::mutex mutex;
  std::deque<std::shared_ptr<const Step>> recent; ///< ends with `issued`
};

} // namespace pcc

#endif // PCC_RUNTIME_DATA_BLEND_H
