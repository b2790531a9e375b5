//===- CutPoints.cpp - Cut points of a forward pass -----------------------===//

#include "passes/Pipeline/CutPoints.h"

using namespace mlir;
using namespace pcc;

/// Returns an op's cost: its FLOPs, plus ten for each byte written. (A core
/// computes about forty FLOPs in the time in which it moves four bytes.)
static double costOf(Operation &op) {
  double cost = 0;
  if (auto flops = dyn_cast<nn::CostInterface>(op))
    cost += flops.getFlops();
  for (Value result : op.getResults())
    cost += 10.0 * bytesOf(result);
  return cost;
}

Line::Line(Block &block) : activations(findActivations(block)) {
  llvm::DenseMap<Operation *, size_t> index;
  for (Operation &op : block.without_terminator())
    if (activations.contains(&op)) {
      index[&op] = ops.size();
      ops.push_back(&op);
    }
  cost.assign(ops.size() + 1, 0);
  products.assign(ops.size() + 1, 0);
  crossing.assign(ops.size() + 1, 0);
  routes.assign(ops.size() + 1, false);
  for (auto [i, op] : llvm::enumerate(ops)) {
    cost[i + 1] = cost[i] + costOf(*op);
    products[i + 1] = products[i] + isa<nn::CostInterface>(op);
    for (Value result : op->getResults()) {
      size_t last = i;
      for (Operation *user : result.getUsers())
        if (auto it = index.find(user); it != index.end())
          last = std::max(last, it->second);
      for (size_t k = i + 1; k <= last; ++k)
        crossing[k] += bytesOf(result);
    }
    // Each op between the experts' input and the experts belongs to the router.
    auto experts = dyn_cast<nn::ExpertsOp>(op);
    auto input =
        experts ? index.find(experts.getX().getDefiningOp()) : index.end();
    if (input != index.end())
      std::fill(routes.begin() + input->second + 2, routes.begin() + i + 1,
                true);
  }
}

SmallVector<size_t> Line::findCutPoints() const {
  SmallVector<size_t> places;
  // A range of positions that equally many bytes cross is a minimum if more
  // cross on either side of it.
  for (size_t begin = 1, end; begin < ops.size(); begin = end) {
    for (end = begin; end < ops.size() && crossing[end] == crossing[begin];)
      ++end;
    bool isLeast = (begin == 1 || crossing[begin - 1] > crossing[begin]) &&
                   (end == ops.size() || crossing[end] > crossing[begin]);
    for (size_t k = begin; k < end && isLeast; ++k)
      if (!routes[k])
        places.push_back(k);
  }
  return places;
}

SmallVector<size_t> Line::findStageCutPoints() const {
  SmallVector<size_t> places = findCutPoints();
  llvm::erase_if(places, [&](size_t k) {
    return products[k] == 0 || products[k] == products[ops.size()];
  });
  return places;
}

void pcc::findActivationUsers(Operation *op,
                              const llvm::DenseSet<Operation *> &activations,
                              llvm::function_ref<void(Operation *)> visit) {
  for (Operation *user : op->getUsers()) {
    if (activations.contains(user))
      visit(user);
    else
      findActivationUsers(user, activations, visit);
  }
}
