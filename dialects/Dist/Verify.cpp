//===- Verify.cpp - Verifiers of the dist dialect -------------------------===//

#include "dialects/Dist/Layout.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace pcc::dist;

using EmitError = function_ref<InFlightDiagnostic()>;

/// Checks a sharding against the mesh around `op` and, unless `local`, the
/// extents of `type`, which the axes must divide. A local type is already
/// divided, and only it may be a partial maximum.
static LogicalResult verifySharding(Operation *op, EmitError emitError,
                                    ShardingAttr sharding, Type type,
                                    bool local, bool mayBeOpen) {
  MeshOp meshOp = findMesh(op);
  if (!meshOp)
    return emitError() << "has a sharding in a module without a mesh";
  if (sharding.getMesh() &&
      meshOp.getSymName() != sharding.getMesh().getValue())
    return emitError() << "sharding names " << sharding.getMesh()
                       << ", which is not the module's mesh";
  Mesh mesh(meshOp);
  auto known = [&](StringAttr axis) -> LogicalResult {
    if (mesh.find(axis))
      return success();
    return emitError() << "axis " << axis << " is not one of mesh @"
                       << meshOp.getSymName();
  };
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor ||
      tensor.getRank() != static_cast<int64_t>(sharding.getDims().size()))
    return emitError() << "sharding of " << sharding.getDims().size()
                       << " dims does not fit " << type;
  for (auto [i, dim] : llvm::enumerate(sharding.getDims())) {
    if (dim.getOpen() && !mayBeOpen)
      return emitError() << "dim " << i
                         << " is open, which is only allowed in a seed";
    int64_t ranks = 1;
    for (StringAttr axis : dim.getAxes()) {
      if (failed(known(axis)))
        return failure();
      ranks *= mesh.extent(*mesh.find(axis));
    }
    if (!local && tensor.getDimSize(i) % ranks)
      return emitError() << "dim " << i << " of " << type
                         << " is not a multiple of the " << ranks
                         << " ranks it is split over";
  }
  for (ArrayRef<StringAttr> axes :
       {sharding.getPartial(), sharding.getPartialMax()})
    for (StringAttr axis : axes)
      if (failed(known(axis)))
        return failure();
  if (!local && !sharding.getPartialMax().empty())
    return emitError() << "'partial max' is only allowed after partitioning";
  return success();
}

/// Whether the module around `op` is partitioned: its types are local.
static bool isSpmd(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return module && module->hasAttr(kSpmdAttr);
}

/// The type that a parameter or state declares.
static Type declaredType(Operation *op) {
  auto type = op->getAttrOfType<TypeAttr>("type");
  return type ? type.getValue() : Type();
}

/// Checks that `local`, the type that `op` declares, is the type of a rank's
/// shard of the `global` type under `sharding`.
static LogicalResult verifyGlobal(Operation *op, Attribute global,
                                  Attribute sharding, Type local) {
  auto emitError = [&] { return op->emitOpError(); };
  auto typeAttr = dyn_cast<TypeAttr>(global);
  auto type = typeAttr ? dyn_cast<RankedTensorType>(typeAttr.getValue())
                       : RankedTensorType();
  auto shardingAttr = dyn_cast_or_null<ShardingAttr>(sharding);
  if (!type || !shardingAttr)
    return emitError() << kGlobalAttr << " needs a tensor type and a "
                       << kShardingAttr << " as well";
  if (failed(verifySharding(op, emitError, shardingAttr, type, /*local=*/false,
                            /*mayBeOpen=*/false)))
    return failure();
  Mesh mesh(findMesh(op));
  Type part = mesh.localType(type, mesh.layout(shardingAttr));
  if (part != local)
    return emitError() << "declares " << local << ", but " << part
                       << " is a rank's shard of " << type;
  return success();
}

static LogicalResult verifySeeds(Operation *op, EmitError emitError,
                                 Attribute value,
                                 function_ref<Type(int64_t)> typeOf) {
  auto seeds = dyn_cast<ArrayAttr>(value);
  if (!seeds)
    return emitError() << kSeedsAttr << " must be an array";
  for (Attribute attr : seeds) {
    auto seed = dyn_cast<SeedAttr>(attr);
    if (!seed)
      return emitError() << attr << " is not a seed";
    Type type = typeOf(seed.getResult());
    if (!type)
      return emitError() << "seed for result " << seed.getResult()
                         << ", which does not exist";
    if (!seed.getSharding().getPartial().empty())
      return emitError() << "a seed cannot ask for partial sums";
    if (failed(verifySharding(op, emitError, seed.getSharding(), type,
                              /*local=*/false, /*mayBeOpen=*/true)))
      return failure();
  }
  return success();
}

/// Checks the shardings of a region's arguments, whose types are local.
static LogicalResult verifyArguments(Operation *op, Attribute value) {
  auto emitError = [&] { return op->emitOpError(); };
  auto all = dyn_cast<ArrayAttr>(value);
  if (!all || op->getNumRegions() != 1 || op->getRegion(0).empty() ||
      op->getRegion(0).getNumArguments() != all.size())
    return emitError() << kArgumentsAttr
                       << " must have one entry for each argument";
  for (auto [entry, argument] :
       llvm::zip(all, op->getRegion(0).getArguments())) {
    auto sharding = dyn_cast<ShardingAttr>(entry);
    if (!sharding)
      return emitError() << entry << " is not a sharding";
    if (failed(verifySharding(op, emitError, sharding, argument.getType(),
                              /*local=*/true, /*mayBeOpen=*/false)))
      return failure();
  }
  return success();
}

LogicalResult DistDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  auto emitError = [&] { return op->emitOpError(); };
  StringRef name = attr.getName();
  if (name == kShardingsAttr) {
    auto all = dyn_cast<ArrayAttr>(attr.getValue());
    if (!all || all.size() != op->getNumResults())
      return emitError() << kShardingsAttr
                         << " must have one entry for each of "
                         << op->getNumResults() << " results";
    for (auto [entry, type] : llvm::zip(all, op->getResultTypes())) {
      // After partitioning, a pass may not know the sharding of a result.
      if (isa<UnitAttr>(entry) && isSpmd(op))
        continue;
      auto sharding = dyn_cast<ShardingAttr>(entry);
      if (!sharding)
        return emitError() << entry << " is not a sharding";
      if (failed(verifySharding(op, emitError, sharding, type, isSpmd(op),
                                /*mayBeOpen=*/false)))
        return failure();
    }
    return success();
  }
  if (name == kShardingAttr) {
    auto sharding = dyn_cast<ShardingAttr>(attr.getValue());
    Type type = declaredType(op);
    if (auto global = op->getAttrOfType<TypeAttr>(kGlobalAttr))
      type = global.getValue();
    if (!sharding || !type)
      return emitError() << kShardingAttr
                         << " must be a sharding of a declared tensor";
    bool isLocal = isSpmd(op) && !op->hasAttr(kGlobalAttr);
    return verifySharding(op, emitError, sharding, type, isLocal,
                          /*mayBeOpen=*/false);
  }
  if (name == kArgumentsAttr)
    return verifyArguments(op, attr.getValue());
  if (name == kSeedsAttr)
    return verifySeeds(op, emitError, attr.getValue(), [&](int64_t i) -> Type {
      if (Type type = declaredType(op))
        return i == 0 ? type : Type();
      return i >= 0 && i < op->getNumResults() ? op->getResult(i).getType()
                                               : Type();
    });
  if (name == kGlobalAttr)
    return verifyGlobal(op, attr.getValue(), op->getAttr(kShardingAttr),
                        declaredType(op));
  if (name == kFactorsAttr) {
    auto all = dyn_cast<ArrayAttr>(attr.getValue());
    MeshOp mesh = findMesh(op);
    auto known = [&](Attribute entry) {
      auto axes = dyn_cast<ArrayAttr>(entry);
      return axes && llvm::all_of(axes, [&](Attribute axis) {
               auto name = dyn_cast<StringAttr>(axis);
               return name && mesh && Mesh(mesh).find(name);
             });
    };
    if (!all || !llvm::all_of(all, known))
      return emitError() << kFactorsAttr
                         << " must list axes of the mesh for each factor";
    return success();
  }
  if (name == kIdAttr) {
    if (!isa<IntegerAttr>(attr.getValue()))
      return emitError() << kIdAttr << " must be an integer";
    return success();
  }
  if (name == kSpmdAttr) {
    if (!isa<ModuleOp>(op) || !isa<UnitAttr>(attr.getValue()))
      return emitError() << kSpmdAttr
                         << " must be a unit attribute of a module";
    return success();
  }
  return emitError() << "has the unknown attribute " << name;
}

/// Checks an attribute of a function's argument or result of type `type`.
static LogicalResult verifySignatureAttr(Operation *op, NamedAttribute attr,
                                         Type type, DictionaryAttr all) {
  auto emitError = [&] { return op->emitOpError(); };
  StringRef name = attr.getName();
  if (name == kShardingAttr) {
    auto sharding = dyn_cast<ShardingAttr>(attr.getValue());
    if (!sharding)
      return emitError() << kShardingAttr << " must be a sharding";
    if (auto global = all.getAs<TypeAttr>(kGlobalAttr))
      type = global.getValue();
    return verifySharding(op, emitError, sharding, type, /*local=*/false,
                          /*mayBeOpen=*/false);
  }
  if (name == kSeedsAttr)
    return verifySeeds(op, emitError, attr.getValue(),
                       [&](int64_t i) { return i == 0 ? type : Type(); });
  if (name == kGlobalAttr)
    return verifyGlobal(op, attr.getValue(), all.get(kShardingAttr), type);
  return emitError() << "has an argument or result with the unknown attribute "
                     << name;
}

LogicalResult DistDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned index,
                                                    NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifySignatureAttr(op, attr, function.getArgumentTypes()[index],
                             function.getArgAttrDict(index));
}

LogicalResult DistDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned index,
                                                       NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifySignatureAttr(op, attr, function.getResultTypes()[index],
                             function.getResultAttrDict(index));
}

LogicalResult MeshOp::verify() {
  auto first = *(*this)->getParentRegion()->getOps<MeshOp>().begin();
  if (first == *this)
    return success();
  InFlightDiagnostic diag = emitOpError("is the module's second mesh");
  diag.attachNote(first.getLoc()) << "the first one is here";
  return diag;
}

LogicalResult ReshardOp::verify() {
  auto emit = [&] { return emitOpError(); };
  for (ShardingAttr sharding : {getSource(), getTarget()})
    if (failed(verifySharding(*this, emit, sharding, getType(),
                              /*local=*/false, /*mayBeOpen=*/false)))
      return failure();
  Mesh mesh(findMesh(*this));
  auto disagrees = [&](Value value, ShardingAttr sharding) {
    ShardingAttr said = getSharding(value);
    return said && said.getMesh() == sharding.getMesh() &&
           mesh.layout(said) != mesh.layout(sharding);
  };
  if (disagrees(getInput(), getSource()))
    return emitOpError() << "reshards from " << getSource()
                         << ", but its input is " << getSharding(getInput());
  if (disagrees(getResult(), getTarget()))
    return emitOpError() << "reshards to " << getTarget()
                         << ", but its result is " << getSharding(getResult());
  AxisSet made =
      mesh.layout(getTarget()).partial - mesh.layout(getSource()).partial;
  bool scalar = cast<RankedTensorType>(getType()).getRank() == 0;
  if (!made.empty() && !scalar)
    return emitOpError() << "cannot make a tensor partial over "
                         << mesh.names(made.list())
                         << ": only a scalar may become partial";
  return success();
}

/// The number of ranks along `axes`, or an error.
static FailureOr<int64_t> ranksAlong(Operation *op, ArrayAttr axes) {
  MeshOp meshOp = findMesh(op);
  if (!meshOp)
    return op->emitOpError("needs a dist.mesh in its module");
  Mesh mesh(meshOp);
  if (axes.empty())
    return op->emitOpError("needs at least one axis");
  AxisSet seen;
  int64_t ranks = 1;
  for (auto name : axes.getAsRange<StringAttr>()) {
    auto axis = mesh.find(name);
    if (!axis)
      return op->emitOpError() << "axis " << name << " is not one of mesh @"
                               << meshOp.getSymName();
    if (seen.contains(*axis))
      return op->emitOpError() << "names axis " << name << " twice";
    seen.insert(*axis);
    ranks *= mesh.extent(*axis);
  }
  return ranks;
}

LogicalResult AllReduceOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one operand");
  return ranksAlong(*this, getAxes());
}

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            ValueRange operands, DictionaryAttr,
                                            OpaqueProperties, RegionRange,
                                            SmallVectorImpl<Type> &results) {
  llvm::append_range(results, operands.getTypes());
  return success();
}

LogicalResult OffsetOp::verify() {
  if (getType().getRank() != 0)
    return emitOpError("must return a rank-0 tensor");
  if (int64_t extent = getExtent(); extent < 1)
    return emitOpError() << "needs an extent of at least 1, has " << extent;
  return ranksAlong(*this, getAxes());
}

/// Checks that `whole` has the type of `part`, with the extent of dim `dim`
/// multiplied by the number of ranks along `axes`.
static LogicalResult verifyShards(Operation *op, ArrayAttr axes, Value whole,
                                  Value part, int64_t dim) {
  FailureOr<int64_t> ranks = ranksAlong(op, axes);
  if (failed(ranks))
    return failure();
  auto type = cast<RankedTensorType>(part.getType());
  if (dim < 0 || dim >= type.getRank())
    return op->emitOpError() << "has no dim " << dim;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= *ranks;
  auto expected = RankedTensorType::get(shape, type.getElementType());
  if (whole.getType() != expected)
    return op->emitOpError() << *ranks << " shards of " << type << " form "
                             << expected << ", not " << whole.getType();
  return success();
}

LogicalResult AllGatherOp::verify() {
  return verifyShards(*this, getAxes(), getResult(), getInput(), getDim());
}
LogicalResult ReduceScatterOp::verify() {
  return verifyShards(*this, getAxes(), getInput(), getResult(), getDim());
}
LogicalResult ShardSliceOp::verify() {
  return verifyShards(*this, getAxes(), getInput(), getResult(), getDim());
}

LogicalResult AllToAllOp::verify() {
  FailureOr<int64_t> ranks = ranksAlong(*this, getAxes());
  if (failed(ranks))
    return failure();
  auto from = cast<RankedTensorType>(getInput().getType());
  int64_t rank = from.getRank(), join = getFrom(), split = getTo();
  if (join < 0 || join >= rank || split < 0 || split >= rank || join == split)
    return emitOpError() << "dims " << join << " and " << split
                         << " must be two different dims of " << from;
  SmallVector<int64_t> shape(from.getShape());
  if (shape[split] % *ranks)
    return emitOpError() << "cannot split dim " << split << " of " << from
                         << " evenly over " << *ranks << " ranks";
  shape[join] *= *ranks;
  shape[split] /= *ranks;
  auto expected = RankedTensorType::get(shape, from.getElementType());
  if (getType() != expected)
    return emitOpError() << "must return " << expected << ", not " << getType();
  return success();
}
