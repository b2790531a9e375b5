//===- BlockPlan.h - Assignment of file blocks to ranks ---------*- C++ -*-===//
//
// The model file is hashed by blocks. A block may contain elements of many
// ranks, interleaved one by one where a matrix is transposed or column
// parallel. So ranks write whole blocks: the owner of a block receives the
// other ranks' elements, hashes the block and writes it at its offset. A block
// whose elements one rank holds needs no transfer. Blocks are written in
// rounds, in which a rank owns at most one block: the ranks first send the
// elements of a round, then all owners write at once.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_BLOCKPLAN_H
#define PCC_RUNTIME_MODEL_BLOCKPLAN_H

#include "runtime/model/SourceTensors.h"
#include "runtime/model/WriteShares.h"

#include <vector>

namespace pcc {

/// The blocks of a file of contiguous source tensors, with owners and rounds.
class BlockPlan {
public:
  /// A block, its owner and the ranks that have elements of it.
  struct Block {
    /// The rank that writes it.
    int owner = 0;
    /// The round in which it is written; never decreases from block to block.
    int64_t round = 0;
    /// Parts that may have elements in it, sorted by rank, then by tensor.
    std::vector<const SourcePart *> parts;
  };

  /// `headerBytes` come before the first tensor. `writers`: by rank, whether it
  /// can own a block; rank 0 always can. `sources` must outlive this.
  BlockPlan(const pcc_program &program,
            const std::vector<SourceTensor> &sources, int64_t headerBytes,
            const std::vector<bool> &writers);

  /// Returns the size of the file in bytes.
  int64_t fileBytes() const { return end; }
  /// The blocks in file order.
  const std::vector<Block> &blocks() const { return all; }
  /// Returns the file offset of a tensor's first byte.
  int64_t placeOf(size_t source) const { return offsets[source]; }

private:
  void assignOwners(const std::vector<bool> &writers);

  int64_t end = 0;
  std::vector<int64_t> offsets;
  std::vector<SourcePart> allParts;
  std::vector<Block> all;
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_BLOCKPLAN_H
