//===- FormKernels.cpp - nn ops to kernel functions -----------------------===//

#include "dialects/Dist/Layout.h"
#include "dialects/Pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Codegen/Kernels/Accumulation.h"
#include "passes/Codegen/Kernels/Attention/Attention.h"
#include "passes/Codegen/Kernels/Emit.h"
#include "passes/Codegen/Kernels/Group.h"
#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"
#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Kernels/Prepare.h"
#include "passes/Codegen/Kernels/Stack.h"

namespace pcc {
#define GEN_PASS_DEF_RTFORMKERNELSPASS
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

namespace {

struct RTFormKernelsPass : pcc::impl::RTFormKernelsPassBase<RTFormKernelsPass> {
  using RTFormKernelsPassBase::RTFormKernelsPassBase;

  void runOnOperation() override;

  LogicalResult formIn(Block &block);
  void outline(const Group &group, OpBuilder &builder);
  /// For each result the operand whose buffer it may reuse, or -1.
  SmallVector<int> chooseInplace(const Group &group);

  /// Kernels by their printed text without the name, to share equal ones.
  llvm::StringMap<func::FuncOp> kernels;
  /// The call results that replace the values of outlined ops.
  llvm::MapVector<Value, Value> current;
};

} // namespace

/// Whether all uses of a value are in the group.
static bool diesIn(Value value, const Group &group) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return group.ops.contains(user);
  });
}

/// Whether a result is written to an argument's buffer.
static bool isReplaced(BlockArgument argument) {
  auto body = dyn_cast<pipe::BodyOp>(argument.getOwner()->getParentOp());
  return body && body.getReplacing(argument.getArgNumber());
}

SmallVector<int> RTFormKernelsPass::chooseInplace(const Group &group) {
  // Attention reads tiles of its operands after writing others.
  if (findAttention(group.ops.getArrayRef()))
    return SmallVector<int>(group.results.size(), -1);
  // The block that writes an element of the sum reads the old one.
  if (auto grouped =
          GroupedKernel::find(group.ops.getArrayRef(),
                              group.arguments.getArrayRef(), group.results)) {
    for (auto [a, argument] : llvm::enumerate(group.arguments))
      if (grouped->mayReuse(argument))
        return {static_cast<int>(a)};
    return {-1};
  }
  auto program =
      RowProgram::create(group.arguments.getArrayRef(), group.results);
  SmallVector<int> chosen;
  for (auto [r, result] : llvm::enumerate(group.results)) {
    std::optional<unsigned> place = accumulationTarget(result);
    int best = -1, bestRank = 0;
    for (auto [a, argument] : llvm::enumerate(group.arguments)) {
      auto from = nn::tensorType(argument), to = nn::tensorType(result);
      if (llvm::is_contained(chosen, static_cast<int>(a)) ||
          from.getNumElements() != to.getNumElements() ||
          from.getElementType() != to.getElementType())
        continue;
      // An argument whose buffer a result replaces is overwritten by that
      // result only. Other operands may be overwritten if they are dead after
      // the call, which only the caller knows; most likely that is a value
      // without uses outside the group.
      int rank = 0;
      auto taken = dyn_cast<BlockArgument>(argument);
      if (place)
        rank = (taken ? taken.getArgNumber() : accumulationTarget(argument)) ==
                       place
                   ? 4
                   : 0;
      else if (!taken)
        rank = diesIn(argument, group) ? 3 : 2;
      else if (!isReplaced(taken))
        rank = 1;
      if (rank <= bestRank || !program->mayReuse(r, a))
        continue;
      best = a;
      bestRank = rank;
    }
    chosen.push_back(best);
  }
  return chosen;
}

/// A suffix that identifies the kernel in a profile, such as "_sum_layer_norm"
/// in "kernel_3_sum_layer_norm".
static std::string describe(const Group &group) {
  llvm::SmallSetVector<StringRef, 4> names;
  for (Operation *op : group.ops)
    if (!isView(op) && !findStacked(op))
      names.insert(op->getName().stripDialect());
  if (names.empty())
    names.insert(group.ops.back()->getName().stripDialect());
  std::string text;
  for (StringRef name : names.getArrayRef().take_back(3))
    text += ("_" + name).str();
  return text;
}

void RTFormKernelsPass::outline(const Group &group, OpBuilder &builder) {
  Operation *last = group.ops.back();
  Location loc = last->getLoc();
  MLIRContext *context = &getContext();
  SmallVector<Type> inputs, outputs;
  for (Value argument : group.arguments)
    inputs.push_back(argument.getType());
  for (Value result : group.results)
    outputs.push_back(result.getType());
  auto kernel = func::FuncOp::create(
      loc, "kernel", FunctionType::get(context, inputs, outputs));
  kernel.setPrivate();
  kernel->setAttr(rt::kKernelAttr, UnitAttr::get(context));
  for (auto [r, inplace] : llvm::enumerate(chooseInplace(group)))
    if (inplace >= 0)
      kernel.setResultAttr(r, rt::kInplaceAttr,
                           builder.getI64IntegerAttr(inplace));
  Block *body = kernel.addEntryBlock();
  IRMapping mapping;
  mapping.map(group.arguments.getArrayRef(), body->getArguments());
  OpBuilder inner = OpBuilder::atBlockBegin(body);
  for (Operation *op : group.ops) {
    Operation *copy = inner.clone(*op, mapping);
    // Other attributes would distinguish equal kernels.
    copy->setDiscardableAttrs(DictionaryAttr::get(context));
    for (StringRef name : {kSortedAttr, kGroupAttr, kGroupSumsAttr,
                           kByTilesAttr, nn::kPieceAttr})
      if (Attribute value = op->getDiscardableAttr(name))
        copy->setAttr(name, value);
  }
  SmallVector<Value> results;
  for (Value result : group.results)
    results.push_back(mapping.lookup(result));
  func::ReturnOp::create(inner, loc, results);

  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->print(os, OpPrintingFlags().useLocalScope());
  auto [it, isNew] = kernels.try_emplace(text, kernel);
  if (isNew) {
    kernel.setName(
        ("kernel_" + Twine(kernels.size() - 1) + describe(group)).str());
    getOperation().push_back(kernel);
  } else {
    kernel.erase();
  }
  SmallVector<Value> operands;
  for (Value argument : group.arguments) {
    Value now = current.lookup(argument);
    operands.push_back(now ? now : argument);
  }
  auto call = func::CallOp::create(builder, loc, it->second, operands);
  if (Attribute stage = last->getDiscardableAttr(nn::kStageAttr))
    call->setAttr(nn::kStageAttr, stage);
  SmallVector<Attribute> shardings;
  for (auto [before, after] : llvm::zip(group.results, call.getResults())) {
    current[before] = after;
    dist::ShardingAttr sharding = dist::getSharding(before);
    shardings.push_back(sharding ? Attribute(sharding)
                                 : Attribute(builder.getUnitAttr()));
  }
  if (llvm::any_of(shardings, llvm::IsaPred<dist::ShardingAttr>))
    call->setAttr(dist::kShardingsAttr, builder.getArrayAttr(shardings));
}

LogicalResult RTFormKernelsPass::formIn(Block &block) {
  prepareBlock(block, partialSums);
  auto grouping = groupBlock(block, partialSums != 0);
  if (failed(grouping))
    return failure();
  current.clear();
  OpBuilder builder(&getContext());
  Operation *terminator =
      block.mightHaveTerminator() ? block.getTerminator() : nullptr;
  for (auto [op, index] : grouping->order) {
    if (terminator)
      builder.setInsertionPoint(terminator);
    else
      builder.setInsertionPointToEnd(&block);
    if (index < 0)
      op->moveBefore(&block, builder.getInsertionPoint());
    else
      outline(grouping->groups[index], builder);
  }
  for (auto &[before, after] : current)
    before.replaceAllUsesWith(after);
  // The remaining ops are dead. Views were moved after their former users.
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isKernelOp(&op) && op.use_empty()) {
        op.erase();
        changed = true;
      }
  }
  return success();
}

/// Whether a block needs kernels: a program's, not that of a kernel or GEMM
/// function, nor the module's.
static bool needsKernels(Block &block) {
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  return !(function && (function->hasAttr(rt::kKernelAttr) ||
                        function->hasAttr(rt::kEpilogueAttr))) &&
         llvm::any_of(block, [](Operation &op) { return isKernelOp(&op); });
}

void RTFormKernelsPass::runOnOperation() {
  kernels.clear();
  SmallVector<Block *> blocks;
  getOperation().walk([&](Block *block) {
    if (needsKernels(*block))
      blocks.push_back(block);
  });
  for (Block *block : blocks)
    if (failed(formIn(*block)))
      return signalPassFailure();
}
