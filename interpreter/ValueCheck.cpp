//===- ValueCheck.cpp - Comparison with a reference program ---------------===//

#include "interpreter/ValueCheck.h"
#include "dialects/Pipe/Pipe.h"
#include "interpreter/Compare.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

/// Values this small are rounding errors of larger values that cancelled.
static constexpr double kFloor = 1e-3;

static std::optional<int64_t> idOf(Operation *op) {
  auto id = op->getAttrOfType<IntegerAttr>(dist::kIdAttr);
  return id ? std::optional<int64_t>(id.getInt()) : std::nullopt;
}

ValueCheck::ValueCheck(Machine &reference, Machine &checked, double tolerance)
    : reference(reference), checked(checked), tolerance(tolerance) {
  reference.setObserver([this](Operation *op, int64_t microbatch,
                               ArrayRef<int64_t>, ArrayRef<ValueList> results) {
    if (std::optional<int64_t> id = idOf(op))
      values[{microbatch, *id}] = {op, results.front()};
    return success();
  });
  checked.setObserver([this](Operation *op, int64_t microbatch,
                             ArrayRef<int64_t> ranks,
                             ArrayRef<ValueList> results) {
    return compareOp(op, microbatch, ranks, results);
  });
}

ValueCheck::~ValueCheck() {
  reference.setObserver({});
  checked.setObserver({});
}

LogicalResult ValueCheck::compare(Location loc, const Twine &what,
                                  const Tensor &found, const Tensor &wanted) {
  if (found.shape() != wanted.shape())
    return emitError(loc) << what << " is " << found.type
                          << ", the reference has " << wanted.type;
  Difference gap = difference(found, wanted);
  ++compared;
  double relative = gap.worst / (gap.scale + kFloor);
  if (!(relative <= worst))
    worst = relative;
  if (gap.within(tolerance, kFloor))
    return success();
  return emitError(loc) << what
                        << " differs from the reference: " << gap.text();
}

LogicalResult ValueCheck::compareOp(Operation *op, int64_t microbatch,
                                    ArrayRef<int64_t> ranks,
                                    ArrayRef<ValueList> results) {
  std::optional<int64_t> id = idOf(op);
  if (!id || (microbatch < 0 && isa<pipe::BodyOp>(op->getParentOp())))
    return success();
  auto it = values.find({microbatch, *id});
  if (it == values.end())
    return op->emitOpError()
           << "has the number " << *id << ", which no op of the reference has";
  for (OpResult result : op->getResults()) {
    dist::ShardingAttr sharding = dist::getSharding(result);
    if (!sharding)
      return op->emitOpError("has a number, but no shardings");
    unsigned i = result.getResultNumber();
    const Tensor &wanted = *it->second.second[i];
    ValueList parts;
    for (const ValueList &perRank : results)
      parts.push_back(perRank[i]);
    const Grid &grid = checked.getGrid();
    Placement placement = {wanted.type, grid.getMesh().layout(sharding)};
    auto local = grid.getMesh().localType(wanted.type, placement.layout);
    if (local.getShape() != parts[0]->shape())
      return op->emitOpError()
             << "returns " << parts[0]->type << ", a shard of " << wanted.type
             << " is " << local;
    std::string what =
        ("'" + op->getName().getStringRef() + "' op result #" + Twine(i)).str();
    auto global = rebuild(placement, grid, ranks, parts);
    if (!global)
      return op->emitOpError()
             << "result #" << i << ": " << llvm::toString(global.takeError());
    if (failed(compare(op->getLoc(), what, *global, wanted))) {
      emitRemark(it->second.first->getLoc()) << "this is the reference's op";
      return failure();
    }
  }
  return success();
}

FailureOr<ValueList> ValueCheck::call(StringRef name,
                                      ArrayRef<TensorRef> args) {
  auto theirs = reference.getModule().lookupSymbol<func::FuncOp>(name);
  auto ours = checked.getModule().lookupSymbol<func::FuncOp>(name);
  if (!theirs)
    return ours.emitError("is no function of the reference");
  if (theirs.getNumArguments() != ours.getNumArguments() ||
      theirs.getNumResults() != ours.getNumResults())
    return ours.emitError("has another signature than the reference's");
  for (auto [i, value] : llvm::enumerate(args))
    if (theirs.getArgumentTypes()[i] != value->type)
      return ours.emitError()
             << "argument #" << i << " is " << value->type
             << ", the reference's is " << theirs.getArgumentTypes()[i];
  values.clear();
  FailureOr<ValueList> wanted = reference.call(theirs, args);
  if (failed(wanted))
    return failure();
  FailureOr<ValueList> found = checked.call(ours, args);
  if (failed(found))
    return failure();
  for (auto [i, value] : llvm::enumerate(*found))
    if (failed(compare(ours.getLoc(), "result #" + Twine(i), *value,
                       *(*wanted)[i])))
      return failure();
  return found;
}

LogicalResult ValueCheck::compareScalar(StringRef what, double found,
                                        double wanted) {
  auto type = RankedTensorType::get(
      {}, Float64Type::get(checked.getModule().getContext()));
  Tensor a(type), b(type);
  a.real[0] = found;
  b.real[0] = wanted;
  return compare(checked.getModule().getLoc(), "the " + what, a, b);
}

LogicalResult ValueCheck::compareSymbols() {
  SymbolTable symbols(checked.getModule());
  for (Operation &op : *checked.getModule().getBody()) {
    // Buckets and shards are compared by their members. Buckets of one
    // microbatch's gradients, which are accumulated elsewhere, are cleared.
    auto state = dyn_cast<nn::StateOp>(op);
    if ((!state && !isa<nn::ParamOp>(op)) || nn::isAlias(&op) ||
        nn::bucketSummedIn(symbols, state))
      continue;
    StringRef name = cast<SymbolOpInterface>(op).getName();
    // A working copy equals its parameter; the reference may have only the
    // parameter.
    if (state && state.getKind() == nn::StateKind::Copy &&
        !reference.symbolPlacement(name))
      continue;
    if (!reference.symbolPlacement(name))
      return op.emitError() << "@" << name << " is not in the reference";
    FailureOr<TensorRef> found = checked.readSymbol(name);
    FailureOr<TensorRef> wanted = reference.readSymbol(name);
    if (failed(found) || failed(wanted))
      return failure();
    if (*found && *wanted &&
        failed(compare(op.getLoc(), "@" + name, **found, **wanted)))
      return failure();
  }
  return success();
}

std::string ValueCheck::summary() const {
  std::string text;
  llvm::raw_string_ostream(text)
      << compared << " values equal the reference's, the worst to "
      << llvm::format("%.1e", worst) << '\n';
  return text;
}
