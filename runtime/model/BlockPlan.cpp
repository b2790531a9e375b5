//===- BlockPlan.cpp - Which rank writes which block of a file ------------===//

#include "runtime/model/BlockPlan.h"

#include "runtime/support/BlockHashes.h"
#include "runtime/support/DType.h"

using namespace pcc;

BlockPlan::BlockPlan(const pcc_program &program,
                     const std::vector<SourceTensor> &sources,
                     int64_t headerBytes, const std::vector<bool> &writers)
    : end(headerBytes) {
  WriteShares division(program, writers);
  for (const SourceTensor &source : sources) {
    offsets.push_back(end);
    end += source.bytes();
    for (SourcePart &part : partsOf(program, division, source))
      allParts.push_back(std::move(part));
  }
  all.resize((end + hashedBlock - 1) / hashedBlock);
  for (const SourcePart &part : allParts) {
    int64_t place = offsets[part.source - sources.data()];
    int64_t size = sizeOf(part.source->map.dtype);
    int64_t last = place + part.bounds.end * size - 1;
    for (int64_t block = (place + part.bounds.begin * size) / hashedBlock;
         block <= last / hashedBlock; ++block)
      all[block].parts.push_back(&part);
  }
  for (Block &block : all)
    std::sort(block.parts.begin(), block.parts.end(),
              [](const SourcePart *a, const SourcePart *b) {
                return a->rank != b->rank ? a->rank < b->rank : a < b;
              });
  assignOwners(writers);
}

void BlockPlan::assignOwners(const std::vector<bool> &writers) {
  std::vector<int64_t> owned(writers.size(), 0), round(writers.size(), -1);
  int64_t now = 0;
  for (Block &block : all) {
    // The owner is the writer with elements of the block that owns the fewest
    // blocks so far. Rank 0 owns blocks without such a rank, and blocks with
    // elements from the model file, which other hosts may not have.
    bool isFound = false;
    for (const SourcePart *part : block.parts) {
      if (part->source->isFromFile()) {
        block.owner = 0;
        break;
      }
      bool isBetter = !isFound || owned[part->rank] < owned[block.owner];
      if (!writers[part->rank] || !isBetter)
        continue;
      block.owner = part->rank;
      isFound = true;
    }
    ++owned[block.owner];
    if (round[block.owner] == now)
      ++now;
    block.round = round[block.owner] = now;
  }
}
