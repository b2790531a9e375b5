//===- Group.cpp - Grouping ops into kernels ------------------------------===//
//
// 1. `seed`: each op that must be in a kernel is a group of its own. Views (see
//    isView) belong to no group: `complete` adds a copy to each group that
//    reads one. A view that no kernel can absorb is computed into memory like
//    any other op.
// 2. `buildEdges`: execution dependences: data flow, and the order of
//    collectives.
// 3. `mergeProducers`: in program order, an op's group merges with the groups
//    of its operands' producers, if the row program of both exists and no path
//    leads from one through another op to the other:
//
//        a -> b        may merge
//        a -> x -> b, a -> b with x a GEMM: may not, as x runs in between
//
// 4. `mergeColumnSums`: column sums of one tensor are merged to read it once,
//    and so are column sums that follow one kernel, such as the second steps of
//    split sums. `mergeSumsOfGroups`: column sums merge with kernels that read
//    the same rows otherwise.
// 5. `finish`: an execution order of the groups and the other ops, close to
//    that of the block.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Group.h"
#include "dialects/Pipe/Pipe.h"
#include "passes/Codegen/Kernels/Accumulation.h"
#include "passes/Codegen/Kernels/Attention/Attention.h"
#include "passes/Codegen/Kernels/Attention/Choice.h"
#include "passes/Codegen/Kernels/FusedGemm.h"
#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"
#include "passes/Codegen/Kernels/Prepare.h"
#include "passes/Codegen/Kernels/RowProgram.h"
#include "passes/Codegen/Kernels/Stack.h"
#include <queue>

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Whether an op is an insert or sum that stacks attention gradients of the
/// library.
static bool stacksLibraryResults(Operation *op) {
  Operation *attention = findStacked(op);
  return attention && isByLibrary(attention);
}

bool codegen::isKernelOp(Operation *op) {
  if (auto grouped = dyn_cast<nn::GroupedContractOp>(op))
    return isByTiles(grouped);
  return isa<nn::NNDialect>(op->getDialect()) && op->getNumResults() &&
         !isa<nn::ContractOp>(op) && !isByLibrary(op) && !isCleared(op) &&
         !getAdding(op) && !stacksLibraryResults(op);
}

bool codegen::isCleared(Operation *op) {
  auto constant = dyn_cast<nn::ConstantOp>(op);
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  if (!splat || op->use_empty() ||
      !llvm::all_of(op->getUsers(), llvm::IsaPred<pipe::YieldOp>))
    return false;
  if (isa<FloatType>(splat.getElementType()))
    return splat.getSplatValue<APFloat>().isPosZero();
  return splat.getSplatValue<APInt>().isZero();
}

// The ops that TaskLowering lowers as views.
bool codegen::isAlias(Operation *op) {
  return isa<nn::ReshapeOp, nn::SelectOp, nn::SliceOp, nn::TransposeOp>(op);
}

/// Whether an op widens bf16 or fp16 to f32: recomputing it reads half the
/// bytes.
static bool isWidening(Operation *op) {
  auto cast = dyn_cast<nn::CastOp>(op);
  if (!cast)
    return false;
  Type from = nn::tensorType(cast.getInput()).getElementType(),
       to = nn::tensorType(cast.getResult()).getElementType();
  return isa<FloatType>(from) && from.getIntOrFloatBitWidth() == 16 &&
         to.isF32();
}

bool codegen::isView(Operation *op) {
  return isAlias(op) ||
         isa<nn::ConstantOp, nn::BroadcastOp, nn::RoundingBitsOp>(op) ||
         isWidening(op) || isOrder(op);
}

namespace {

class Grouper {
public:
  Grouper(Block &block, bool isForDevice)
      : block(block), isForDevice(isForDevice) {}
  FailureOr<Grouping> run();

private:
  void numberOps();
  LogicalResult seed();
  void mergeProducers();
  void mergeColumnSums();
  void mergeSumsOfGroups();
  /// Groups that read a value, directly or through views, in block order.
  SmallVector<int> readersOf(Value value);
  bool tryMerge(int a, int b);
  /// Builds the group of the given ops: adds views, arguments and results.
  Group complete(ArrayRef<Operation *> own);
  bool isValid(const Group &group, std::string *why = nullptr);
  bool hasOutsidePath(int a, int b);
  Grouping finish();

  /// A node of the execution order: a group, or another op alone.
  int unitOf(Operation *op) { return unit.lookup(op); }
  void buildEdges();
  /// The ops that an op waits for, looking through views.
  void collectDefs(Operation *op, SmallVectorImpl<Operation *> &defs);

  Block &block;
  bool isForDevice;
  llvm::DenseMap<Operation *, int> position;
  SmallVector<Operation *> all;
  /// Views that are computed into memory: no kernel can absorb them, or they
  /// are not aliases and a user outside kernels reads them.
  llvm::DenseSet<Operation *> solidViews;
  /// The own ops of each node of the order; empty after a merge.
  SmallVector<SmallVector<Operation *>> own;
  SmallVector<bool> isGroup;
  llvm::DenseMap<Operation *, int> unit;
  /// By op, the ops that must run after it.
  SmallVector<SmallVector<int>> successors;
};

} // namespace

void Grouper::numberOps() {
  for (Operation &op : block.without_terminator()) {
    position[&op] = all.size();
    all.push_back(&op);
  }
}

Group Grouper::complete(ArrayRef<Operation *> own) {
  SetVector<Operation *> ops(own.begin(), own.end());
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && position.contains(def) && isView(def) &&
          !solidViews.contains(def))
        ops.insert(def);
    }
  SmallVector<Operation *> sorted(ops.begin(), ops.end());
  llvm::sort(sorted, [&](Operation *a, Operation *b) {
    return position[a] < position[b];
  });
  Group group;
  group.ops.insert(sorted.begin(), sorted.end());
  llvm::SmallDenseSet<Operation *> ownSet(own.begin(), own.end());
  for (Operation *op : sorted) {
    for (Value operand : op->getOperands())
      if (!group.ops.contains(operand.getDefiningOp()))
        group.arguments.insert(operand);
    // A copied view's result stays inside the group.
    if (!ownSet.contains(op))
      continue;
    for (Value result : op->getResults()) {
      // A view in the group may also have users outside.
      std::function<bool(Operation *)> leaves = [&](Operation *user) {
        if (!group.ops.contains(user))
          return true;
        return !ownSet.contains(user) && llvm::any_of(user->getUsers(), leaves);
      };
      if (llvm::any_of(result.getUsers(), leaves))
        group.results.push_back(result);
    }
  }
  return group;
}

bool Grouper::isValid(const Group &group, std::string *why) {
  if (group.results.empty())
    return true;
  if (Operation *attention = findAttention(group.ops.getArrayRef())) {
    auto isIts = [&](Operation *op) {
      return op == attention || findStacked(op) == attention;
    };
    bool isAlone = llvm::all_of(
        group.ops, [&](Operation *op) { return isIts(op) || isView(op); });
    bool isLast = llvm::all_of(group.results, [&](Value result) {
      return isIts(result.getDefiningOp());
    });
    return isAlone && isLast &&
           hasTileForm(attention, group.arguments.getArrayRef(), why);
  }
  if (findGrouped(group.ops.getArrayRef()))
    return GroupedKernel::find(group.ops.getArrayRef(),
                               group.arguments.getArrayRef(), group.results,
                               why)
        .has_value();
  return RowProgram::create(group.arguments.getArrayRef(), group.results,
                            why) != nullptr;
}

/// Every kernel op starts as a group of its own. Views that no kernel can
/// absorb become kernel ops, and so do views that other ops use, except
/// aliases. The ops that stack results of an attention start in its group.
LogicalResult Grouper::seed() {
  // Walking backwards, users are classified before their operands.
  llvm::DenseSet<Operation *> outside;
  for (Operation *op : llvm::reverse(all)) {
    if (!isView(op) || llvm::none_of(op->getUsers(), [&](Operation *user) {
          return !isKernelOp(user) || outside.contains(user);
        }))
      continue;
    (isAlias(op) ? outside : solidViews).insert(op);
  }
  // A slice of a chunk stays outside kernels, so that all chunks share them;
  // the choice of a bucket's step for rounding, so that equal buckets do.
  auto isOfChunk = [](Operation *op) {
    auto isStep = [](Operation *user) {
      return isa<nn::SelectOp>(user) &&
             llvm::all_of(user->getUsers(), llvm::IsaPred<nn::RoundingBitsOp>);
    };
    if (isa<nn::SelectOp>(op) && !op->use_empty() &&
        llvm::all_of(op->getUsers(), isStep))
      return true;
    return isa<nn::SliceOp>(op) && op->hasAttr(nn::kChunkAttr);
  };
  for (Operation *op : all)
    if (isOfChunk(op))
      solidViews.insert(op);
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : all) {
      if (!isKernelOp(op) || (isView(op) && !solidViews.contains(op)))
        continue;
      std::string why;
      Group group = complete({op});
      if (isValid(group, &why))
        continue;
      bool hadViews = false;
      bool isLookUp =
          isa<nn::EmbeddingOp, nn::PickOp, nn::GroupedContractOp>(op);
      for (Operation *member : group.ops)
        if (member != op && !isa<nn::ReshapeOp>(member) &&
            (isLookUp || !isa<nn::ConstantOp>(member)))
          hadViews |= solidViews.insert(member).second;
      if (!hadViews)
        return op->emitError() << "cannot be compiled into a kernel: " << why;
      changed = true;
    }
  }
  for (Operation *op : all) {
    // The inserts and sum that stack a tiled attention's results belong to its
    // kernel.
    if (Operation *attention = findStacked(op);
        attention && !isByLibrary(attention)) {
      unit[op] = unitOf(attention);
      own[unitOf(op)].push_back(op);
      continue;
    }
    bool isFree = isView(op) && !solidViews.contains(op);
    unit[op] = own.size();
    own.push_back({op});
    isGroup.push_back(isKernelOp(op) && !isFree && !isOfChunk(op));
  }
  return success();
}

void Grouper::collectDefs(Operation *op, SmallVectorImpl<Operation *> &defs) {
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def || !position.contains(def))
      continue;
    if (isView(def) && !solidViews.contains(def))
      collectDefs(def, defs);
    else
      defs.push_back(def);
  }
}

/// Adds data dependences (kernels copy the views they use), and the order of
/// ops of other dialects, except GEMMs: collectives must stay in the order that
/// all ranks have in common.
void Grouper::buildEdges() {
  successors.resize(all.size());
  int lastForeign = -1;
  for (auto [i, op] : llvm::enumerate(all)) {
    int index = i;
    SmallVector<Operation *> defs;
    if (isGroup[unitOf(op)])
      collectDefs(op, defs);
    else
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && position.contains(def))
          defs.push_back(def);
    for (Operation *def : defs)
      successors[position[def]].push_back(index);
    if (isa<nn::NNDialect>(op->getDialect()) || isGemm(op))
      continue;
    if (lastForeign >= 0)
      successors[lastForeign].push_back(index);
    lastForeign = index;
  }
}

/// Whether an op outside both must run after one and before the other.
bool Grouper::hasOutsidePath(int a, int b) {
  llvm::DenseSet<int> seen;
  SmallVector<int> work;
  auto leave = [&](int from) {
    for (Operation *op : own[from])
      for (int next : successors[position[op]]) {
        int to = unitOf(all[next]);
        if (to != a && to != b && seen.insert(to).second)
          work.push_back(to);
      }
  };
  leave(a);
  leave(b);
  while (!work.empty()) {
    int at = work.pop_back_val();
    for (Operation *op : own[at])
      for (int next : successors[position[op]]) {
        int to = unitOf(all[next]);
        if (to == a || to == b)
          return true;
        if (seen.insert(to).second)
          work.push_back(to);
      }
  }
  return false;
}

/// The most ops of a kernel, copied views excluded: forming a larger one takes
/// longer than it saves.
static constexpr size_t kMaxOps = 256;

/// For rows longer than this, another launch is cheaper than a kernel with a
/// single work item.
static constexpr int64_t kManyColumns = 4 * 4096;

/// Whether a group is a single work item with a long row.
static bool isOneLongRow(const Group &group) {
  if (llvm::none_of(group.results, [](Value result) {
        return numElements(result) > kManyColumns;
      }))
    return false;
  auto program =
      RowProgram::create(group.arguments.getArrayRef(), group.results);
  return program && program->shape == KernelShape::Rows && program->rows == 1 &&
         program->columns > kManyColumns;
}

/// Whether a result of a group is written to an argument's buffer.
static bool replacesAny(const Group &group) {
  return llvm::any_of(group.results, [](Value result) {
    return accumulationTarget(result).has_value();
  });
}

bool Grouper::tryMerge(int a, int b) {
  if (own[a].size() + own[b].size() > kMaxOps)
    return false;
  SmallVector<Operation *> merged(own[a]);
  llvm::append_range(merged, own[b]);
  Group group = complete(merged);
  if (!isValid(group) || hasOutsidePath(a, b))
    return false;
  // An optimizer update has many work items. Merged with the scalars that it
  // depends on, such as the gradient norm, it would have a single one. On a
  // device every block can recompute the scalars instead, unless computing them
  // overwrites their inputs, as the loss scale's state of fp16.
  if (isOneLongRow(group) && !isOneLongRow(complete(own[b])) &&
      (!isForDevice || replacesAny(complete(own[a]))))
    return false;
  for (Operation *op : own[b])
    unit[op] = a;
  own[a] = std::move(merged);
  own[b].clear();
  return true;
}

void Grouper::mergeProducers() {
  for (Operation *op : all) {
    if (!isGroup[unitOf(op)])
      continue;
    SmallVector<Operation *> defs;
    collectDefs(op, defs);
    for (Operation *def : defs)
      if (int a = unitOf(def), b = unitOf(op); a != b && isGroup[a])
        tryMerge(a, b);
  }
}

/// Merges column sums that read a common tensor, which is then read once, and
/// column sums that read results of one kernel, as the second steps of split
/// sums do, which saves a launch.
void Grouper::mergeColumnSums() {
  llvm::DenseMap<Value, int> readers;
  llvm::DenseMap<int, int> followers;
  for (Operation *op : all) {
    if (!isKernelOp(op) || !isColumnSum(op) || !isGroup[unitOf(op)])
      continue;
    int64_t elements = numElements(op->getOperand(0));
    for (Value read : complete(own[unitOf(op)]).arguments) {
      if (numElements(read) != elements)
        continue;
      auto join = [&](auto &first, auto key) {
        auto [it, isNew] = first.try_emplace(key, unitOf(op));
        if (!isNew && it->second != unitOf(op))
          tryMerge(it->second, unitOf(op));
      };
      join(readers, read);
      Operation *def = read.getDefiningOp();
      if (def && position.contains(def) && isGroup[unitOf(def)])
        join(followers, unitOf(def));
    }
  }
}

SmallVector<int> Grouper::readersOf(Value value) {
  SmallVector<Operation *> found;
  std::function<void(Value)> look = [&](Value read) {
    for (Operation *user : read.getUsers()) {
      if (!position.contains(user))
        continue;
      if (isView(user) && !solidViews.contains(user))
        look(user->getResult(0));
      else if (isGroup[unitOf(user)])
        found.push_back(user);
    }
  };
  look(value);
  llvm::sort(found, [&](Operation *a, Operation *b) {
    return position[a] < position[b];
  });
  llvm::SetVector<int> units;
  for (Operation *op : found)
    units.insert(unitOf(op));
  return units.takeVector();
}

/// Merges column sums with a kernel that reads the same rows, if its work items
/// can process these one after another; the rows are then read once.
void Grouper::mergeSumsOfGroups() {
  bool hasMerged = false;
  for (Operation *op : all) {
    if (!isKernelOp(op) || !isColumnSum(op) || !isGroup[unitOf(op)])
      continue;
    int64_t elements = numElements(op->getOperand(0));
    auto mergeIntoReader = [&](Value read) {
      return numElements(read) == elements &&
             llvm::any_of(readersOf(read), [&](int reader) {
               return reader != unitOf(op) && tryMerge(reader, unitOf(op));
             });
    };
    hasMerged |=
        llvm::any_of(complete(own[unitOf(op)]).arguments, mergeIntoReader);
  }
  // One kernel may now compute the first steps of more sums.
  if (hasMerged)
    mergeColumnSums();
}

Grouping Grouper::finish() {
  Grouping grouping;
  // Kahn's algorithm; among ready nodes, the one whose last op is first in the
  // block.
  int count = own.size();
  SmallVector<int> waiting(count, 0), key(count, -1), groupIndex(count, -1);
  SmallVector<SetVector<int>> next(count);
  for (int i = 0; i < count; ++i)
    for (Operation *op : own[i]) {
      key[i] = std::max(key[i], position[op]);
      for (int successor : successors[position[op]])
        if (int to = unitOf(all[successor]); to != i)
          if (next[i].insert(to))
            ++waiting[to];
    }
  auto later = [&](int a, int b) { return key[a] > key[b]; };
  std::priority_queue<int, std::vector<int>, decltype(later)> ready(later);
  for (int i = 0; i < count; ++i)
    if (!own[i].empty() && !waiting[i])
      ready.push(i);
  while (!ready.empty()) {
    int at = ready.top();
    ready.pop();
    if (isGroup[at]) {
      Group group = complete(own[at]);
      if (!group.results.empty()) {
        grouping.order.push_back({nullptr, (int)grouping.groups.size()});
        grouping.groups.push_back(std::move(group));
      }
    } else {
      grouping.order.push_back({own[at].front(), -1});
    }
    for (int to : next[at])
      if (--waiting[to] == 0)
        ready.push(to);
  }
  return grouping;
}

FailureOr<Grouping> Grouper::run() {
  numberOps();
  if (failed(seed()))
    return failure();
  buildEdges();
  mergeProducers();
  mergeColumnSums();
  mergeSumsOfGroups();
  return finish();
}

FailureOr<Grouping> codegen::groupBlock(Block &block, bool isForDevice) {
  return Grouper(block, isForDevice).run();
}
