//===- Documents.h - The documents of a sample ------------------*- C++ -*-===//
//
// A token may end a document. Attention does not cross its end, and the token
// after it is no target. For documents that end at b and d:
//
//     token     a b c d e       (then f)
//     starts    0 0 2 2 4       the position at which its document begins
//     targets   b - d - f       -: none
//     labels    a b - d -       none where a document begins; the model shifts
//                               them by one
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_DATA_DOCUMENTS_H
#define PCC_RUNTIME_DATA_DOCUMENTS_H

#include "runtime/data/Dataset.h"

#include <vector>

namespace pcc {

/// Copies a sample's starts of documents, an input [batch, seq]: those of the
/// positions that `shard` has.
void copyStarts(const pcc_input &input, const Shard &shard,
                const std::vector<char> &ends, char *to);

/// Replaces a sample's targets or labels that `shard` has, of integers [batch,
/// seq], by -100 where there is none because a document ends.
void dropTargets(const pcc_input &input, const Shard &shard,
                 const std::vector<char> &ends, char *to);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_DOCUMENTS_H
