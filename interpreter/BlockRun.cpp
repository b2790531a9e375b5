//===- BlockRun.cpp - Lockstep execution of a block -----------------------===//

#include "interpreter/BlockRun.h"
#include "interpreter/Collectives.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

BlockRun::BlockRun(Machine &machine, Block &block, ArrayRef<int64_t> ranks,
                   int64_t microbatch)
    : machine(machine), block(block), next(block.begin()), ranks(ranks),
      microbatch(microbatch), values(ranks.size()) {}

void BlockRun::bind(Value name, ArrayRef<TensorRef> perMember) {
  for (auto [known, value] : llvm::zip_equal(values, perMember))
    known[name] = value;
}

std::vector<ValueList> BlockRun::getOperands() {
  std::vector<ValueList> all;
  for (Values &known : values) {
    ValueList operands;
    for (Value operand : next->getOperands())
      operands.push_back(known.lookup(operand));
    all.push_back(std::move(operands));
  }
  return all;
}

bool BlockRun::hasAllPeers(ArrayAttr axes) const {
  const Grid &grid = machine.getGrid();
  for (int64_t rank : ranks)
    for (int64_t peer : grid.peers(rank, grid.axes(axes)))
      if (!llvm::is_contained(ranks, peer))
        return false;
  return true;
}

LogicalResult BlockRun::resume(ArrayRef<ValueList> results) {
  for (auto [known, result] : llvm::zip_equal(values, results))
    for (auto [name, value] : llvm::zip_equal(next->getResults(), result))
      known[name] = value;
  Operation *op = &*next++;
  return machine.observe(op, microbatch, ranks, results);
}

BlockRun::Status BlockRun::advance() {
  while (&*next != block.getTerminator()) {
    std::vector<ValueList> operands = getOperands(), results;
    if (ArrayAttr axes = dist::collectiveAxes(&*next)) {
      if (!hasAllPeers(axes))
        return Status::Waiting;
      results = machine.runCollective(&*next, ranks, operands);
    } else {
      for (auto [member, rank] : llvm::enumerate(ranks)) {
        FailureOr<ValueList> result =
            machine.runOp(&*next, rank, operands[member]);
        if (failed(result))
          return Status::Failed;
        results.push_back(std::move(*result));
      }
    }
    if (failed(resume(results)))
      return Status::Failed;
  }
  return Status::Done;
}

ValueList BlockRun::getResult(unsigned i) {
  ValueList perMember;
  for (Values &known : values)
    perMember.push_back(known.lookup(block.getTerminator()->getOperand(i)));
  return perMember;
}
