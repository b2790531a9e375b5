//===- OptimizerPiece.h - Where a part of a state lies ----------*- C++ -*-===//
//
// The files of the optimizer's state hold pieces of tensors: of a shard, a
// rectangle of the whole, all elements or a run of them in row-major order.
// This is how the metadata of a file says it, and once more trainer_state.json,
// for every file:
//
//   {"shape": [101, 16], "offset": [50, 0], "extent": [51, 16],
//    "run": [300, 607]}
//
// "shape" is that of the whole, padding included; without "extent" and "run",
// as in older files, the tensor has the shard's shape and all elements of it.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHECKPOINT_OPTIMIZERPIECE_H
#define PCC_RUNTIME_CHECKPOINT_OPTIMIZERPIECE_H

#include "runtime/model/SourceMap.h"

#include <functional>
#include <optional>
#include <string>

namespace pcc {

/// A part of a tensor.
struct OptimizerPiece {
  std::vector<int64_t> shape; ///< of the whole
  Shard shard;
  Span elements; ///< of the shard

  /// The text that says where it lies.
  std::string text() const;
  /// Its shape as a tensor of a file: the shard's, or of one dim for a run.
  std::vector<int64_t> storedShape() const;
  /// Whether it is all of its shard.
  bool isWhole() const { return elements == Span{0, shard.elements()}; }
};

/// What a text says; nothing where it says no such thing. `stored`: the shape
/// of the tensor that it is of, or null where only the text is known.
std::optional<OptimizerPiece> readPiece(const std::string &text,
                                        const std::vector<int64_t> *stored);

/// Whether a piece may have elements of another, their tensors being the same
/// one.
bool mayShare(const OptimizerPiece &a, const OptimizerPiece &b);

/// Visits the elements that both pieces have and that are not padding, which
/// `valid` bounds: `count` consecutive ones of both, from those elements of
/// their shards on.
void forEachCommon(
    const OptimizerPiece &a, const OptimizerPiece &b,
    const std::vector<int64_t> &valid,
    const std::function<void(int64_t inA, int64_t inB, int64_t count)> &visit);

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_OPTIMIZERPIECE_H
