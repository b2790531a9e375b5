//===- VerifyBuckets.cpp - Proves what lies in buckets --------------------===//
//
// Two names for the same memory are safe where it is known which elements are
// which, and nobody uses both names at once. What is done to a row is done to
// all that lies in it: so its members must be alike in all that decides what is
// right for them. That the values of rows lie as they say is checked with those
// of all others (VerifySpmd.cpp), which knows nothing of members.
//
// What ranks keep parts of between steps, @gather makes whole of these alone,
// before anybody else uses it.
//
// Written down a second time: nothing is shared with what forms buckets.
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

/// Every member begins at a multiple of this many elements.
constexpr int64_t kUnit = 32;

/// What a bucket is a row of.
enum class Content { Params, Gradients, Moments1, Moments2, Copies };

/// A bucket, once its members are known to fit it.
struct Row {
  StateOp op;
  Content content;
  /// The parameters that its members are or belong to, in its order.
  SmallVector<ParamOp> params;
  Layout layout;
  /// Of rows that @gather makes: what ranks keep.
  StateOp own;
  /// Of rows that @reduce adds up: what a rank keeps of the sum.
  StateOp sum;
};

class BucketVerifier {
public:
  explicit BucketVerifier(ModuleOp module)
      : module(module), symbols(module), mesh(findMesh(module)) {}
  LogicalResult run();

private:
  LogicalResult addRow(StateOp bucket);
  LogicalResult addMember(Row &row, unsigned index, int64_t &end);
  LogicalResult checkLayout(const Row &row, Operation *member);
  LogicalResult checkAlike(const Row &row);
  LogicalResult checkSiblings();
  LogicalResult checkUses(func::FuncOp function);
  LogicalResult checkUpdate(func::FuncOp update);
  LogicalResult addPart(StateOp part);
  LogicalResult findOwners();
  LogicalResult checkKept(func::FuncOp function);
  LogicalResult findSums();
  LogicalResult checkSums(func::FuncOp function);
  LogicalResult checkReduce(func::FuncOp reduce);
  LogicalResult checkAdded(const Row &row, WriteOp write);
  LogicalResult checkGather(func::FuncOp gather);
  LogicalResult checkGathered(const Row &row, WriteOp write);

  Layout layoutOf(Operation *symbol, int64_t rank) {
    auto sharding = symbol->getAttrOfType<ShardingAttr>(kShardingAttr);
    return mesh && sharding ? mesh.layout(sharding) : Layout(rank);
  }
  bool isCut(const Row &row) { return !row.layout.dims[1].empty(); }

  ModuleOp module;
  SymbolTable symbols;
  Mesh mesh;
  std::vector<Row> rows;
  /// By member, the index of its row.
  llvm::StringMap<size_t> rowOf;
  /// By what @reduce uses, sums and their rows, and what lies in these, the
  /// index of the row.
  llvm::StringMap<size_t> summed;
};

} // namespace

static RankedTensorType declaredType(Operation *symbol) {
  return cast<RankedTensorType>(
      symbol->getAttrOfType<TypeAttr>("type").getValue());
}

/// What a parameter or state that is no bucket holds; nothing for what no row
/// is of.
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

/// [g, n]: row i is what the ranks have that are number i along the axes that
/// split the members; along it, data axes may cut it.
LogicalResult BucketVerifier::checkLayout(const Row &row, Operation *member) {
  Layout own = layoutOf(member, declaredType(member).getRank());
  if (AxisSet(row.layout.dims[0]) != own.split())
    return StateOp(row.op).emitOpError()
           << "has a row for each rank along " << mesh.names(row.layout.dims[0])
           << ", but '" << SymbolTable::getSymbolName(member).getValue()
           << "' is split over " << mesh.names(own.split().list());
  if (row.layout.partial != own.partial)
    return StateOp(row.op).emitOpError()
           << "is a sum over " << mesh.names(row.layout.partial.list())
           << ", but '" << SymbolTable::getSymbolName(member).getValue()
           << "' one over " << mesh.names(own.partial.list());
  return success();
}

LogicalResult BucketVerifier::addMember(Row &row, unsigned index,
                                        int64_t &end) {
  auto name = cast<FlatSymbolRefAttr>((*row.op.getMembers())[index]).getValue();
  Operation *member = symbols.lookup(name);
  if (!rowOf.try_emplace(name, rows.size()).second)
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
           << "has the member '" << name << "' of no parameter";
  row.params.push_back(param);
  int64_t offset = (*row.op.getOffsets())[index];
  if (offset % kUnit || offset < end)
    return row.op.emitOpError()
           << "has '" << name << "' at element " << offset
           << (offset < end ? ", where another member lies"
                            : ", which is no multiple of 32");
  end = offset + declaredType(member).getNumElements();
  return checkLayout(row, member);
}

LogicalResult BucketVerifier::addRow(StateOp bucket) {
  RankedTensorType type = bucket.getTensorType();
  if (type.getRank() != 2 || type.getDimSize(0) != 1)
    return bucket.emitOpError() << "is a " << type << ", no row";
  Row row = {bucket, Content::Params, {}, layoutOf(bucket, 2), {}, {}};
  AxisSet data = mesh ? mesh.dataAxes() : AxisSet();
  int64_t ranks = mesh ? mesh.extent(data.list()) : 1;
  if (isCut(row) && AxisSet(row.layout.dims[1]) != data)
    return bucket.emitOpError()
           << "is cut over " << mesh.names(row.layout.dims[1])
           << ", not over all axes of data: " << mesh.names(data.list());
  int64_t elements = type.getDimSize(1) * (isCut(row) ? ranks : 1);
  if (elements % (kUnit * ranks))
    return bucket.emitOpError()
           << "is a row of " << elements << " elements, no multiple of "
           << kUnit * ranks;
  int64_t end = 0;
  for (unsigned i = 0; i < bucket.getMembersAttr().size(); ++i)
    if (failed(addMember(row, i, end)))
      return failure();
  if (end > elements)
    return bucket.emitOpError() << "is a row of " << elements
                                << " elements, its last member ends at " << end;
  if (isCut(row) &&
      (row.content == Content::Gradients || row.content == Content::Copies))
    return bucket.emitOpError("is cut, though ranks need all of its members");
  rows.push_back(std::move(row));
  return success();
}

/// What a rank keeps of a row: an equal part for each along the axes of data.
LogicalResult BucketVerifier::addPart(StateOp part) {
  StringRef whole = *part.getOf();
  auto row = llvm::find_if(rows, [&](const Row &one) {
    return StateOp(one.op).getSymName() == whole;
  });
  if (row == rows.end() || row->content != Content::Params || isCut(*row))
    return part.emitOpError() << "is a part of '" << whole
                              << "', which is no whole row of parameters";
  if (row->own)
    return part.emitOpError() << "is a part of '" << whole << "', as '"
                              << StateOp(row->own).getSymName() << "' is";
  Layout own = layoutOf(part, 2);
  AxisSet data = mesh ? mesh.dataAxes() : AxisSet();
  if (data.empty() || own.dims[0] != row->layout.dims[0] ||
      own.dims[1] != data.list() || !own.partial.empty())
    return part.emitOpError()
           << "is no part of '" << whole
           << "' over the axes of data: " << mesh.names(data.list());
  int64_t ranks = mesh.extent(data.list()),
          elements = part.getTensorType().getDimSize(1),
          all = row->op.getTensorType().getDimSize(1);
  if (part.getTensorType().getDimSize(0) != 1 || elements * ranks != all)
    return part.emitOpError() << "has " << elements << " elements of " << all
                              << " on each of " << ranks << " ranks";
  row->own = part;
  return success();
}

/// Rows of which ranks keep a part are gathered, and so are copies of
/// parameters of which they do.
LogicalResult BucketVerifier::findOwners() {
  for (auto state : module.getOps<StateOp>())
    if (state.getKind() == StateKind::Part && failed(addPart(state)))
      return failure();
  for (Row &row : rows)
    for (const Row &other : rows)
      if (row.content == Content::Copies && other.content == Content::Params &&
          other.params == row.params)
        row.own = isCut(other) ? other.op : other.own;
  return success();
}

/// What a rank keeps of the sum of a row is the part of it that data axes cut
/// out; the row is not kept then.
LogicalResult BucketVerifier::findSums() {
  for (auto sum : module.getOps<StateOp>()) {
    StateOp bucket = rowSummedIn(symbols, sum);
    if (!bucket)
      continue;
    auto row = llvm::find_if(
        rows, [&](const Row &other) { return other.op == bucket; });
    if (row->content != Content::Gradients || row->sum)
      return sum.emitOpError()
             << "adds up '" << bucket.getSymName() << "', which "
             << (row->sum ? "another state does, too" : "holds no gradients");
    AxisSet data = mesh ? mesh.dataAxes() : AxisSet();
    Layout due = row->layout;
    due.dims[1] = data.list();
    due.partial = due.partial - data;
    RankedTensorType whole = bucket.getTensorType();
    auto part = RankedTensorType::get(
        {1, whole.getDimSize(1) / (mesh ? mesh.extent(data.list()) : 1)},
        whole.getElementType());
    if (data.empty() || sum.getTensorType() != part || layoutOf(sum, 2) != due)
      return sum.emitOpError()
             << "is no rank's part, over the axes of data, of the sum of '"
             << bucket.getSymName() << "'";
    row->sum = sum;
    size_t number = row - rows.begin();
    summed[sum.getSymName()] = summed[bucket.getSymName()] = number;
    for (StringRef member : heldBy(bucket))
      summed[member] = number;
  }
  return success();
}

/// The parameter or state that an op uses; empty if it uses none.
static StringRef usedBy(Operation &op) {
  if (!isa<ReadOp, WriteOp, AccumulateOp>(op))
    return {};
  return op.getAttrOfType<FlatSymbolRefAttr>("symbol").getValue();
}

/// The gradients of a microbatch are for @reduce, what they add up to for
/// @update.
LogicalResult BucketVerifier::checkSums(func::FuncOp function) {
  bool isUpdate = function.getSymName() == kUpdate;
  for (Operation &op : function.getBody().front()) {
    StringRef name = usedBy(op);
    auto known = summed.find(name);
    if (known == summed.end())
      continue;
    StateOp sum = rows[known->second].sum;
    bool isSum = name == sum.getSymName();
    if (isUpdate && !isSum)
      return op.emitOpError()
             << "uses '" << name << "', the gradients of one microbatch: '"
             << sum.getSymName() << "' is what they add up to";
    if (!isUpdate && (isSum || !isa<AccumulateOp>(op)))
      return op.emitOpError()
             << "uses '" << name << "' in @" << function.getSymName()
             << ", but @reduce alone adds up gradients in '" << sum.getSymName()
             << "'";
  }
  return success();
}

/// Members of one row are updated by one op.
LogicalResult BucketVerifier::checkAlike(const Row &row) {
  ParamOp first = row.params.front();
  for (ParamOp param : row.params)
    if (param.getDecay() != first.getDecay())
      return StateOp(row.op).emitOpError()
             << "has '" << first.getSymName() << "' and '" << param.getSymName()
             << "', only one of which decays";
  return success();
}

/// What is kept of one parameter lies at the same element of its rows.
LogicalResult BucketVerifier::checkSiblings() {
  llvm::DenseMap<Operation *, const Row *> ofParam;
  for (const Row &row : rows)
    for (ParamOp param : row.params) {
      const Row *&other = ofParam[param];
      if (!other)
        other = &row;
      else if (other->params != row.params ||
               *StateOp(other->op).getOffsets() !=
                   *StateOp(row.op).getOffsets())
        return StateOp(row.op).emitOpError()
               << "does not have what belongs to '" << param.getSymName()
               << "' where '" << StateOp(other->op).getSymName() << "' has it";
    }
  // Of all that there is of a parameter, nothing is left outside.
  for (Operation &op : *module.getBody()) {
    auto state = dyn_cast<StateOp>(op);
    if (!state || !state.getOf() || !contentOf(state))
      continue;
    const Row *row = ofParam.lookup(symbols.lookup(*state.getOf()));
    if (row && !rowOf.contains(state.getSymName()))
      return state.emitOpError()
             << "is in no bucket, but '" << *state.getOf()
             << "' is in those of '" << StateOp(row->op).getSymName() << "'";
  }
  return success();
}

/// A function uses a bucket or what lies in it; nothing but a bucket is a name
/// for what is cut.
LogicalResult BucketVerifier::checkUses(func::FuncOp function) {
  llvm::StringMap<Operation *> used;
  for (Operation &op : function.getBody().front())
    if (StringRef name = usedBy(op); !name.empty())
      used.try_emplace(name, &op);
  for (Operation &op : function.getBody().front()) {
    StringRef name = usedBy(op);
    auto known = rowOf.find(name);
    if (known == rowOf.end())
      continue;
    const Row &row = rows[known->second];
    StringRef bucket = StateOp(row.op).getSymName();
    if (isCut(row))
      return op.emitOpError() << "uses '" << name << "', of which a rank has "
                              << "only a part, in '" << bucket << "'";
    if (row.own && isa<WriteOp>(op))
      return op.emitOpError() << "writes '" << name << "', but ranks keep '"
                              << StateOp(row.own).getSymName() << "' alone";
    if (Operation *other = used.lookup(bucket)) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "uses '" << name << "' beside '" << bucket
                                << "', which it lies in";
      diag.attachNote(other->getLoc()) << "here";
      return diag;
    }
  }
  return success();
}

/// Nobody but @update writes what ranks keep: what was gathered of it before
/// would be out of date.
LogicalResult BucketVerifier::checkKept(func::FuncOp function) {
  for (auto write : function.getOps<WriteOp>())
    for (const Row &row : rows)
      if (row.own && StateOp(row.own).getSymName() == write.getSymbol())
        return write.emitOpError()
               << "writes '" << write.getSymbol()
               << "', which is for @update to write: '"
               << StateOp(row.op).getSymName() << "' is made of it";
  return success();
}

/// What is kept is written once, by @update; what decays is what the members
/// do. What is gathered is of the step before: it is not used any more.
LogicalResult BucketVerifier::checkUpdate(func::FuncOp update) {
  llvm::StringMap<unsigned> writes;
  for (auto write : update.getOps<WriteOp>())
    ++writes[write.getSymbol()];
  for (const Row &row : rows) {
    // What stands for the row between steps.
    StateOp op = row.own && row.content == Content::Params ? row.own : row.op;
    if (row.own)
      for (Operation &use : update.getBody().front()) {
        StringRef name = usedBy(use);
        auto member = rowOf.find(name);
        bool isMember = member != rowOf.end() && &rows[member->second] == &row;
        if (isMember || name == StateOp(row.op).getSymName())
          return use.emitOpError()
                 << "uses '" << name
                 << "' in @update, where it is out of date: ranks keep '"
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
               << "is of '" << op.getSymName() << "', whose members "
               << (step.hasAttr("decay") ? "do not decay" : "decay");
    }
  }
  return success();
}

/// A row is what all ranks keep of it, one after the other, or rounded from it.
LogicalResult BucketVerifier::checkGathered(const Row &row, WriteOp write) {
  unsigned gathers = 0;
  Operation *made = write.getValue().getDefiningOp();
  while (isa_and_nonnull<CastOp, AllGatherOp>(made)) {
    if (auto gather = dyn_cast<AllGatherOp>(made)) {
      ++gathers;
      if (gather.getDim() != 1 ||
          gather.getAxes() != mesh.names(mesh.dataAxes().list()))
        return gather.emitOpError()
               << "does not gather '" << StateOp(row.op).getSymName()
               << "' over the axes of data: "
               << mesh.names(mesh.dataAxes().list());
    }
    made = made->getOperand(0).getDefiningOp();
  }
  auto read = dyn_cast_or_null<ReadOp>(made);
  if (read && gathers == 1 && read.getSymbol() == StateOp(row.own).getSymName())
    return success();
  return write.emitOpError()
         << "writes '" << write.getSymbol()
         << "', but not what ranks keep of it, '"
         << StateOp(row.own).getSymName() << "', from all of them";
}

/// It makes each row that is not kept once, of what is kept.
LogicalResult BucketVerifier::checkGather(func::FuncOp gather) {
  llvm::StringMap<const Row *> made;
  for (const Row &row : rows)
    if (row.own)
      made[StateOp(row.op).getSymName()] = &row;
  llvm::StringMap<unsigned> writes;
  for (Operation &op : gather.getBody().front()) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      const Row *row = made.lookup(write.getSymbol());
      if (!row)
        return write.emitOpError() << "writes '" << write.getSymbol()
                                   << "', which is not to be gathered";
      ++writes[write.getSymbol()];
      if (failed(checkGathered(*row, write)))
        return failure();
    } else if (!isa<ReadOp, CastOp, AllGatherOp, func::ReturnOp>(op)) {
      return op.emitOpError("has no place in @gather");
    }
  }
  for (const Row &row : rows) {
    StringRef name = StateOp(row.op).getSymName();
    if (unsigned count = writes.lookup(name); row.own && count != 1)
      return StateOp(row.op).emitOpError()
             << "is written " << count << " times by @gather, not once";
  }
  return success();
}

/// What is added to a sum is all of a row, over the axes of data.
LogicalResult BucketVerifier::checkAdded(const Row &row, WriteOp write) {
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
      ArrayRef(axes) == mesh.names(mesh.dataAxes().list()).getValue())
    return success();
  return write.emitOpError()
         << "does not add to '" << sum.getSymName()
         << "' once what all ranks along the axes of data have in '"
         << bucket.getSymName() << "'";
}

/// Each row that is added up is added once, and begins anew.
LogicalResult BucketVerifier::checkReduce(func::FuncOp reduce) {
  llvm::StringMap<unsigned> writes;
  for (Operation &op : reduce.getBody().front()) {
    if (!isa<ReadOp, WriteOp, SumOp, ReduceScatterOp, ShardSliceOp, ConstantOp,
             func::ReturnOp>(op))
      return op.emitOpError("has no place in @reduce");
    if (!isa<ReadOp, WriteOp>(op))
      continue;
    StringRef name = usedBy(op);
    auto known = summed.find(name);
    const Row *row = known == summed.end() ? nullptr : &rows[known->second];
    bool isSum = row && name == StateOp(row->sum).getSymName();
    if (!row || !(isSum || name == StateOp(row->op).getSymName()))
      return op.emitOpError() << "uses '" << name << "', which is no row that "
                              << "is added up";
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
  for (const Row &row : rows)
    for (StateOp op : {row.op, row.sum})
      if (unsigned count = writes.lookup(op ? op.getSymName() : StringRef());
          row.sum && count != 1)
        return op.emitOpError()
               << "is written " << count << " times by @reduce, not once";
  return success();
}

LogicalResult BucketVerifier::run() {
  for (auto state : module.getOps<StateOp>())
    if (state.getKind() == StateKind::Bucket && failed(addRow(state)))
      return failure();
  if (rows.empty())
    return success();
  for (const Row &row : rows)
    if (failed(checkAlike(row)))
      return failure();
  if (failed(checkSiblings()))
    return failure();
  if (failed(findOwners()) || failed(findSums()))
    return failure();
  for (const Row &row : rows)
    if (StateOp(row.op)->hasAttr(kReleasedAttr) &&
        (!row.own || row.content != Content::Copies))
      return StateOp(row.op).emitOpError()
             << "is there only while it is used, though no rank keeps a part "
                "of it";
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    StringRef name = function.getSymName();
    if (name == kGather ? failed(checkGather(function))
        : name == kReduce
            ? failed(checkReduce(function))
            : failed(checkUses(function)) || failed(checkSums(function)) ||
                  failed(name == kUpdate ? checkUpdate(function)
                                         : checkKept(function)))
      return failure();
  }
  // Where there are no functions, tasks do what they did.
  if (!symbols.lookup(kUpdate))
    return success();
  for (const Row &row : rows) {
    if (row.sum && !symbols.lookup(kReduce))
      return StateOp(row.sum).emitOpError(
          "is a sum, and there is no @reduce that adds it up");
    if (row.own && !symbols.lookup(kGather))
      return StateOp(row.op).emitOpError()
             << "is not kept whole, and there is no @gather that makes it so";
  }
  return success();
}

LogicalResult pcc::verifyBuckets(ModuleOp module) {
  return BucketVerifier(module).run();
}
