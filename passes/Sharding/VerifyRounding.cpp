//===- VerifyRounding.cpp - Verifies random bits for rounding -------------===//
//
// The bits of an element must not depend on the plan. So each optimizer step
// that rounds must name the members of its bucket in their order, with their
// local and whole extents, and begin where the rank's shards begin.
//
// Shares no code with the passes that create the bits, except dist::Mesh.
//
//===----------------------------------------------------------------------===//

#include "dialects/Dist/Layout.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Sharding/VerifyBuckets.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

class RoundingVerifier {
public:
  explicit RoundingVerifier(ModuleOp module)
      : symbols(module), mesh(findMesh(module)) {}
  LogicalResult verify(AdamWOp step);

private:
  SmallVector<std::pair<ParamOp, int64_t>> membersOf(Operation *symbol);
  LogicalResult verifyMember(RoundingBitsOp bits, MemberAttr member,
                             ParamOp param);
  LogicalResult verifyOrigin(RoundingBitsOp bits, int64_t origin,
                             ArrayRef<Axis> axes, int64_t extent,
                             const Twine &what);
  std::optional<int64_t> idOf(RoundingBitsOp bits, Value step);

  Layout layoutOf(Operation *symbol, int64_t rank) {
    auto sharding = symbol->getAttrOfType<ShardingAttr>(kShardingAttr);
    return mesh && sharding ? mesh.layout(sharding) : Layout(rank);
  }

  SymbolTable symbols;
  Mesh mesh;
  /// By id, the parameter that is rounded with it.
  llvm::DenseMap<int64_t, ParamOp> users;
};

} // namespace

/// Returns the id of an op: its own and that in the high half of its step. The
/// step is the optimizer's, or chosen from its sums with a constant.
std::optional<int64_t> RoundingVerifier::idOf(RoundingBitsOp bits, Value step) {
  if (bits.getStep() == step)
    return bits.getId();
  auto entry = bits.getStep().getDefiningOp<SelectOp>();
  auto row = entry ? entry.getInput().getDefiningOp<SelectOp>() : SelectOp();
  auto sum = row ? row.getInput().getDefiningOp<SumOp>() : SumOp();
  if (!sum || entry.getDim() != 0 || row.getDim() != 0 ||
      sum.getNumOperands() != 2)
    return std::nullopt;
  auto same = sum.getOperand(0).getDefiningOp<BroadcastOp>();
  auto added = sum.getOperand(1).getDefiningOp<ConstantOp>();
  auto ids = added ? dyn_cast<DenseIntElementsAttr>(added.getValue())
                   : DenseIntElementsAttr();
  if (!same || same.getInput() != step || !ids)
    return std::nullopt;
  int64_t high =
      ids.getValues<int64_t>()[row.getIndex() * ids.getType().getDimSize(1) +
                               entry.getIndex()];
  if (high % (int64_t(1) << 32))
    return std::nullopt;
  return int64_t(bits.getId()) + (high >> 32);
}

/// Checks that an origin is the offset of this rank's shard along `axes`.
LogicalResult RoundingVerifier::verifyOrigin(RoundingBitsOp bits,
                                             int64_t origin,
                                             ArrayRef<Axis> axes,
                                             int64_t extent,
                                             const Twine &what) {
  if (axes.empty()) {
    if (origin < 0)
      return success();
    return bits.emitOpError() << "begins at an offset in " << what
                              << ", of which the rank has all";
  }
  auto offset = origin < 0
                    ? OffsetOp()
                    : bits.getOrigins()[origin].getDefiningOp<OffsetOp>();
  if (offset && offset.getAxes() == mesh.names(AxisList(axes)) &&
      static_cast<int64_t>(offset.getExtent()) == extent)
    return success();
  return bits.emitOpError()
         << "does not begin at this rank's shard in " << what
         << ", which is sharded over " << mesh.names(AxisList(axes));
}

LogicalResult RoundingVerifier::verifyMember(RoundingBitsOp bits,
                                             MemberAttr member, ParamOp param) {
  RankedTensorType type = param.getTensorType();
  if (member.getShape().asArrayRef() != type.getShape())
    return bits.emitOpError() << "has a member of another shape than '"
                              << param.getSymName() << "' : " << type;
  ArrayRef<int64_t> whole = type.getShape();
  if (auto global = param->getAttrOfType<TypeAttr>(kGlobalAttr))
    whole = cast<RankedTensorType>(global.getValue()).getShape();
  if (SourceAttr source = param.getSource())
    whole = source.getValid();
  if (member.getWhole().asArrayRef() != whole)
    return bits.emitOpError() << "has a member of another whole tensor than '"
                              << param.getSymName() << "'";
  Layout layout = layoutOf(param, type.getRank());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (failed(verifyOrigin(
            bits, member.getOrigin(dim), layout.dims[dim], type.getDimSize(dim),
            "dim " + Twine(dim) + " of '" + param.getSymName() + "'")))
      return failure();
  return success();
}

/// Returns the parameters that are updated together with a parameter, bucket or
/// shard of a bucket, and their first elements; nothing for other symbols.
SmallVector<std::pair<ParamOp, int64_t>>
RoundingVerifier::membersOf(Operation *symbol) {
  if (auto param = dyn_cast_or_null<ParamOp>(symbol))
    return {{param, 0}};
  auto bucket = dyn_cast_or_null<StateOp>(symbol);
  if (bucket && bucket.getKind() == StateKind::Part)
    bucket = symbols.lookup<StateOp>(*bucket.getOf());
  if (!bucket || bucket.getKind() != StateKind::Bucket)
    return {};
  SmallVector<std::pair<ParamOp, int64_t>> members;
  for (auto [member, offset] :
       llvm::zip_equal(bucket.getMembersAttr(), *bucket.getOffsets())) {
    StringRef name = cast<FlatSymbolRefAttr>(member).getValue();
    auto param = symbols.lookup<ParamOp>(name);
    if (!param)
      return {};
    members.push_back({param, offset});
  }
  return members;
}

LogicalResult RoundingVerifier::verify(AdamWOp step) {
  if (!step.getRounding())
    return success();
  auto bits = step.getRounding().getDefiningOp<RoundingBitsOp>();
  auto read = step.getParam().getDefiningOp<ReadOp>();
  Operation *symbol = read ? symbols.lookup(read.getSymbol()) : nullptr;
  auto params = membersOf(symbol);
  if (!bits || params.empty())
    return step.emitOpError("rounds with other bits than those of a parameter");
  int64_t position = -1, extent = 0;
  AxisList axes;
  if (auto own = dyn_cast<StateOp>(symbol)) {
    axes = layoutOf(own, 2).dims[1];
    extent = own.getTensorType().getDimSize(1);
  }
  if (bits.getPosition())
    position = *bits.getPosition();
  if (failed(verifyOrigin(bits, position, axes, extent,
                          "'" + read.getSymbol() + "'")))
    return failure();
  SmallVector<MemberAttr> members = bits.getMemberList();
  if (members.size() != params.size())
    return bits.emitOpError() << "has " << members.size() << " members, but '"
                              << read.getSymbol() << "' " << params.size();
  std::optional<int64_t> id = idOf(bits, step.getStep());
  if (!id)
    return bits.emitOpError("does not depend on the optimizer's step");
  for (auto [member, place] : llvm::zip_equal(members, params)) {
    auto [param, offset] = place;
    if (member.getStart() != offset)
      return bits.emitOpError()
             << "has a member at element " << member.getStart() << ", but '"
             << param.getSymName() << "' is at " << offset;
    if (failed(verifyMember(bits, member, param)))
      return failure();
    auto [user, isNew] = users.try_emplace(*id + member.getId(), param);
    if (!isNew)
      return bits.emitOpError()
             << "rounds '" << param.getSymName() << "' with the bits of '"
             << user->second.getSymName() << "'";
  }
  return success();
}

LogicalResult pcc::verifyRounding(ModuleOp module) {
  auto update = module.lookupSymbol<func::FuncOp>(kUpdate);
  // In a plan, ops are still on global tensors.
  bool isPlan = findMesh(module) && !module->hasAttr(kSpmdAttr);
  if (!update || isPlan)
    return success();
  RoundingVerifier verifier(module);
  for (auto step : update.getOps<AdamWOp>())
    if (failed(verifier.verify(step)))
      return failure();
  return success();
}
