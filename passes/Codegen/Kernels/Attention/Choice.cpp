//===- Choice.cpp - Choice of the attention backend -----------------------===//

#include "passes/Codegen/Kernels/Attention/Choice.h"
#include "dialects/Pipe/Pipe.h"
#include "passes/Codegen/Kernels/Attention/Attention.h"
#include "passes/Codegen/Kernels/Attention/WorkItem.h"
#include "runtime/Chips.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

bool codegen::isByLibrary(Operation *op) { return op->hasAttr(kByLibraryAttr); }

//===----------------------------------------------------------------------===//
// The workspace of the backward pass
//===----------------------------------------------------------------------===//

/// The least workspace, in bytes, that batches of samples may fill.
static constexpr int64_t kWorkspace = int64_t(128) << 20;
/// The most workspace, in bytes, of a sample or else a group of its heads. If
/// more is needed, the memory that tiles save outweighs the speed.
static constexpr int64_t kMostWorkspace = int64_t(1) << 30;

/// An upper bound of the library's workspace for `keyHeads` key heads over all
/// samples, with the query heads that share them. The library sums dq in a
/// fixed order only if it has dS in memory, in low precision, with queries and
/// keys padded to its tiles. With grouped queries it stores dk and dv per query
/// head. The runtime stores rowsum(do * o) there, too, in f32.
static int64_t workspaceOf(const AttentionSizes &sizes, int64_t keyHeads) {
  constexpr int64_t tile = 128, rest = 4096;
  int64_t heads = keyHeads * sizes.shared();
  int64_t pairs =
      llvm::alignTo(sizes.queries, tile) * llvm::alignTo(sizes.keys, tile) * 2;
  int64_t apart =
      sizes.shared() > 1 ? 2 * sizes.keys * sizes.width * 2 : int64_t(0);
  return llvm::alignTo(heads * (pairs + apart + sizes.queries * 4), rest) +
         rest;
}

/// The bytes of the backward pass's operands and results. A workspace of that
/// size keeps memory linear in the sequence length, and lets the library
/// process enough samples at a time to fill a device.
static int64_t bytesOf(const AttentionSizes &sizes) {
  int64_t rows = sizes.queries * sizes.heads, // of q, o, do, dq
      keyRows = sizes.keys * sizes.keyHeads;  // of k, v, dk, dv
  return sizes.batch * (4 * (rows + keyRows) * sizes.width * 2 + rows * 4);
}

/// Whether the lse of every batch of `keyHeads` key heads begins at an aligned
/// address, as the library requires.
static bool isAligned(const AttentionSizes &sizes, int64_t keyHeads) {
  return keyHeads == sizes.batch * sizes.keyHeads ||
         keyHeads * sizes.shared() * sizes.queries % 4 == 0;
}

/// The largest divisor of `count` whose workspace fits in `bytes` and whose
/// batches are aligned; 1 if there is none. Each of `count` has `keyHeads` key
/// heads.
static int64_t mostAtATime(const AttentionSizes &sizes, int64_t count,
                           int64_t keyHeads, int64_t bytes) {
  int64_t most = count;
  while (most > 1 && (count % most || !isAligned(sizes, most * keyHeads) ||
                      workspaceOf(sizes, most * keyHeads) > bytes))
    --most;
  return most;
}

AttentionWork codegen::getAttentionWork(Operation *attention) {
  AttentionSizes sizes(attention);
  int64_t samples = 1, keyHeads = sizes.keyHeads;
  if (workspaceOf(sizes, keyHeads) > kMostWorkspace)
    keyHeads = mostAtATime(sizes, keyHeads, 1, kMostWorkspace);
  else
    samples = mostAtATime(sizes, sizes.batch, keyHeads,
                          std::max(kWorkspace, bytesOf(sizes)));
  return {samples, keyHeads, workspaceOf(sizes, samples * keyHeads)};
}

//===----------------------------------------------------------------------===//
// Conditions on a single op
//===----------------------------------------------------------------------===//

namespace {

/// The tasks of a module by the bodies that they call.
class Callers {
public:
  explicit Callers(ModuleOp module) : symbols(module) {
    for (auto task : module.getOps<pipe::TaskOp>()) {
      tasks[task.getBody()].push_back(task);
      if (task.getFirst())
        tasks[*task.getFirst()].push_back(task);
    }
  }
  /// The tasks that call the body that contains a block.
  ArrayRef<pipe::TaskOp> of(Block *block) const {
    auto body = dyn_cast<pipe::BodyOp>(block->getParentOp());
    auto found = body ? tasks.find(body.getSymName()) : tasks.end();
    return found == tasks.end() ? ArrayRef<pipe::TaskOp>() : found->second;
  }

  /// The program input that a task passes for an argument, or null.
  pipe::InputOp findInput(pipe::TaskOp task, unsigned argument) const {
    return symbols.lookup<pipe::InputOp>(task.getSource(argument));
  }

private:
  SymbolTable symbols;
  llvm::StringMap<SmallVector<pipe::TaskOp>> tasks;
};

} // namespace

/// The first of consecutive positions, as an attribute that is equal for equal
/// positions; null if they are not known to be consecutive.
static Attribute firstOf(Value positions, const Callers &callers) {
  MLIRContext *context = positions.getContext();
  auto number = [&](int64_t value) -> Attribute {
    return IntegerAttr::get(IntegerType::get(context, 64), value);
  };
  DenseIntElementsAttr elements;
  if (auto constant = positions.getDefiningOp<nn::ConstantOp>())
    elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  if (elements) {
    int64_t first = (*elements.begin()).getSExtValue();
    for (auto [i, value] : llvm::enumerate(elements))
      if (value.getSExtValue() != first + int64_t(i))
        return {};
    return number(first);
  }
  auto argument = dyn_cast<BlockArgument>(positions);
  if (!argument)
    return {};
  ArrayRef<pipe::TaskOp> tasks = callers.of(argument.getOwner());
  for (pipe::TaskOp task : tasks) {
    pipe::InputOp input = callers.findInput(task, argument.getArgNumber());
    if (!input || input.getRole() != nn::InputRole::Positions)
      return {};
    // The runtime counts from 0; on a rank with a shard of the sequence, from
    // the shard's start; in another order not one by one.
    auto global = input->getAttrOfType<TypeAttr>(dist::kGlobalAttr);
    if ((global && global.getValue() != input.getType()) ||
        input->hasAttr(nn::kOrderAttr))
      return {};
  }
  return tasks.empty() ? Attribute() : number(0);
}

/// The reason why the library cannot compute an op, looking at the op alone;
/// empty if it can.
static std::string whyNotAlone(Operation *op, const Callers &callers,
                               ArrayRef<int> chips) {
  AttentionSizes sizes(op);
  Type element = nn::tensorType(sizes.q).getElementType();
  if (!element.isBF16() && !element.isF16())
    return llvm::formatv("the element type is {0}, not bf16 or f16", element);
  if (sizes.p > 0)
    return "it has dropout";
  auto hasBias = [](auto op) { return op && op.getBias(); };
  if (hasBias(dyn_cast<nn::AttentionOp>(op)) ||
      hasBias(dyn_cast<nn::AttentionGradOp>(op)))
    return "scores have a bias";
  if (sizes.mask.isBounded())
    return llvm::formatv(
        "the mask has a {0} of {1}", sizes.mask.window ? "window" : "chunk",
        sizes.mask.window ? sizes.mask.window : sizes.mask.chunk);
  if (sizes.starts)
    return "a sample has several documents";
  if (sizes.softcap)
    return "scores have a soft cap";
  if (sizes.sinks)
    return "it has sinks";
  if (sizes.width != sizes.valueWidth ||
      (sizes.width != 64 && sizes.width != 128))
    return llvm::formatv(
        "the head size is {0}, not 64 or 128",
        sizes.width != sizes.valueWidth
            ? llvm::formatv("{0} and {1}", sizes.width, sizes.valueWidth).str()
            : std::to_string(sizes.width));
  if (sizes.isCausal) {
    Attribute query = firstOf(sizes.qPos, callers),
              key = firstOf(sizes.kPos, callers);
    if (!query || query != key || sizes.queries != sizes.keys)
      return "queries and keys do not have the same consecutive positions";
  }
  if (sizes.queries == 1 || sizes.keys == 1)
    return "a sample has one query or key";
  if (isa<nn::AttentionGradOp>(op))
    for (int chip : chips)
      if (!repeatsAttention(chip))
        return llvm::formatv("its backward pass is not deterministic on sm_{0}",
                             chip);
  // The backward pass masks keys after the last in tiles of 64 but processes
  // tiles of 128. In the other half of the last tile, exp(0 - lse) overflows if
  // lse is below -88.
  if (!sizes.isCausal && sizes.keys % 128 == 64)
    return llvm::formatv("its backward pass is wrong for {0} keys, an odd "
                         "multiple of 64",
                         sizes.keys);
  if (int64_t bytes = workspaceOf(sizes, 1); bytes > kMostWorkspace)
    return llvm::formatv(
        "its backward pass needs a workspace of {0:F1} GiB for {1}",
        double(bytes) / (1 << 30),
        sizes.shared() > 1 ? "the heads of a key head" : "a head");
  AttentionWork work = getAttentionWork(op);
  if (!isAligned(sizes, work.samples * work.keyHeads))
    return llvm::formatv(
        "its backward pass processes {0} at a time, and {1} heads "
        "x {2} queries are not a multiple of 4",
        work.keyHeads == sizes.keyHeads ? "a sample" : "a key head",
        work.keyHeads * sizes.shared(), sizes.queries);
  return "";
}

//===----------------------------------------------------------------------===//
// One backend for an attention and its gradient
//===----------------------------------------------------------------------===//

namespace {

/// Groups the ops that an lse connects, so that a group gets one backend.
class Families {
public:
  explicit Families(const Callers &callers) : callers(callers) {}

  /// Follows an op's lse. If it has uses or sources other than attention ops,
  /// the op is marked as having other uses.
  void add(Operation *op) {
    families.insert(keyOf(op));
    if (auto forward = dyn_cast<nn::AttentionOp>(op))
      followUses(op, forward.getLse());
    else if (auto from = dyn_cast<BlockArgument>(
                 cast<nn::AttentionGradOp>(op).getLse()))
      followSource(op, from);
    else if (!cast<nn::AttentionGradOp>(op)
                  .getLse()
                  .getDefiningOp<nn::AttentionOp>())
      withOtherUses.insert(op);
  }
  /// The representative of the op's group.
  const void *leaderOf(Operation *op) const {
    return families.getLeaderValue(keyOf(op));
  }
  bool hasOtherUses(Operation *op) const { return withOtherUses.contains(op); }

private:
  static const void *keyOf(Operation *op) { return op; }
  /// Records that an op's lse is a value that tasks share.
  void join(Operation *op, StringRef symbol) {
    families.unionSets(
        keyOf(op),
        StringAttr::get(op->getContext(), symbol).getAsOpaquePointer());
  }
  void followUses(Operation *op, Value lse) {
    for (OpOperand &use : lse.getUses()) {
      Operation *user = use.getOwner();
      if (auto grad = dyn_cast<nn::AttentionGradOp>(user);
          grad && grad.getLse() == lse)
        families.unionSets(keyOf(op), keyOf(grad));
      else if (isa<pipe::YieldOp>(user))
        for (pipe::TaskOp task : callers.of(user->getBlock()))
          join(op, task.getTarget(use.getOperandNumber()));
      else
        withOtherUses.insert(op);
    }
  }
  void followSource(Operation *op, BlockArgument lse) {
    ArrayRef<pipe::TaskOp> tasks = callers.of(lse.getOwner());
    if (tasks.empty() ||
        !llvm::all_of(lse.getUsers(), llvm::IsaPred<nn::AttentionGradOp>))
      withOtherUses.insert(op);
    for (pipe::TaskOp task : tasks)
      join(op, task.getSource(lse.getArgNumber()));
  }

  const Callers &callers;
  llvm::EquivalenceClasses<const void *> families;
  llvm::DenseSet<Operation *> withOtherUses;
};

} // namespace

llvm::MapVector<Operation *, AttentionChoice>
codegen::chooseAttention(ModuleOp module, AttentionTarget makers) {
  llvm::MapVector<Operation *, AttentionChoice> choices;
  module.walk([&](Operation *op) {
    if (isa<nn::AttentionOp, nn::AttentionGradOp>(op)) {
      std::string why =
          whyExpanded(op, makers.onDevice, leastShared(makers.chips)).str();
      choices[op] = {why.empty() ? AttentionBackend::Tiles
                                 : AttentionBackend::Products,
                     "", why};
    }
  });
  if (!makers.library)
    return choices;
  Callers callers(module);
  Families families(callers);
  for (auto &[op, choice] : choices)
    families.add(op);
  // A reason against one op of a group applies to the whole group.
  llvm::DenseMap<const void *, std::string> reasons;
  for (auto &[op, choice] : choices) {
    std::string why = whyNotAlone(op, callers, makers.chips);
    if (why.empty() && families.hasOtherUses(op))
      why = "its lse has uses other than its gradient";
    std::string &all = reasons[families.leaderOf(op)];
    if (all.empty())
      all = why;
  }
  for (auto &[op, choice] : choices) {
    choice.whyNoLibrary = reasons[families.leaderOf(op)];
    if (choice.whyNoLibrary.empty())
      choice.maker = AttentionBackend::Library;
  }
  return choices;
}
