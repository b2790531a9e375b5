//===- WorkingCopies.cpp - Working copies of parameters as states ---------===//
//
// A step uses a parameter in every microbatch, forward and backward, and
// changes it once. So the parameter is rounded once, where it changes, and the
// result is kept as a working copy:
//
//     %w = nn.read @w : tensor<8x8xf32>
//     %h = nn.cast %w : ... -> tensor<8x8xbf16>
//
// becomes a read of a state, `copy of @w`, which @update writes together with
// the parameter. Ops between the read and the cast that move elements are
// applied to the working copy.
//
// With `all` each trained parameter gets a working copy that is read instead,
// of its own type if no cast rounds it. ZeRO 3 needs that: a rank keeps a shard
// of the parameter and has the whole only while it uses it. Exceptions are
// experts that are split over all data axes: no other rank has them.
//
// Runs on one rank's program. In the global program a cast parameter is a value
// like others, with a sharding of its own.
//
//===----------------------------------------------------------------------===//

#include "analysis/Dependence.h"
#include "dialects/Dist/Layout.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Sharding/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_DISTWORKINGCOPIESPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

struct DistWorkingCopiesPass
    : pcc::impl::DistWorkingCopiesPassBase<DistWorkingCopiesPass> {
  using DistWorkingCopiesPassBase::DistWorkingCopiesPassBase;
  void runOnOperation() override;

  StateOp workingCopyOf(ParamOp param, Type element);
  Value narrowed(Value value, Type element, StateOp &copy);
  void replace(CastOp cast);
  void replaceReads(func::FuncOp function);
  bool isSharedWithOthers(ParamOp param);
  void writeCopies(func::FuncOp function);

  /// By parameter: its working copy.
  llvm::MapVector<Operation *, StateOp> copies;
  /// The last declaration.
  Operation *last = nullptr;
};

/// Whether a cast rounds f32 to a narrower type.
bool isNarrowing(CastOp cast) {
  auto from = dyn_cast<FloatType>(tensorType(cast.getInput()).getElementType());
  auto to = dyn_cast<FloatType>(cast.getType().getElementType());
  return from && from.isF32() && to && to.getWidth() < from.getWidth();
}

/// Returns the read of a parameter that a value comes from through ops that
/// only move elements, or null.
ReadOp readOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (movesOneOperand(op))
    op = op->getOperand(0).getDefiningOp();
  auto read = dyn_cast_or_null<ReadOp>(op);
  return read && paramOf(read) ? read : nullptr;
}

} // namespace

StateOp DistWorkingCopiesPass::workingCopyOf(ParamOp param, Type element) {
  StateOp &copy = copies[param];
  if (copy)
    return copy;
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(last);
  copy = StateOp::create(builder, param.getLoc(), copyName(param.getSymName()),
                         param.getTensorType().clone(element), StateKind::Copy,
                         FlatSymbolRefAttr::get(param.getSymNameAttr()),
                         /*members=*/ArrayAttr(),
                         /*offsets=*/DenseI64ArrayAttr(),
                         /*first=*/FloatAttr());
  if (Attribute sharding = param->getAttr(kShardingAttr))
    copy->setAttr(kShardingAttr, sharding);
  if (auto global = param->getAttrOfType<TypeAttr>(kGlobalAttr)) {
    auto type = cast<RankedTensorType>(global.getValue()).clone(element);
    copy->setAttr(kGlobalAttr, TypeAttr::get(type));
  }
  last = copy;
  return copy;
}

/// Applies the ops between the read of a parameter and `value` to its working
/// copy; returns the result.
Value DistWorkingCopiesPass::narrowed(Value value, Type element,
                                      StateOp &copy) {
  Operation *op = value.getDefiningOp();
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Operation *made;
  if (auto read = dyn_cast<ReadOp>(op)) {
    copy = workingCopyOf(paramOf(read), element);
    made = ReadOp::create(builder, op->getLoc(), copy.getTensorType(),
                          copy.getSymName());
  } else {
    Value input = narrowed(op->getOperand(0), element, copy);
    made = builder.clone(*op);
    made->setOperand(0, input);
    Value result = made->getResult(0);
    result.setType(tensorType(result).clone(element));
  }
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  // It corresponds to no value of the global program.
  made->removeDiscardableAttr(kIdAttr);
  return made->getResult(0);
}

void DistWorkingCopiesPass::replace(CastOp cast) {
  StateOp copy;
  Value value =
      narrowed(cast.getInput(), cast.getType().getElementType(), copy);
  value.getDefiningOp()->setDiscardableAttrs(
      cast->getDiscardableAttrDictionary());
  Value input = cast.getInput();
  cast.getResult().replaceAllUsesWith(value);
  cast.erase();
  for (Operation *op = input.getDefiningOp(); op && op->use_empty();) {
    Operation *before =
        op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr;
    op->erase();
    op = before;
  }
}

/// Whether ranks along some data axis have the same elements of a parameter,
/// so that ZeRO can shard it. Experts may be split over all data axes.
bool DistWorkingCopiesPass::isSharedWithOthers(ParamOp param) {
  Mesh mesh(findMesh(getOperation()));
  auto sharding = param->getAttrOfType<ShardingAttr>(kShardingAttr);
  return !mesh || !sharding ||
         !mesh.dataAxesBeside(mesh.layout(sharding).split()).empty();
}

/// Replaces reads of trained parameters in a function by reads of working
/// copies.
void DistWorkingCopiesPass::replaceReads(func::FuncOp function) {
  llvm::DenseSet<Operation *> trained;
  SymbolTable symbols(getOperation());
  for (auto state : getOperation().getOps<StateOp>())
    if (state.getKind() == StateKind::Gradient && state.getOf())
      trained.insert(symbols.lookup(*state.getOf()));
  for (auto read : function.getOps<ReadOp>()) {
    ParamOp param = paramOf(read);
    if (!param || !trained.contains(param) || !isSharedWithOthers(param))
      continue;
    StateOp copy = workingCopyOf(param, param.getTensorType().getElementType());
    // A parameter has one working copy. If that is of a narrower type, the
    // other reads keep reading the parameter.
    if (copy.getTensorType() == param.getTensorType())
      read.setSymbol(copy.getSymName());
  }
}

void DistWorkingCopiesPass::writeCopies(func::FuncOp function) {
  SymbolTable symbols(getOperation());
  auto writes = llvm::to_vector(function.getOps<WriteOp>());
  for (WriteOp write : writes) {
    StateOp copy = copies.lookup(symbols.lookup(write.getSymbol()));
    if (!copy)
      continue;
    OpBuilder builder(write);
    builder.setInsertionPointAfter(write);
    Value value = write.getValue();
    if (value.getType() != copy.getTensorType()) {
      auto rounded =
          CastOp::create(builder, write.getLoc(), copy.getTensorType(), value);
      rounded->setDiscardableAttrs(write->getDiscardableAttrDictionary());
      rounded->removeDiscardableAttr(kIdAttr);
      if (ShardingAttr sharding = getSharding(value))
        setShardings(rounded, sharding);
      value = rounded;
    }
    auto other =
        WriteOp::create(builder, write.getLoc(), value, copy.getSymName());
    other->setDiscardableAttrs(write->getDiscardableAttrDictionary());
    other->removeDiscardableAttr(kIdAttr);
  }
}

void DistWorkingCopiesPass::runOnOperation() {
  ModuleOp module = getOperation();
  for (Operation &op : *module.getBody())
    if (isa<ParamOp, StateOp>(op))
      last = &op;
  for (auto function : module.getOps<func::FuncOp>()) {
    // @update itself rounds the new values.
    if (function.getSymName() == kUpdate)
      continue;
    auto casts = llvm::to_vector(function.getOps<CastOp>());
    for (CastOp cast : casts)
      if (isNarrowing(cast) && readOf(cast.getInput()))
        replace(cast);
    if (all)
      replaceReads(function);
  }
  if (auto update = module.lookupSymbol<func::FuncOp>(kUpdate))
    writeCopies(update);
}
