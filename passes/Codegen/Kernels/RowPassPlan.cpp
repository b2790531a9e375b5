//===- RowPassPlan.cpp - The passes of a row program over its rows --------===//

#include "passes/Codegen/Kernels/RowPassPlan.h"
#include "runtime/Chips.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// A value that a later pass needs is kept in memory if recomputing it costs at
/// least kKeepCost (about instructions). Rows longer than kKeepLength are
/// recomputed: they exceed the L1 cache and, several of them, a thread's stack.
static constexpr int kKeepCost = 8;
static constexpr int64_t kKeepLength = 16384;
/// The most bytes that a work item keeps: they fit in the shared memory of a
/// block on any GPU, with 4 KiB left for reductions among its threads.
static constexpr int64_t kKeepBytes = sharedOfBlock(/*chip=*/0) - 4096;

/// Bytes of a value's row in memory.
static int64_t rowBytes(const Node *node) {
  int64_t bits = node->type.isIndex() ? 64 : node->type.getIntOrFloatBitWidth();
  return node->extent * llvm::divideCeil(bits, 8);
}

void RowPassPlan::markLive(const Node *node) {
  if (!live.insert(node).second)
    return;
  for (const Node *operand : node->operands)
    markLive(operand);
}

RowPass &RowPassPlan::passFor(bool isAfter, int level, int64_t extent) {
  for (RowPass &pass : passes)
    if (pass.isAfter == isAfter && pass.level == level && pass.extent == extent)
      return pass;
  passes.push_back({isAfter, level, extent, {}, {}, {}, {}});
  return passes.back();
}

/// Visits the nodes that pass `pass` computes for each column.
void RowPassPlan::visit(const Node *node, int pass) {
  if (!node->extent)
    return;
  if (int kept = getKeptAt(node); kept >= 0 && kept < pass)
    return;
  if (node->kind == Node::Kind::Leaf || node->kind == Node::Kind::Gather)
    lastRead[node] = pass;
  if (node->kind == Node::Kind::ColReduce)
    return;
  auto [last, isFirst] = lastVisit.try_emplace(node, pass);
  if (!isFirst && last->second == pass)
    return;
  last->second = pass;
  auto [it, isNew] = firstVisit.try_emplace(node, pass);
  bool isRepeated = !isNew && it->second < pass;
  if (isRepeated && node->kind == Node::Kind::Op && node->cost >= kKeepCost &&
      node->extent <= kKeepLength && keptBytes + rowBytes(node) <= kKeepBytes) {
    keptAt[node] = it->second;
    keptBytes += rowBytes(node);
    passes[it->second].temporaries.push_back(node);
    return;
  }
  for (const Node *operand : node->operands)
    visit(operand, pass);
}

RowPassPlan::RowPassPlan(const RowProgram &program) {
  for (const Output &output : program.outputs)
    markLive(output.node);
  for (auto &node : program.getNodes()) {
    if (!isLive(node.get()))
      continue;
    if (node->kind == Node::Kind::ColReduce) {
      columnSums.push_back(node.get());
      if (program.shape == KernelShape::Groups)
        passFor(/*isAfter=*/false, node->operands[0]->level, node->extent)
            .columnSums.push_back(node.get());
    }
    if (node->kind == Node::Kind::Reduce)
      passFor(/*isAfter=*/false, node->operands[0]->level, node->length)
          .reductions.push_back(node.get());
  }
  for (const Output &output : program.outputs)
    if (output.access.extent)
      passFor(program.isOfGroup(output), output.node->level,
              output.access.extent)
          .stores.push_back(&output);
  // (isAfter, level, extent) is unique.
  llvm::sort(passes, [](const RowPass &a, const RowPass &b) {
    return std::tie(a.isAfter, a.level, a.extent) <
           std::tie(b.isAfter, b.level, b.extent);
  });
  for (auto [i, pass] : llvm::enumerate(passes))
    for (const Output *output : pass.stores)
      if (output->node->kind == Node::Kind::Op && output->node->extent)
        keptAt.try_emplace(output->node, i);
  for (int i = 0, e = passes.size(); i < e; ++i) {
    auto reductions = passes[i].reductions;
    auto sums = passes[i].columnSums;
    auto stores = passes[i].stores;
    for (const Node *node : reductions)
      visit(node->operands[0], i);
    for (const Node *node : sums)
      visit(node->operands[0], i);
    for (const Output *output : stores)
      visit(output->node, i);
  }
}

int RowPassPlan::getStoreTime(const Output &output) const {
  if (!output.access.extent)
    return INT_MAX;
  for (auto [i, pass] : llvm::enumerate(passes))
    if (llvm::is_contained(pass.stores, &output))
      return i;
  return -1;
}
