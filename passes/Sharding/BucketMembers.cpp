//===- BucketMembers.cpp - Trained parameters and their buckets -----------===//
//
// All members of a bucket are of one class: @update and the collectives treat
// them alike. A GPT layer with tensor parallelism has three classes:
//
//     all weights                          decay, sharded over tp
//     biases of column-parallel weights    no decay, sharded over tp
//     norms and the other biases           no decay, not sharded
//
// Experts that are split over ep are a class of their own: their gradients are
// no sums over ep, and their buckets are sharded over the other data axes only.
//
// Buckets of a class take the parameters of one segment after the other. A
// parameter that @update treats differently from the module's first trained
// parameter, or whose states are sharded differently, is in no bucket.
//
//===----------------------------------------------------------------------===//

#include "passes/Sharding/BucketMembers.h"

#include "analysis/Activations.h"
#include "dialects/Dist/Collectives.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Names.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

/// The alignment of members and of shards in elements: 64 bytes of the
/// narrowest type, bf16.
constexpr int64_t kAlignedElements = 32;

Layout nn::layoutOf(const Mesh &mesh, Operation *symbol) {
  auto sharding = symbol->getAttrOfType<ShardingAttr>(kShardingAttr);
  return mesh && sharding
             ? mesh.layout(sharding)
             : Layout(cast<RankedTensorType>(
                          symbol->getAttrOfType<TypeAttr>("type").getValue())
                          .getRank());
}

//===----------------------------------------------------------------------===//
// Trained parameters
//===----------------------------------------------------------------------===//

BucketMembers::BucketMembers(ModuleOp module, func::FuncOp update,
                             const Mesh &mesh)
    : update(update), mesh(mesh) {
  collect(module);
}

/// Returns the read that a value comes from through collectives, or null.
static ReadOp readOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && collectiveAxes(op) && op->getNumOperands() == 1)
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_or_null<ReadOp>(op);
}

/// Returns the sum that adds a sum of squares, possibly scaled, or null.
static SumOp sumOf(Value squares) {
  if (!squares.hasOneUse())
    return {};
  Operation *user = *squares.user_begin();
  if (isa<ScaleOp>(user) && user->getResult(0).hasOneUse())
    user = *user->getResult(0).user_begin();
  return dyn_cast<SumOp>(user);
}

void BucketMembers::findSquares(
    const llvm::StringMap<TrainedParam *> &byGradient) {
  for (auto op : update.getOps<SumOfSquaresOp>()) {
    ReadOp read = readOf(op.getInput());
    SumOp sum = sumOf(op.getResult());
    if (!read || !sum || (total && sum != total))
      continue;
    total = sum;
    if (TrainedParam *one = byGradient.lookup(read.getSymbol()))
      one->squares = op;
  }
}

/// Finds the stages and segments that use each parameter. Ops without
/// activations count for their users, because tasks of @microbatch and
/// @evaluate will clone them there.
void BucketMembers::findUses(ModuleOp module) {
  llvm::StringMap<llvm::SmallSetVector<int64_t, 2>> stages, segments;
  auto numberOf = [](Operation *op, StringRef name) -> int64_t {
    auto number = op->getAttrOfType<IntegerAttr>(name);
    return number ? number.getInt() : 0;
  };
  for (StringRef name : {kMicrobatch, kEvaluate}) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      continue;
    Block &block = function.getBody().front();
    auto activations = findActivations(block);
    for (auto read : block.getOps<ReadOp>()) {
      SmallVector<Operation *> todo(read->user_begin(), read->user_end());
      llvm::DenseSet<Operation *> seen;
      while (!todo.empty()) {
        Operation *user = todo.pop_back_val();
        if (!seen.insert(user).second)
          continue;
        if (!activations.contains(user) && isMemoryEffectFree(user)) {
          todo.append(user->user_begin(), user->user_end());
          continue;
        }
        stages[read.getSymbol()].insert(numberOf(user, kStageAttr));
        segments[read.getSymbol()].insert(numberOf(user, kSegmentAttr));
      }
    }
  }
  for (TrainedParam &one : trained) {
    auto find = [&](auto &uses) {
      llvm::SmallSetVector<int64_t, 2> all = uses[one.param.getSymName()];
      if (one.copy)
        all.insert_range(uses[one.copy.getSymName()]);
      SmallVector<int64_t> sorted = all.takeVector();
      llvm::sort(sorted);
      return sorted;
    };
    one.stages = find(stages);
    one.segments = find(segments);
  }
}

/// Whether all states of a parameter are sharded like it, and @update treats it
/// like the first trained parameter.
bool BucketMembers::isRegular(const TrainedParam &one) const {
  if (!one.squares || !one.step)
    return false;
  Layout layout = layoutOf(mesh, one.param);
  auto liesAlike = [&](StateOp state) {
    Layout other = layoutOf(mesh, state);
    return other.dims == layout.dims &&
           (state.getKind() == StateKind::Gradient || other.partial.empty());
  };
  if (!liesAlike(one.gradient) || !llvm::all_of(one.moments, liesAlike) ||
      (one.copy && !liesAlike(one.copy)))
    return false;
  // The scalar operands must be the same in all steps.
  Operation *first = trained.front().step;
  auto scalarsOf = [](const TrainedParam &param) {
    auto adamw = dyn_cast<AdamWOp>(param.step);
    return param.step->getOperands()
        .drop_front(2 + param.moments.size())
        .drop_back(adamw && adamw.getRounding() ? 1 : 0);
  };
  return first && one.step->getName() == first->getName() &&
         one.moments.size() == trained.front().moments.size() &&
         !one.rounding == !trained.front().rounding &&
         llvm::equal(scalarsOf(one), scalarsOf(trained.front()));
}

void BucketMembers::collect(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::StringMap<TrainedParam *> byParam, byGradient;
  auto gradients =
      llvm::make_filter_range(module.getOps<StateOp>(), [](StateOp state) {
        return state.getKind() == StateKind::Gradient && state.getOf();
      });
  for (StateOp state : gradients)
    if (auto param = symbols.lookup<ParamOp>(*state.getOf())) {
      trained.emplace_back();
      trained.back().param = param;
      trained.back().gradient = state;
    }
  for (TrainedParam &one : trained) {
    byParam[one.param.getSymName()] = &one;
    byGradient[one.gradient.getSymName()] = &one;
  }
  for (auto state : module.getOps<StateOp>()) {
    TrainedParam *one =
        state.getOf() ? byParam.lookup(*state.getOf()) : nullptr;
    if (!one)
      continue;
    if (state.getKind() == StateKind::Copy)
      one->copy = state;
    else if (state.getKind() == StateKind::Moment1 ||
             state.getKind() == StateKind::Moment2)
      one->moments.push_back(state);
  }
  for (Operation &op : update.getBody().front()) {
    if (!isa<AdamWOp, SgdOp>(op))
      continue;
    auto param = op.getOperand(0).getDefiningOp<ReadOp>();
    ReadOp gradient = readOf(op.getOperand(1));
    TrainedParam *one = param ? byParam.lookup(param.getSymbol()) : nullptr;
    if (!one || !gradient || gradient.getSymbol() != one->gradient.getSymName())
      continue;
    one->step = &op;
    if (auto adamw = dyn_cast<AdamWOp>(op); adamw && adamw.getRounding())
      one->rounding = adamw.getRounding().getDefiningOp<RoundingBitsOp>();
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function != update)
      function.walk([&](ReadOp read) { used.insert(read.getSymbol()); });
  findSquares(byGradient);
  findUses(module);
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

BucketClass BucketMembers::classOf(const TrainedParam &one,
                                   int64_t zero) const {
  BucketClass alike;
  alike.stages = one.stages;
  alike.split = layoutOf(mesh, one.param).split();
  alike.partial = layoutOf(mesh, one.gradient).partial;
  alike.decay = ParamOp(one.param).getDecay();
  if (one.copy) {
    alike.copied = StateOp(one.copy).getTensorType().getElementType();
    bool hasParts = zero >= 1 && !alike.dataAxes(mesh).empty();
    alike.isMaster =
        hasParts && !used.contains(ParamOp(one.param).getSymName());
  }
  if (one.stages.size() > 1)
    alike.alone = one.param;
  if (zero == 3)
    alike.segments = one.segments;
  return alike;
}

/// Parameters go into the last bucket of their class, in the order of segments.
/// A full bucket takes no further segment.
std::vector<Bucket> BucketMembers::form(int64_t zero, int64_t bytes) const {
  if (!total)
    return {};
  SmallVector<const TrainedParam *> order;
  for (const TrainedParam &one : trained)
    if (isRegular(one))
      order.push_back(&one);
  // Parameters of one segment stay in the module's order, which is the order of
  // `trained`.
  llvm::sort(order, [](const TrainedParam *a, const TrainedParam *b) {
    return std::tuple(a->stages, a->segment(), a) <
           std::tuple(b->stages, b->segment(), b);
  });
  std::vector<Bucket> buckets;
  for (const TrainedParam *one : order) {
    BucketClass alike = classOf(*one, zero);
    auto last = llvm::find_if(llvm::reverse(buckets), [&](const Bucket &known) {
      return known.alike == alike;
    });
    int64_t width =
        StateOp(one->gradient).getTensorType().getElementTypeBitWidth() / 8;
    bool isFull = last == buckets.rend() ||
                  (last->end * width >= bytes &&
                   last->members.back()->segment() != one->segment());
    if (isFull)
      buckets.push_back({alike, {}, {}, 0, 0});
    Bucket &bucket = isFull ? buckets.back() : *last;
    bucket.members.push_back(one);
    bucket.offsets.push_back(bucket.end);
    bucket.end += llvm::alignTo(one->elements(), kAlignedElements);
  }
  for (Bucket &bucket : buckets) {
    AxisList data = bucket.alike.dataAxes(mesh).list();
    int64_t parts = mesh ? mesh.extent(data) : 1;
    bucket.elements = llvm::alignTo(bucket.end, kAlignedElements * parts);
  }
  return buckets;
}
