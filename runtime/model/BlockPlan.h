//===- BlockPlan.h - Which rank writes which block of a file ----*- C++ -*-===//
//
// Hashes are of blocks of a file, and a block may hold elements of many ranks,
// singly where a matrix is transposed or cut by columns. So the ranks write
// whole blocks: the owner of a block gets from the others what they have of it,
// hashes it and writes it at its place. Blocks that one rank has all of go
// nowhere else. Blocks follow in rounds, in which a rank owns at most one: the
// ranks first hand over what belongs to a round, then all write at once.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_BLOCKPLAN_H
#define PCC_RUNTIME_MODEL_BLOCKPLAN_H

#include "runtime/model/Division.h"
#include "runtime/model/SourceTensors.h"

#include <vector>

namespace pcc {

/// The blocks of a file that holds source tensors, one after the other.
class BlockPlan {
public:
  /// Who has a part of a block.
  struct Block {
    /// The rank that writes it.
    int owner = 0;
    /// When: not before the block before it.
    int64_t round = 0;
    /// Parts that may have elements in it, by rank and by place in the file.
    std::vector<const SourcePart *> parts;
  };

  /// `headerBytes` come before the first tensor. `writers`, by rank: who can
  /// own a block; rank 0 can. The sources outlive this.
  BlockPlan(const pcc_program &program,
            const std::vector<SourceTensor> &sources, int64_t headerBytes,
            const std::vector<bool> &writers);

  /// All bytes of the file.
  int64_t fileBytes() const { return end; }
  /// In the order of the file.
  const std::vector<Block> &blocks() const { return all; }
  /// The first byte of a tensor in the file.
  int64_t placeOf(size_t source) const { return places[source]; }

private:
  void choose(const std::vector<bool> &writers);

  int64_t end = 0;
  std::vector<int64_t> places;
  std::vector<SourcePart> allParts;
  std::vector<Block> all;
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_BLOCKPLAN_H
