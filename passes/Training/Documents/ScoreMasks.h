//===- ScoreMasks.h - Masks of attention within documents -------*- C++ -*-===//
//
// The bias of an attention may be a mask by position. For a document that
// begins later it is right if it depends on the distance of query and key
// alone. By query and key:
//
//     window of 2    x . . .     key 0 always    x . . .
//                    x x . .     and itself      x x . .
//                    . x x .                     x . x .
//                    . . x x                     x . . x
//     the same in a document from 2 on           another there
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_DOCUMENTS_SCOREMASKS_H
#define PCC_PASSES_TRAINING_DOCUMENTS_SCOREMASKS_H

#include "dialects/NN/NN.h"

namespace pcc {

/// Whether a value is the positions 0, 1, ...
bool countsPositions(mlir::Value value);

/// Whether a value only hides elements: all of its elements are 0 or very
/// negative.
bool isMask(mlir::Value value);

/// Whether the bias of an attention hides all keys after a query. Some models
/// have the causal mask in one bias with other terms.
bool hidesLaterKeys(nn::AttentionOp op);

/// Whether the keys that the bias of an attention hides, as far as they are
/// known, depend on the distance from the query alone.
bool hidesByDistance(nn::AttentionOp op);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_DOCUMENTS_SCOREMASKS_H
