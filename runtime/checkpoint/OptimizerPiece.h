//===- OptimizerPiece.h - Position of saved optimizer state -----*- C++ -*-===//
//
// An optimizer file stores pieces of tensors. A piece is a shard, which is a
// rectangle of the global tensor, or a run of the shard's elements in row-major
// order. The metadata of the file describe each piece as below;
// trainer_state.json repeats the text for every file:
//
//   {"shape": [101, 16], "offset": [50, 0], "extent": [51, 16],
//    "run": [300, 607]}
//
// "shape" is the global shape, padding included. Without "run" the piece is the
// whole shard. Without "extent", as in older files, the extent is the shape of
// the stored tensor.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHECKPOINT_OPTIMIZERPIECE_H
#define PCC_RUNTIME_CHECKPOINT_OPTIMIZERPIECE_H

#include "runtime/model/SourceMap.h"

#include <functional>
#include <optional>
#include <string>

namespace pcc {

/// A shard of a tensor, or a run of a shard's elements.
struct OptimizerPiece {
  std::vector<int64_t> shape; ///< global
  Shard shard;
  Span elements; ///< of the shard, row-major

  /// Returns the JSON text that describes the piece.
  std::string text() const;
  /// Returns the shape of the stored tensor: the shard's, or one dim for a run.
  std::vector<int64_t> storedShape() const;
  /// Returns whether the piece is the whole shard.
  bool isWhole() const { return elements == Span{0, shard.elements()}; }
};

/// Parses the text of a piece; returns nothing if it is invalid. `stored`: the
/// shape of the stored tensor, which must agree, or null if only the text is
/// known.
std::optional<OptimizerPiece> readPiece(const std::string &text,
                                        const std::vector<int64_t> *stored);

/// Returns whether two pieces of one tensor may share elements. May return true
/// where they share none, but never the reverse.
bool mayShare(const OptimizerPiece &a, const OptimizerPiece &b);

/// Visits the elements that both pieces share, without padding: indices from
/// `valid` on are padding. Each call covers `count` consecutive elements, from
/// element inA of a's shard and inB of b's shard.
void forEachCommon(
    const OptimizerPiece &a, const OptimizerPiece &b,
    const std::vector<int64_t> &valid,
    const std::function<void(int64_t inA, int64_t inB, int64_t count)> &visit);

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_OPTIMIZERPIECE_H
