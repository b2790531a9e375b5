//===- VerifyBuckets.cpp - Verifies buckets and their uses ----------------===//
//
// A bucket and its members are two names for the same memory. That is safe if
// the elements of each member are known and no function uses both names. Every
// op on a bucket affects all of its members, so these must agree in every
// property that the ops depend on. The shardings of buckets are checked like
// those of other values (VerifySpmd.cpp), without regard to members.
//
// Buckets that are sharded between steps are gathered from all their shards by
// @gather before any other function uses them.
//
// Shares no code with the pass that forms buckets, except dist::Mesh and the
// accessors of analysis/Buckets.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Sharding/VerifyBuckets.h"
#include "analysis/Buckets.h"
#include "dialects/Dist/Layout.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Sharding/VerifyLayouts.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

/// The alignment of members in elements.
constexpr int64_t kAlignedElements = 32;

/// The contents of a bucket.
enum class Content { Params, Gradients, Moments1, Moments2, Copies };

/// A bucket whose members were checked.
struct BucketInfo {
  StateOp op;
  Content content;
  /// The parameters that its members are or belong to, in its order.
  SmallVector<ParamOp> params;
  Layout layout;
  /// The shard that @gather gathers it from, if it does.
  StateOp own;
  /// The shard of the sum that @reduce accumulates it into, if it does.
  StateOp sum;
};

class BucketVerifier {
public:
  explicit BucketVerifier(ModuleOp module)
      : module(module), symbols(module), mesh(findMesh(module)) {}
  LogicalResult run();

private:
  LogicalResult addBucket(StateOp bucket);
  LogicalResult addMember(BucketInfo &row, unsigned index, int64_t &end);
  LogicalResult checkLayout(const BucketInfo &row, Operation *member);
  LogicalResult checkDecay(const BucketInfo &row);
  LogicalResult checkOffsets();
  LogicalResult checkUses(func::FuncOp function);
  LogicalResult checkUpdate(func::FuncOp update);
  LogicalResult addShard(StateOp part);
  LogicalResult findOwners();
  LogicalResult checkShardWrites(func::FuncOp function);
  LogicalResult findSums();
  LogicalResult checkSums(func::FuncOp function);
  LogicalResult checkReduce(func::FuncOp reduce);
  LogicalResult checkAdded(const BucketInfo &row, WriteOp write);
  LogicalResult checkGather(func::FuncOp gather);
  LogicalResult checkGathered(const BucketInfo &row, WriteOp write);

  Layout layoutOf(Operation *symbol, int64_t rank) {
    auto sharding = symbol->getAttrOfType<ShardingAttr>(kShardingAttr);
    return mesh && sharding ? mesh.layout(sharding) : Layout(rank);
  }
  bool isSharded(const BucketInfo &row) { return !row.layout.dims[1].empty(); }
  /// Returns the data axes along which ranks have the same members: those that
  /// split no member.
  AxisSet dataAxes(const BucketInfo &row) {
    return mesh ? mesh.dataAxes() - AxisSet(row.layout.dims[0]) : AxisSet();
  }

  ModuleOp module;
  SymbolTable symbols;
  Mesh mesh;
  std::vector<BucketInfo> buckets;
  /// By member: the index of its bucket.
  llvm::StringMap<size_t> bucketOf;
  /// By sum, by bucket with a sum and by member of such a bucket: the index of
  /// the bucket.
  llvm::StringMap<size_t> summed;
};

} // namespace

static RankedTensorType declaredType(Operation *symbol) {
  return cast<RankedTensorType>(
      symbol->getAttrOfType<TypeAttr>("type").getValue());
}

/// Returns the kind of a parameter or state that is no bucket; nothing for
/// kinds that no bucket holds.
static std::optional<Content> contentOf(Operation *symbol) {
  if (isa<ParamOp>(symbol))
    return Content::Params;
  switch (cast<StateOp>(symbol).getKind()) {
  case StateKind::Gradient:
    return Content::Gradients;
  case StateKind::Moment1:
    return Content::Moments1;
  case StateKind::Moment2:
    return Content::Moments2;
  case StateKind::Copy:
    return Content::Copies;
  default:
    return std::nullopt;
  }
}

/// Checks the sharding of a bucket against a member. Its global type is [g, n]:
/// row i belongs to the ranks with index i along the axes that shard the
/// members. Along n it may be sharded over data axes.
LogicalResult BucketVerifier::checkLayout(const BucketInfo &row,
                                          Operation *member) {
  Layout own = layoutOf(member, declaredType(member).getRank());
  if (AxisSet(row.layout.dims[0]) != own.split())
    return StateOp(row.op).emitOpError()
           << "has members sharded over " << mesh.names(row.layout.dims[0])
           << ", but '" << SymbolTable::getSymbolName(member).getValue()
           << "' is sharded over " << mesh.names(own.split().list());
  if (row.layout.partial != own.partial)
    return StateOp(row.op).emitOpError()
           << "is partial over " << mesh.names(row.layout.partial.list())
           << ", but '" << SymbolTable::getSymbolName(member).getValue()
           << "' is partial over " << mesh.names(own.partial.list());
  return success();
}

LogicalResult BucketVerifier::addMember(BucketInfo &row, unsigned index,
                                        int64_t &end) {
  auto name = cast<FlatSymbolRefAttr>((*row.op.getMembers())[index]).getValue();
  Operation *member = symbols.lookup(name);
  if (!bucketOf.try_emplace(name, buckets.size()).second)
    return row.op.emitOpError()
           << "has the member '" << name << "', which is in a bucket already";
  std::optional<Content> content = contentOf(member);
  if (index == 0 && content)
    row.content = *content;
  if (!content || *content != row.content)
    return row.op.emitOpError()
           << "has the member '" << name
           << "', which is of another kind than its first or of none";
  auto state = dyn_cast<StateOp>(member);
  auto param = state && state.getOf() ? symbols.lookup<ParamOp>(*state.getOf())
                                      : dyn_cast<ParamOp>(member);
  if (!param)
    return row.op.emitOpError()
           << "has the member '" << name << "', which belongs to no parameter";
  row.params.push_back(param);
  int64_t offset = (*row.op.getOffsets())[index];
  if (offset % kAlignedElements || offset < end)
    return row.op.emitOpError()
           << "has '" << name << "' at element " << offset
           << (offset < end ? ", which overlaps another member"
                            : ", which is no multiple of 32");
  end = offset + declaredType(member).getNumElements();
  return checkLayout(row, member);
}

LogicalResult BucketVerifier::addBucket(StateOp bucket) {
  RankedTensorType type = bucket.getTensorType();
  if (type.getRank() != 2 || type.getDimSize(0) != 1)
    return bucket.emitOpError()
           << "has type " << type << ", but a bucket has one row";
  BucketInfo row = {bucket, Content::Params, {}, layoutOf(bucket, 2), {}, {}};
  AxisSet data = dataAxes(row);
  int64_t ranks = mesh ? mesh.extent(data.list()) : 1;
  if (isSharded(row) && AxisSet(row.layout.dims[1]) != data)
    return bucket.emitOpError()
           << "is sharded over " << mesh.names(row.layout.dims[1])
           << ", not over all data axes: " << mesh.names(data.list());
  int64_t elements = type.getDimSize(1) * (isSharded(row) ? ranks : 1);
  if (elements % (kAlignedElements * ranks))
    return bucket.emitOpError()
           << "has " << elements << " elements, no multiple of "
           << kAlignedElements * ranks;
  int64_t end = 0;
  for (unsigned i = 0; i < bucket.getMembersAttr().size(); ++i)
    if (failed(addMember(row, i, end)))
      return failure();
  if (end > elements)
    return bucket.emitOpError()
           << "has " << elements << " elements, but its last member ends at "
           << end;
  if (isSharded(row) &&
      (row.content == Content::Gradients || row.content == Content::Copies))
    return bucket.emitOpError("is sharded, but ranks need all of its members");
  buckets.push_back(std::move(row));
  return success();
}

/// Checks and records a shard of a bucket: an equal part for each rank along
/// the data axes.
LogicalResult BucketVerifier::addShard(StateOp part) {
  StringRef whole = *part.getOf();
  auto row = llvm::find_if(buckets, [&](const BucketInfo &one) {
    return StateOp(one.op).getSymName() == whole;
  });
  if (row == buckets.end() || row->content != Content::Params ||
      isSharded(*row))
    return part.emitOpError()
           << "is a shard of '" << whole
           << "', which is no unsharded bucket of parameters";
  if (row->own)
    return part.emitOpError() << "is a shard of '" << whole << "', but so is '"
                              << StateOp(row->own).getSymName() << "'";
  Layout own = layoutOf(part, 2);
  AxisSet data = dataAxes(*row);
  if (data.empty() || own.dims[0] != row->layout.dims[0] ||
      own.dims[1] != data.list() || !own.partial.empty())
    return part.emitOpError()
           << "is no shard of '" << whole
           << "' over the data axes: " << mesh.names(data.list());
  int64_t ranks = mesh.extent(data.list()),
          elements = part.getTensorType().getDimSize(1),
          all = row->op.getTensorType().getDimSize(1);
  if (part.getTensorType().getDimSize(0) != 1 || elements * ranks != all)
    return part.emitOpError() << "has " << elements << " elements of " << all
                              << " on each of " << ranks << " ranks";
  row->own = part;
  return success();
}

/// Finds the shards of buckets that are gathered: of parameters, and of working
/// copies of sharded parameters.
LogicalResult BucketVerifier::findOwners() {
  for (auto state : module.getOps<StateOp>())
    if (state.getKind() == StateKind::Part && failed(addShard(state)))
      return failure();
  for (BucketInfo &row : buckets)
    for (const BucketInfo &other : buckets)
      if (row.content == Content::Copies && other.content == Content::Params &&
          other.params == row.params)
        row.own = isSharded(other) ? other.op : other.own;
  return success();
}

/// Finds the shards of sums of gradient buckets, and checks that they are
/// shards over the data axes.
LogicalResult BucketVerifier::findSums() {
  for (auto sum : module.getOps<StateOp>()) {
    StateOp bucket = bucketSummedIn(symbols, sum);
    if (!bucket)
      continue;
    auto row = llvm::find_if(
        buckets, [&](const BucketInfo &other) { return other.op == bucket; });
    if (row->content != Content::Gradients || row->sum)
      return sum.emitOpError()
             << "accumulates '" << bucket.getSymName() << "', which "
             << (row->sum ? "another state accumulates, too"
                          : "holds no gradients");
    AxisSet data = dataAxes(*row);
    Layout due = row->layout;
    due.dims[1] = data.list();
    due.partial = due.partial - data;
    RankedTensorType whole = bucket.getTensorType();
    auto part = RankedTensorType::get(
        {1, whole.getDimSize(1) / (mesh ? mesh.extent(data.list()) : 1)},
        whole.getElementType());
    if (data.empty() || sum.getTensorType() != part || layoutOf(sum, 2) != due)
      return sum.emitOpError()
             << "is no shard, over the data axes, of the sum of '"
             << bucket.getSymName() << "'";
    row->sum = sum;
    size_t number = row - buckets.begin();
    summed[sum.getSymName()] = summed[bucket.getSymName()] = number;
    for (StringRef member : heldBy(bucket))
      summed[member] = number;
  }
  return success();
}

/// Returns the parameter or state that an op accesses; empty if none.
static StringRef usedBy(Operation &op) {
  if (!isa<ReadOp, WriteOp, AccumulateOp>(op))
    return {};
  return op.getAttrOfType<FlatSymbolRefAttr>("symbol").getValue();
}

/// Checks a function's uses of gradients that @reduce accumulates. @update may
/// use only their sums; other functions, except @reduce, may only accumulate
/// into the gradients of a microbatch.
LogicalResult BucketVerifier::checkSums(func::FuncOp function) {
  bool isUpdate = function.getSymName() == kUpdate;
  for (Operation &op : function.getBody().front()) {
    StringRef name = usedBy(op);
    auto known = summed.find(name);
    if (known == summed.end())
      continue;
    StateOp sum = buckets[known->second].sum;
    bool isSum = name == sum.getSymName();
    if (isUpdate && !isSum)
      return op.emitOpError()
             << "uses '" << name << "', the gradients of one microbatch: '"
             << sum.getSymName() << "' is their sum";
    if (!isUpdate && (isSum || !isa<AccumulateOp>(op)))
      return op.emitOpError()
             << "uses '" << name << "' in @" << function.getSymName()
             << ", but only @reduce accumulates gradients in '"
             << sum.getSymName() << "'";
  }
  return success();
}

/// Checks that members agree in weight decay: one op updates them.
LogicalResult BucketVerifier::checkDecay(const BucketInfo &row) {
  ParamOp first = row.params.front();
  for (ParamOp param : row.params)
    if (param.getDecay() != first.getDecay())
      return StateOp(row.op).emitOpError()
             << "has '" << first.getSymName() << "' and '" << param.getSymName()
             << "', only one of which decays";
  return success();
}

/// Checks that all states of one parameter are at the same element of their
/// buckets.
LogicalResult BucketVerifier::checkOffsets() {
  llvm::DenseMap<Operation *, const BucketInfo *> ofParam;
  for (const BucketInfo &row : buckets)
    for (ParamOp param : row.params) {
      const BucketInfo *&other = ofParam[param];
      if (!other)
        other = &row;
      else if (other->params != row.params ||
               *StateOp(other->op).getOffsets() !=
                   *StateOp(row.op).getOffsets())
        return StateOp(row.op).emitOpError()
               << "must match, for '" << param.getSymName()
               << "', the members and offsets of '"
               << StateOp(other->op).getSymName() << "'";
    }
  // No state of such a parameter is outside of buckets.
  for (Operation &op : *module.getBody()) {
    auto state = dyn_cast<StateOp>(op);
    if (!state || !state.getOf() || !contentOf(state))
      continue;
    const BucketInfo *row = ofParam.lookup(symbols.lookup(*state.getOf()));
    if (row && !bucketOf.contains(state.getSymName()))
      return state.emitOpError()
             << "is in no bucket, but other state of '" << *state.getOf()
             << "' is in '" << StateOp(row->op).getSymName() << "'";
  }
  return success();
}

/// Checks that a function uses either a bucket or its members. It may not use
/// members of a sharded bucket, nor write members of a gathered one.
LogicalResult BucketVerifier::checkUses(func::FuncOp function) {
  llvm::StringMap<Operation *> used;
  for (Operation &op : function.getBody().front())
    if (StringRef name = usedBy(op); !name.empty())
      used.try_emplace(name, &op);
  for (Operation &op : function.getBody().front()) {
    StringRef name = usedBy(op);
    auto known = bucketOf.find(name);
    if (known == bucketOf.end())
      continue;
    const BucketInfo &row = buckets[known->second];
    StringRef bucket = StateOp(row.op).getSymName();
    if (isSharded(row))
      return op.emitOpError() << "uses '" << name << "', a member of the "
                              << "sharded bucket '" << bucket << "'";
    if (row.own && isa<WriteOp>(op))
      return op.emitOpError()
             << "writes '" << name << "', but only its shard '"
             << StateOp(row.own).getSymName() << "' may be written";
    if (Operation *other = used.lookup(bucket)) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "uses '" << name << "' together with '"
                                << bucket << "', which is its bucket";
      diag.attachNote(other->getLoc()) << "here";
      return diag;
    }
  }
  return success();
}

/// Checks that only @update writes shards: otherwise gathered buckets would be
/// stale.
LogicalResult BucketVerifier::checkShardWrites(func::FuncOp function) {
  for (auto write : function.getOps<WriteOp>())
    for (const BucketInfo &row : buckets)
      if (row.own && StateOp(row.own).getSymName() == write.getSymbol())
        return write.emitOpError()
               << "writes '" << write.getSymbol()
               << "', which only @update may write: '"
               << StateOp(row.op).getSymName() << "' is gathered from it";
  return success();
}

/// Checks that @update writes each bucket once, or the shard or sum that it
/// updates instead, except working copies that are gathered; that it applies
/// weight decay as the members require; and that it does not use gathered
/// buckets, which are stale by then.
LogicalResult BucketVerifier::checkUpdate(func::FuncOp update) {
  llvm::StringMap<unsigned> writes;
  for (auto write : update.getOps<WriteOp>())
    ++writes[write.getSymbol()];
  for (const BucketInfo &row : buckets) {
    // The symbol that holds the bucket between steps.
    StateOp op = row.own && row.content == Content::Params ? row.own : row.op;
    if (row.own)
      for (Operation &use : update.getBody().front()) {
        StringRef name = usedBy(use);
        auto member = bucketOf.find(name);
        bool isMember =
            member != bucketOf.end() && &buckets[member->second] == &row;
        if (isMember || name == StateOp(row.op).getSymName())
          return use.emitOpError()
                 << "uses '" << name
                 << "' in @update, where it is stale: its shard is '"
                 << StateOp(row.own).getSymName() << "'";
      }
    if (row.sum)
      op = row.sum;
    unsigned count = writes.lookup(op.getSymName());
    if (count != 1 && !(row.own && row.content == Content::Copies))
      return op.emitOpError()
             << "is written " << count << " times by @update, not once";
    if (row.content != Content::Params)
      continue;
    for (Operation &step : update.getBody().front()) {
      if (!isa<AdamWOp, SgdOp>(step))
        continue;
      auto read = step.getOperand(0).getDefiningOp<ReadOp>();
      if (!read || read.getSymbol() != op.getSymName())
        continue;
      if (step.hasAttr("decay") != ParamOp(row.params.front()).getDecay())
        return step.emitOpError()
               << "updates '" << op.getSymName() << "', whose members "
               << (step.hasAttr("decay") ? "do not decay" : "decay");
    }
  }
  return success();
}

/// Checks that a write is the gather of all ranks' shards, possibly rounded.
LogicalResult BucketVerifier::checkGathered(const BucketInfo &row,
                                            WriteOp write) {
  unsigned gathers = 0;
  Operation *made = write.getValue().getDefiningOp();
  while (isa_and_nonnull<CastOp, AllGatherOp>(made)) {
    if (auto gather = dyn_cast<AllGatherOp>(made)) {
      ++gathers;
      ArrayAttr data = mesh.names(dataAxes(row).list());
      if (gather.getDim() != 1 || gather.getAxes() != data)
        return gather.emitOpError()
               << "does not gather '" << StateOp(row.op).getSymName()
               << "' over the data axes: " << data;
    }
    made = made->getOperand(0).getDefiningOp();
  }
  auto read = dyn_cast_or_null<ReadOp>(made);
  if (read && gathers == 1 && read.getSymbol() == StateOp(row.own).getSymName())
    return success();
  return write.emitOpError()
         << "writes '" << write.getSymbol()
         << "', but not the all_gather of its shard '"
         << StateOp(row.own).getSymName() << "' over all ranks";
}

/// Checks that @gather writes each gathered bucket once, from its shards.
LogicalResult BucketVerifier::checkGather(func::FuncOp gather) {
  llvm::StringMap<const BucketInfo *> made;
  for (const BucketInfo &row : buckets)
    if (row.own)
      made[StateOp(row.op).getSymName()] = &row;
  llvm::StringMap<unsigned> writes;
  for (Operation &op : gather.getBody().front()) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      const BucketInfo *row = made.lookup(write.getSymbol());
      if (!row)
        return write.emitOpError() << "writes '" << write.getSymbol()
                                   << "', which has no shards to gather";
      ++writes[write.getSymbol()];
      if (failed(checkGathered(*row, write)))
        return failure();
    } else if (!isa<ReadOp, CastOp, AllGatherOp, func::ReturnOp>(op)) {
      return op.emitOpError("is not allowed in @gather");
    }
  }
  for (const BucketInfo &row : buckets) {
    StringRef name = StateOp(row.op).getSymName();
    if (unsigned count = writes.lookup(name); row.own && count != 1)
      return StateOp(row.op).emitOpError()
             << "is written " << count << " times by @gather, not once";
  }
  return success();
}

/// Checks that a write adds the reduction of a whole bucket over the data axes
/// to the sum.
LogicalResult BucketVerifier::checkAdded(const BucketInfo &row, WriteOp write) {
  StateOp sum = row.sum, bucket = row.op;
  SmallVector<Attribute> axes;
  unsigned before = 0, parts = 0;
  auto added = write.getValue().getDefiningOp<SumOp>();
  for (Value value : added ? ValueRange(added.getInputs()) : ValueRange()) {
    Operation *made = value.getDefiningOp();
    SmallVector<Attribute> taken;
    while (isa_and_nonnull<ReduceScatterOp, ShardSliceOp>(made)) {
      ArrayAttr over = made->getAttrOfType<ArrayAttr>("axes");
      taken.insert(taken.begin(), over.begin(), over.end());
      made = made->getOperand(0).getDefiningOp();
    }
    auto read = dyn_cast_or_null<ReadOp>(made);
    if (read && read.getSymbol() == sum.getSymName() && taken.empty()) {
      ++before;
    } else if (read && read.getSymbol() == bucket.getSymName()) {
      ++parts;
      axes = taken;
    }
  }
  if (added && added.getInputs().size() == 2 && before == 1 && parts == 1 &&
      ArrayRef(axes) == mesh.names(dataAxes(row).list()).getValue())
    return success();
  return write.emitOpError()
         << "does not add to '" << sum.getSymName()
         << "', exactly once, the sum over the data axes of '"
         << bucket.getSymName() << "'";
}

/// Checks that @reduce accumulates each such bucket once and clears it.
LogicalResult BucketVerifier::checkReduce(func::FuncOp reduce) {
  llvm::StringMap<unsigned> writes;
  for (Operation &op : reduce.getBody().front()) {
    if (!isa<ReadOp, WriteOp, SumOp, ReduceScatterOp, ShardSliceOp, ConstantOp,
             func::ReturnOp>(op))
      return op.emitOpError("is not allowed in @reduce");
    if (!isa<ReadOp, WriteOp>(op))
      continue;
    StringRef name = usedBy(op);
    auto known = summed.find(name);
    const BucketInfo *row =
        known == summed.end() ? nullptr : &buckets[known->second];
    bool isSum = row && name == StateOp(row->sum).getSymName();
    if (!row || !(isSum || name == StateOp(row->op).getSymName()))
      return op.emitOpError()
             << "uses '" << name << "', which is no bucket that "
             << "is accumulated";
    auto write = dyn_cast<WriteOp>(op);
    if (!write && writes.lookup(name))
      return op.emitOpError()
             << "uses '" << name << "' after it has been written";
    if (!write)
      continue;
    ++writes[name];
    if (isSum) {
      if (failed(checkAdded(*row, write)))
        return failure();
    } else if (!isUniformZero(write.getValue())) {
      return write.emitOpError() << "does not clear '" << name << "'";
    }
  }
  for (const BucketInfo &row : buckets)
    for (StateOp op : {row.op, row.sum})
      if (unsigned count = writes.lookup(op ? op.getSymName() : StringRef());
          row.sum && count != 1)
        return op.emitOpError()
               << "is written " << count << " times by @reduce, not once";
  return success();
}

LogicalResult BucketVerifier::run() {
  for (auto state : module.getOps<StateOp>())
    if (state.getKind() == StateKind::Bucket && failed(addBucket(state)))
      return failure();
  if (buckets.empty())
    return success();
  for (const BucketInfo &row : buckets)
    if (failed(checkDecay(row)))
      return failure();
  if (failed(checkOffsets()))
    return failure();
  if (failed(findOwners()) || failed(findSums()))
    return failure();
  for (const BucketInfo &row : buckets)
    if (StateOp(row.op)->hasAttr(kReleasedAttr) &&
        (!row.own || row.content != Content::Copies))
      return StateOp(row.op).emitOpError()
             << "is released after use, but has no shard that it could be "
                "gathered from";
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    StringRef name = function.getSymName();
    if (name == kGather ? failed(checkGather(function))
        : name == kReduce
            ? failed(checkReduce(function))
            : failed(checkUses(function)) || failed(checkSums(function)) ||
                  failed(name == kUpdate ? checkUpdate(function)
                                         : checkShardWrites(function)))
      return failure();
  }
  // Without functions, tasks do their work.
  if (!symbols.lookup(kUpdate))
    return success();
  for (const BucketInfo &row : buckets) {
    if (row.sum && !symbols.lookup(kReduce))
      return StateOp(row.sum).emitOpError(
          "is a sum, but there is no @reduce that accumulates it");
    if (row.own && !symbols.lookup(kGather))
      return StateOp(row.op).emitOpError()
             << "is sharded between steps, but there is no @gather for it";
  }
  return success();
}

LogicalResult pcc::verifyBuckets(ModuleOp module) {
  return BucketVerifier(module).run();
}
