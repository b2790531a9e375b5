//===- FormBuckets.cpp - Gradients and updates in buckets -----------------===//
//
// A trained parameter has a gradient, optimizer state and maybe a working copy,
// all of the same local shape. At the end of a step many parameters are treated
// alike. So the parameters of a few segments are placed in one bucket, a flat
// buffer that one collective reduces and one kernel updates:
//
//     nn.state @bucket.0.grad : tensor<1x64xf32> bucket
//         members [@grad.a, @grad.b] at [0, 32]
//     ...
//     %g = nn.read @bucket.0.grad : tensor<1x64xf32>
//     %r = dist.all_reduce sum %g over ["dp"] : tensor<1x64xf32>
//     %q = nn.sum_of_squares %r : ...
//     ...
//     %p, %m, %v = nn.adamw ... %r ...
//
// A bucket is no tensor of its own, but another name for the memory of its
// members, which all other functions still use. The buckets of gradients,
// moments, working copies and parameters have the same element offsets.
//
// With --zero 1 the data axes shard the optimizer state: gradients are reduced
// to the rank's shard, which alone is updated. A shard may begin and end within
// a member. The shard of the parameters is a second name for a part of their
// bucket; the rest of the bucket is stale after a step. @gather gathers the
// bucket before the next step or evaluation:
//
//     nn.state @bucket.0.own : tensor<1x32xf32> part of @bucket.0.param
//     ...
//     func.func @gather() {
//       %p = nn.read @bucket.0.own : tensor<1x32xf32>
//       %c = dist.all_gather %p dim 1 over ["dp"] : ...
//       nn.write %c, @bucket.0.param : tensor<1x64xf32>
//
// Master weights whose only users read bf16 or fp16 working copies are never
// gathered. The working copies are gathered from the shards instead:
//
//     nn.state @bucket.0.own : tensor<1x32xf32> bucket members [@a, @b] ...
//     nn.state @bucket.0.copy : tensor<1x64xbf16> bucket members ...
//     ...
//     func.func @gather() {
//       %p = nn.read @bucket.0.own : tensor<1x32xf32>
//       %r = nn.cast %p : tensor<1x32xf32> -> tensor<1x32xbf16>
//       %c = dist.all_gather %r dim 1 over ["dp"] : ...
//       nn.write %c, @bucket.0.copy : tensor<1x64xbf16>
//
// With --zero 2 gradients are sharded, too: @reduce reduces the gradients of
// each microbatch, accumulates the rank's shard, and clears the bucket.
//
//     nn.state @bucket.0.sum : tensor<1x32xf32> gradient of @bucket.0.grad
//     ...
//     func.func @reduce() {
//       %g = nn.read @bucket.0.grad : tensor<1x64xf32>
//       %r = dist.reduce_scatter %g dim 1 over ["dp"] : ...
//       %o = nn.read @bucket.0.sum : tensor<1x32xf32>
//       %s = nn.sum %o, %r : tensor<1x32xf32>
//       nn.write %s, @bucket.0.sum : tensor<1x32xf32>
//       nn.write %zero, @bucket.0.grad : tensor<1x64xf32>
//
// With --zero 3 parameters are sharded in f32 training as well, and working
// copies are resident only while a segment uses them. So a bucket ends with its
// segment and is marked for the schedule (`nn.released`).
//
// All members of a bucket are of one class (see BucketClass). A parameter that
// several stages hold has a bucket of its own, with the same layout in each
// stage.
//
// Moments of bf16 are rounded with random bits that depend on an element's
// index in its whole tensor. One op gives the bits of a bucket, or of the
// rank's shard, whose first element is its `position` in the bucket:
//
//     %tp = dist.offset ["tp"] by 8 : tensor<i64>
//     %first = dist.offset ["dp"] by 32 : tensor<i64>
//     %bits = nn.rounding_bits 0 seed %seed step %s origins %tp, %first
//         position 1 members
//         [#nn.member<shape = [4, 8], whole = [4, 16], origins = [-1, 0]>, ...]
//         : ... -> tensor<1x32xi32>
//
// So that buckets of equal layers share a kernel, ids are relative to the
// bucket's least one, which is in the high half of the step instead of in the
// op (Random.h adds the two). Each bucket has two equal entries, 16 bytes,
// since the memory of a kernel's operand is aligned so:
//
//     %b = nn.broadcast %step [] : tensor<i64> -> tensor<3x2xi64>
//     %least = nn.constant dense<[[0, 0], [4294967296, 4294967296], ...]>
//     %steps = nn.sum %b, %least : tensor<3x2xi64>
//     %own = nn.select %steps dim 0 index 1 : ... -> tensor<2xi64>
//     %s = nn.select %own dim 0 index 0 : tensor<2xi64> -> tensor<i64>
//
//===----------------------------------------------------------------------===//

#include "analysis/Buckets.h"
#include "dialects/Dist/Collectives.h"
#include "dialects/Dist/Layout.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Sharding/BucketMembers.h"
#include "passes/Sharding/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace pcc {
#define GEN_PASS_DEF_DISTFORMBUCKETSPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

/// The entries of a bucket's step for rounding: 16 bytes.
static constexpr int64_t kStepEntries = 2;

namespace {

class BucketFormer {
public:
  BucketFormer(ModuleOp module, func::FuncOp update, int64_t zero,
               int64_t bytes)
      : module(module), update(update), mesh(findMesh(module)),
        trained(module, update, mesh), buckets(trained.form(zero, bytes)),
        shardsState(zero >= 1), shardsGradients(zero >= 2),
        isReleased(zero == 3), builder(module.getContext()) {}

  void run();

private:
  StateOp declare(const Bucket &bucket, unsigned number, StringRef what,
                  ArrayRef<Operation *> members, AxisSet partial, bool cut);
  StateOp declareShard(StateOp row, unsigned number, StringRef what,
                       StateKind kind);
  void beginIn(func::FuncOp &function, StringRef name);
  void gather(StateOp own, StateOp params, StateOp copies);
  void reduce(StateOp gradients, StateOp sum);
  void rewrite(const Bucket &bucket, unsigned number);
  Value roundingBits(const Bucket &bucket, StateOp own);
  void moveIdsToSteps();
  Value reduceOver(Value row, Layout &layout, AxisSet axes);
  Value reduceOverData(Value row, Layout &layout);
  Value zeroFor(StateOp state);
  Value squaresOf(Value row, Layout layout);
  Value read(StateOp bucket);
  Value withSharding(Operation *op, const Layout &layout);
  void write(Value value, StateOp bucket);
  void eraseOld();

  Layout layoutOf(Operation *symbol) const {
    return nn::layoutOf(mesh, symbol);
  }
  /// Whether a bucket is sharded over its data axes.
  bool isSharded(const Bucket &bucket) const {
    return shardsState && !bucket.alike.dataAxes(mesh).empty();
  }
  /// Returns the data axes of a bucket by its layout.
  AxisSet dataAxes(const Layout &layout) const {
    return mesh ? mesh.dataAxesBeside(AxisSet(layout.dims[0])) : AxisSet();
  }

  ModuleOp module;
  func::FuncOp update;
  Mesh mesh;
  BucketMembers trained;
  std::vector<Bucket> buckets;
  /// Whether the optimizer state is sharded; whether gradients are, too;
  /// whether working copies are resident only while they are used.
  bool shardsState, shardsGradients, isReleased;
  OpBuilder builder;
  /// @gather and @reduce, once created.
  func::FuncOp gatherer, reducer;
  /// The prefix of bucket names, before the number.
  std::string prefix = "bucket.";
  /// The last declaration, and the squares of all buckets.
  Operation *lastState = nullptr;
  SmallVector<Value> squares;
  /// The random bits of the buckets' optimizer steps.
  SmallVector<RoundingBitsOp> rounding;
};

struct DistFormBucketsPass
    : pcc::impl::DistFormBucketsPassBase<DistFormBucketsPass> {
  using DistFormBucketsPassBase::DistFormBucketsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (zero < 0 || zero > 3) {
      module.emitError() << "--zero " << zero << " is none of 0, 1, 2 and 3";
      return signalPassFailure();
    }
    if (!module.getOps<StateOp>().empty())
      for (auto state : module.getOps<StateOp>())
        if (isBucket(state))
          return;
    auto update = module.lookupSymbol<func::FuncOp>(kUpdate);
    if (!update)
      return;
    Mesh mesh(findMesh(module));
    if (zero > 0 && (!mesh || mesh.dataAxes().empty())) {
      InFlightDiagnostic diag = module.emitWarning()
                                << "--zero " << int64_t(zero)
                                << " changes nothing: no ranks share a batch";
      diag.attachNote() << "ranks of --dp and --cp share one; each would keep "
                           "a shard";
    }
    BucketFormer(module, update, zero, bucketSize).run();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

StateOp BucketFormer::declare(const Bucket &bucket, unsigned number,
                              StringRef what, ArrayRef<Operation *> members,
                              AxisSet partial, bool cut) {
  Layout layout(2);
  layout.dims[0] = bucket.alike.split.list();
  layout.partial = partial;
  if (cut)
    layout.dims[1] = bucket.alike.dataAxes(mesh).list();
  SmallVector<Attribute> names;
  for (Operation *member : members)
    names.push_back(FlatSymbolRefAttr::get(SymbolTable::getSymbolName(member)));
  Type element =
      cast<RankedTensorType>(
          members.front()->getAttrOfType<TypeAttr>("type").getValue())
          .getElementType();
  int64_t parts = cut && mesh ? mesh.extent(layout.dims[1]) : 1;
  auto type = RankedTensorType::get({1, bucket.elements / parts}, element);
  builder.setInsertionPointAfter(lastState);
  auto state = StateOp::create(builder, members.front()->getLoc(),
                               (prefix + Twine(number) + "." + what).str(),
                               type, StateKind::Bucket, FlatSymbolRefAttr(),
                               builder.getArrayAttr(names),
                               builder.getDenseI64ArrayAttr(bucket.offsets),
                               /*first=*/FloatAttr());
  if (mesh) {
    state->setAttr(kShardingAttr, mesh.attr(layout));
    state->setAttr(kGlobalAttr, TypeAttr::get(mesh.globalType(type, layout)));
  }
  lastState = state;
  return state;
}

/// Declares the rank's shard over data axes: of a bucket of parameters that is
/// gathered for a step, or of the sum of a bucket of gradients.
StateOp BucketFormer::declareShard(StateOp row, unsigned number, StringRef what,
                                   StateKind kind) {
  Layout layout = layoutOf(row);
  layout.dims[1] = dataAxes(layout).list();
  layout.partial = layout.partial - dataAxes(layout);
  RankedTensorType whole = row.getTensorType();
  auto type = RankedTensorType::get(
      {1, whole.getDimSize(1) / mesh.extent(layout.dims[1])},
      whole.getElementType());
  builder.setInsertionPointAfter(lastState);
  auto part = StateOp::create(
      builder, row.getLoc(), (prefix + Twine(number) + "." + what).str(), type,
      kind, FlatSymbolRefAttr::get(row.getSymNameAttr()),
      /*members=*/ArrayAttr(), /*offsets=*/DenseI64ArrayAttr(),
      /*first=*/FloatAttr());
  part->setAttr(kShardingAttr, mesh.attr(layout));
  part->setAttr(kGlobalAttr, TypeAttr::get(mesh.globalType(type, layout)));
  lastState = part;
  return part;
}

//===----------------------------------------------------------------------===//
// @update, @reduce and @gather
//===----------------------------------------------------------------------===//

/// Sets the sharding of an op's results; returns the first result.
Value BucketFormer::withSharding(Operation *op, const Layout &layout) {
  if (mesh) {
    SmallVector<ShardingAttr> all(op->getNumResults(), mesh.attr(layout));
    setShardings(op, all);
  }
  return op->getResult(0);
}

Value BucketFormer::read(StateOp bucket) {
  return withSharding(ReadOp::create(builder, bucket.getLoc(),
                                     bucket.getTensorType(),
                                     bucket.getSymName()),
                      layoutOf(bucket));
}

void BucketFormer::write(Value value, StateOp bucket) {
  WriteOp::create(builder, bucket.getLoc(), value, bucket.getSymName());
}

/// Reduces a bucket with sharding `layout` over those of `axes` over which it
/// is partial; updates `layout`.
Value BucketFormer::reduceOver(Value row, Layout &layout, AxisSet axes) {
  axes = axes & layout.partial;
  if (axes.empty())
    return row;
  layout.partial = layout.partial - axes;
  return withSharding(AllReduceOp::create(builder, row.getLoc(),
                                          dist::Reduction::Sum, ValueRange(row),
                                          mesh.names(axes.list())),
                      layout);
}

/// Reduces a bucket of gradients over data axes: to the rank's shard if the
/// optimizer state is sharded, else to the whole bucket.
Value BucketFormer::reduceOverData(Value row, Layout &layout) {
  if (!shardsState)
    return reduceOver(row, layout, dataAxes(layout));
  Location loc = row.getLoc();
  auto typeOf = [&](int64_t parts) {
    auto type = tensorType(row);
    return RankedTensorType::get({1, type.getDimSize(1) / parts},
                                 type.getElementType());
  };
  // In the mesh's order. Along axes over which the gradient is not partial it
  // is sliced.
  AxisList axes = dataAxes(layout).list();
  for (size_t i = 0; i < axes.size();) {
    bool isPartial = layout.partial.contains(axes[i]);
    AxisList run;
    while (i < axes.size() && layout.partial.contains(axes[i]) == isPartial)
      run.push_back(axes[i++]);
    layout.dims[1].append(run);
    layout.partial = layout.partial - AxisSet(run);
    RankedTensorType part = typeOf(mesh.extent(run));
    row = isPartial
              ? withSharding(ReduceScatterOp::create(builder, loc, part, row, 1,
                                                     mesh.names(run)),
                             layout)
              : withSharding(ShardSliceOp::create(builder, loc, part, row, 1,
                                                  mesh.names(run)),
                             layout);
  }
  return row;
}

/// Returns this rank's share of the sum of a bucket's squares. Elements that
/// several ranks hold count once in the sum of all shares.
Value BucketFormer::squaresOf(Value row, Layout layout) {
  Location loc = row.getLoc();
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  auto sum = SumOfSquaresOp::create(builder, loc, scalar, row);
  if (!mesh)
    return sum;
  Layout parts(0);
  parts.partial = layout.split();
  int64_t replicas = 1;
  for (Axis axis : (mesh.all() - layout.split()).list())
    if (mesh.role(axis) != AxisRole::Pipeline)
      replicas *= mesh.extent(axis);
  Layout shares(0);
  shares.partial = mesh.all();
  if (replicas == 1)
    return withSharding(sum, shares);
  withSharding(sum, parts);
  return withSharding(ScaleOp::create(builder, loc, scalar, sum,
                                      builder.getF64FloatAttr(1.0 / replicas)),
                      shares);
}

void BucketFormer::rewrite(const Bucket &bucket, unsigned number) {
  auto symbolsOf = [&](auto get) {
    SmallVector<Operation *> all;
    for (const TrainedParam *one : bucket.members)
      all.push_back(get(*one));
    return all;
  };
  StateOp gradients =
      declare(bucket, number, "grad",
              symbolsOf([](const TrainedParam &one) { return one.gradient; }),
              bucket.alike.partial, /*cut=*/false);
  bool shardsState = isSharded(bucket);
  // A bucket that no function uses whole is never gathered.
  bool isMaster = shardsState && bucket.alike.isMaster;
  SmallVector<Operation *> members =
      symbolsOf([](const TrainedParam &one) { return one.param; });
  StateOp params, own;
  if (isMaster)
    own = declare(bucket, number, "own", members, AxisSet(), /*cut=*/true);
  else
    own = params =
        declare(bucket, number, "param", members, AxisSet(), /*cut=*/false);
  if (shardsState && params)
    own = declareShard(params, number, "own", StateKind::Part);
  SmallVector<StateOp> moments;
  const TrainedParam &first = *bucket.members.front();
  for (size_t i = 0; i < first.moments.size(); ++i)
    moments.push_back(declare(
        bucket, number, stringifyStateKind(StateOp(first.moments[i]).getKind()),
        symbolsOf([&](const TrainedParam &one) { return one.moments[i]; }),
        AxisSet(), shardsState));
  StateOp copies;
  if (bucket.alike.copied)
    copies =
        declare(bucket, number, "copy",
                symbolsOf([](const TrainedParam &one) { return one.copy; }),
                AxisSet(), /*cut=*/false);
  if (isMaster && isReleased)
    copies->setAttr(kReleasedAttr, builder.getUnitAttr());

  StateOp sum;
  if (shardsState && shardsGradients)
    sum = declareShard(gradients, number, "sum", StateKind::Gradient);
  StateOp added = sum ? sum : gradients;
  if (sum)
    reduce(gradients, sum);

  // Before the sum of all squares.
  builder.setInsertionPoint(trained.sumOfSquares());
  Layout layout = layoutOf(added);
  Value gradient = read(added);
  if (!sum)
    gradient = reduceOverData(gradient, layout);
  gradient = reduceOver(gradient, layout, layout.partial);
  squares.push_back(squaresOf(gradient, layout));

  // At the end.
  builder.setInsertionPoint(update.getBody().front().getTerminator());
  Location loc = first.step->getLoc();
  SmallVector<Value> operands = {read(own), gradient};
  for (StateOp moment : moments)
    operands.push_back(read(moment));
  llvm::append_range(operands,
                     first.step->getOperands().drop_front(operands.size()));
  if (first.rounding)
    operands.back() = roundingBits(bucket, own);
  Operation *step = first.step->clone();
  builder.insert(step);
  step->setOperands(operands);
  step->removeDiscardableAttr(kIdAttr);
  for (auto [i, result] : llvm::enumerate(step->getResults()))
    result.setType(operands[i == 0 ? 0 : i + 1].getType());
  withSharding(step, layout);
  for (auto [i, moment] : llvm::enumerate(moments))
    write(step->getResult(i + 1), moment);
  Value next = step->getResult(0);
  write(next, own);
  if (copies && !shardsState)
    write(
        withSharding(CastOp::create(builder, loc, copies.getTensorType(), next),
                     layoutOf(copies)),
        copies);
  write(zeroFor(added), added);
  if (shardsState)
    gather(own, params, copies);
}

/// Builds the random bits that round the moments of a bucket, or of `own`, the
/// rank's shard of it. Members that begin at the same offsets of dims share
/// them.
Value BucketFormer::roundingBits(const Bucket &bucket, StateOp own) {
  RoundingBitsOp first = bucket.members.front()->rounding;
  SmallVector<Value> origins;
  auto originOf = [&](Value value) -> int64_t {
    auto offset = value.getDefiningOp<OffsetOp>();
    auto it = llvm::find_if(origins, [&](Value known) {
      auto other = known.getDefiningOp<OffsetOp>();
      return known == value ||
             (offset && other && offset.getAxes() == other.getAxes() &&
              offset.getExtent() == other.getExtent());
    });
    if (it == origins.end()) {
      origins.push_back(value);
      return origins.size() - 1;
    }
    return it - origins.begin();
  };
  SmallVector<Attribute> members;
  for (auto [one, start] : llvm::zip_equal(bucket.members, bucket.offsets)) {
    RoundingBitsOp bits = one->rounding;
    MemberAttr alone = bits.getMemberList().front();
    SmallVector<int64_t> numbers;
    for (int64_t dim = 0, rank = alone.getShape().size(); dim < rank; ++dim) {
      int64_t origin = alone.getOrigin(dim);
      numbers.push_back(origin < 0 ? -1 : originOf(bits.getOrigins()[origin]));
    }
    bool isWhole = llvm::all_of(numbers, [](int64_t n) { return n < 0; });
    members.push_back(MemberAttr::get(
        builder.getContext(), int64_t(bits.getId()) + alone.getId(), start,
        alone.getShape(), alone.getWhole(),
        isWhole ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(numbers)));
  }
  // Ids are relative to the least one, so that equal layers have equal members.
  auto idOf = [](Attribute member) { return cast<MemberAttr>(member).getId(); };
  int64_t least = idOf(*llvm::min_element(
      members, [&](Attribute a, Attribute b) { return idOf(a) < idOf(b); }));
  for (Attribute &member : members) {
    auto one = cast<MemberAttr>(member);
    member = MemberAttr::get(builder.getContext(), one.getId() - least,
                             one.getStart(), one.getShape(), one.getWhole(),
                             one.getOrigins());
  }
  Layout layout = layoutOf(own);
  RankedTensorType type = own.getTensorType();
  IntegerAttr position;
  if (!layout.dims[1].empty()) {
    position = builder.getI64IntegerAttr(origins.size());
    origins.push_back(OffsetOp::create(
        builder, own.getLoc(), RankedTensorType::get({}, builder.getI64Type()),
        mesh.names(layout.dims[1]), type.getDimSize(1)));
  }
  auto bits = RoundingBitsOp::create(
      builder, own.getLoc(),
      RankedTensorType::get(type.getShape(), builder.getI32Type()), least,
      first.getSeed(), first.getStep(), origins, position,
      builder.getArrayAttr(members));
  rounding.push_back(bits);
  return withSharding(bits, layout);
}

/// Moves the ids of the buckets' random bits into the high halves of their
/// steps.
void BucketFormer::moveIdsToSteps() {
  if (rounding.empty())
    return;
  builder.setInsertionPoint(rounding.front());
  Location loc = update.getLoc();
  Value step = rounding.front().getStep();
  Type element = tensorType(step).getElementType();
  SmallVector<int64_t> least;
  for (RoundingBitsOp bits : rounding)
    least.append(kStepEntries, static_cast<int64_t>(bits.getId()) << 32);
  auto type =
      RankedTensorType::get({int64_t(rounding.size()), kStepEntries}, element);
  auto entries = RankedTensorType::get({kStepEntries}, element);
  Value same = BroadcastOp::create(builder, loc, type, step,
                                   builder.getDenseI64ArrayAttr({}));
  Value ids = ConstantOp::create(
      builder, loc, type,
      DenseElementsAttr::get(type, ArrayRef<int64_t>(least)));
  Value steps = SumOp::create(builder, loc, type, ValueRange{same, ids});
  for (Value value : {same, ids, steps})
    withSharding(value.getDefiningOp(), Layout(2));
  auto select = [&](Type to, Value from, int64_t index) -> Value {
    auto op =
        SelectOp::create(builder, loc, to, from, builder.getI64IntegerAttr(0),
                         builder.getI64IntegerAttr(index));
    return withSharding(op, Layout(tensorType(op).getRank()));
  };
  for (auto [i, bits] : llvm::enumerate(rounding)) {
    builder.setInsertionPoint(bits);
    Value own = select(entries, steps, i);
    bits.getStepMutable().assign(select(step.getType(), own, 0));
    bits.setId(0);
  }
}

Value BucketFormer::zeroFor(StateOp state) {
  RankedTensorType type = state.getTensorType();
  Attribute zero = builder.getZeroAttr(type.getElementType());
  return withSharding(ConstantOp::create(builder, state.getLoc(), type,
                                         DenseElementsAttr::get(type, zero)),
                      layoutOf(state));
}

/// Sets the insertion point to the end of a function without arguments and
/// results; creates it before the current insertion point if needed.
void BucketFormer::beginIn(func::FuncOp &function, StringRef name) {
  if (!function) {
    Location loc = module.getLoc();
    function = func::FuncOp::create(builder, loc, name,
                                    builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(function.addEntryBlock());
    func::ReturnOp::create(builder, loc);
  }
  builder.setInsertionPoint(function.getBody().front().getTerminator());
}

/// Adds to @reduce the reduction of a microbatch's bucket of gradients and its
/// accumulation into the rank's shard of the sum.
void BucketFormer::reduce(StateOp gradients, StateOp sum) {
  builder.setInsertionPoint(update);
  beginIn(reducer, kReduce);
  Layout layout = layoutOf(gradients);
  Value part = reduceOverData(read(gradients), layout);
  Value added =
      withSharding(SumOp::create(builder, sum.getLoc(), sum.getTensorType(),
                                 ValueRange{read(sum), part}),
                   layout);
  write(added, sum);
  write(zeroFor(gradients), gradients);
}

/// Adds to @gather the gather of a bucket from its shards: of parameters, and
/// working copies rounded from these; or of working copies alone if the
/// parameters are never gathered.
void BucketFormer::gather(StateOp own, StateOp params, StateOp copies) {
  Location loc = own.getLoc();
  builder.setInsertionPoint(*module.getOps<func::FuncOp>().begin());
  beginIn(gatherer, kGather);
  auto rounded = [&](Value value, const Layout &layout) {
    Type type = tensorType(value).clone(
        StateOp(copies).getTensorType().getElementType());
    if (type == value.getType())
      return value;
    return withSharding(CastOp::create(builder, loc, type, value), layout);
  };
  Value part = read(own);
  if (!params)
    part = rounded(part, layoutOf(own));
  StateOp row = params ? params : copies;
  Value whole =
      withSharding(AllGatherOp::create(builder, loc, row.getTensorType(), part,
                                       1, mesh.names(layoutOf(own).dims[1])),
                   layoutOf(row));
  write(whole, row);
  if (params && copies)
    write(rounded(whole, layoutOf(copies)), copies);
}

/// Erases the ops of @update on single members.
void BucketFormer::eraseOld() {
  SumOp total = trained.sumOfSquares();
  llvm::DenseSet<Operation *> covered;
  llvm::StringSet<> members;
  for (const Bucket &bucket : buckets)
    for (const TrainedParam *one : bucket.members) {
      covered.insert(one->squares);
      members.insert(ParamOp(one->param).getSymName());
      members.insert(StateOp(one->gradient).getSymName());
      for (StateOp moment : one->moments)
        members.insert(moment.getSymName());
      if (one->copy)
        members.insert(StateOp(one->copy).getSymName());
    }
  // The buckets' squares first, in their order.
  SmallVector<Value> terms(squares);
  for (Value input : total.getInputs()) {
    Operation *op = input.getDefiningOp();
    if (auto scale = dyn_cast_or_null<ScaleOp>(op))
      op = scale.getInput().getDefiningOp();
    if (!covered.contains(op))
      terms.push_back(input);
  }
  total.getInputsMutable().assign(terms);
  Block &block = update.getBody().front();
  for (auto write : llvm::make_early_inc_range(block.getOps<WriteOp>()))
    if (members.contains(write.getSymbol()))
      write.erase();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>() &&
        (isMemoryEffectFree(&op) || isa<ReadOp>(op)))
      op.erase();
}

void BucketFormer::run() {
  if (buckets.empty())
    return;
  for (Operation &op : *module.getBody()) {
    if (isa<ParamOp, StateOp>(op))
      lastState = &op;
    // A parameter may have a name with this prefix.
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      while (symbol.getName().starts_with(prefix))
        prefix.insert(prefix.size() - 1, "s");
  }
  for (auto [number, bucket] : llvm::enumerate(buckets))
    rewrite(bucket, number);
  moveIdsToSteps();
  eraseOld();
}
