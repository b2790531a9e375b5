//===- Collectives.cpp - Collectives on tensors ---------------------------===//

#include "interpreter/Collectives.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

/// Returns the sum or the maximum of the peers' values.
Tensor reduced(ArrayRef<TensorRef> values, dist::Reduction reduction) {
  Tensor result = *values[0];
  auto combine = [&](auto &to, const auto &from) {
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = reduction == dist::Reduction::Sum ? to[i] + from[i]
                                                : std::max(to[i], from[i]);
  };
  for (const TensorRef &value : values.drop_front()) {
    combine(result.real, value->real);
    combine(result.integer, value->integer);
  }
  return result;
}

/// Returns the values concatenated along a dim.
Tensor concatenated(ArrayRef<Tensor> values, int64_t dim, Type type) {
  Tensor result(cast<RankedTensorType>(type));
  auto strides = rowMajorStrides(result.shape());
  int64_t start = 0;
  for (const Tensor &value : values) {
    writeStrided(value, start * strides[dim], strides, result);
    start += value.dim(dim);
  }
  return result;
}

} // namespace

std::vector<SmallVector<Tensor>>
pcc::interp::runCollective(Operation *op, const Grid &grid,
                           ArrayRef<int64_t> ranks,
                           ArrayRef<ValueList> operands) {
  dist::AxisList axes = grid.axes(dist::collectiveAxes(op));
  llvm::DenseMap<int64_t, size_t> members;
  for (auto [member, rank] : llvm::enumerate(ranks))
    members[rank] = member;

  std::vector<SmallVector<Tensor>> results(ranks.size());
  for (auto [member, rank] : llvm::enumerate(ranks)) {
    SmallVector<int64_t> peers = grid.peers(rank, axes);
    int64_t number = grid.number(rank, axes), count = peers.size();
    // Operand i of every peer, in order.
    auto gather = [&](unsigned i) {
      ValueList values;
      for (int64_t peer : peers)
        values.push_back(operands[members.lookup(peer)][i]);
      return values;
    };
    SmallVector<Tensor> &out = results[member];
    llvm::TypeSwitch<Operation *>(op)
        .Case<dist::AllReduceOp>([&](auto reduce) {
          for (unsigned i = 0; i < op->getNumOperands(); ++i)
            out.push_back(reduced(gather(i), reduce.getReduction()));
        })
        .Case<dist::ReduceScatterOp>([&](auto scatter) {
          Tensor sum = reduced(gather(0), dist::Reduction::Sum);
          out.push_back(block(sum, scatter.getDim(), number, count));
        })
        .Case<dist::AllGatherOp>([&](auto all) {
          SmallVector<Tensor> parts;
          for (const TensorRef &value : gather(0))
            parts.push_back(*value);
          out.push_back(concatenated(parts, all.getDim(), all.getType()));
        })
        .Case<dist::AllToAllOp>([&](auto swap) {
          SmallVector<Tensor> parts;
          for (const TensorRef &value : gather(0))
            parts.push_back(block(*value, swap.getTo(), number, count));
          out.push_back(concatenated(parts, swap.getFrom(), swap.getType()));
        });
  }
  return results;
}

std::optional<Tensor> pcc::interp::runRankOp(Operation *op, const Grid &grid,
                                             int64_t rank,
                                             ArrayRef<TensorRef> operands) {
  if (auto slice = dyn_cast<dist::ShardSliceOp>(op)) {
    dist::AxisList axes = grid.axes(slice.getAxes());
    return block(*operands[0], slice.getDim(), grid.number(rank, axes),
                 grid.count(axes));
  }
  if (auto offset = dyn_cast<dist::OffsetOp>(op)) {
    Tensor start(cast<RankedTensorType>(offset.getType()));
    start.integer[0] =
        grid.number(rank, grid.axes(offset.getAxes())) * offset.getExtent();
    return start;
  }
  return std::nullopt;
}
