//===- DeviceEmitter.cpp - Kernel IR as code of one thread ----------------===//

#include "passes/Codegen/Gpu/DeviceEmitter.h"
#include "dialects/RT/RT.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

bool Hazards::note(Value memory, Touch touch) {
  auto &before = touches[memory];
  bool mustWait = llvm::any_of(before, [&](const Touch &other) {
    bool isSame = touch.width && touch.width == other.width &&
                  touch.columns == other.columns &&
                  touch.offset == other.offset;
    return (touch.isWrite || other.isWrite) && !isSame;
  });
  before.push_back(touch);
  return mustWait;
}

DeviceEmitter::DeviceEmitter(func::FuncOp kernel, gpu::GPUFuncOp function,
                             const ThreadLayout &layout,
                             const LayoutLimits &limits)
    : kernel(kernel), function(function), layout(layout), limits(limits),
      b(kernel.getLoc(), function.getContext()) {
  b.setInsertionPointToStart(&function.getBody().front());
  for (auto [from, to] :
       llvm::zip(kernel.getArguments(), function.getArguments())) {
    map.map(from, to);
    if (auto operand = kernel.getArgAttrOfType<IntegerAttr>(from.getArgNumber(),
                                                            rt::kInplaceAttr))
      sameMemory[kernel.getArgument(operand.getInt())] = from;
  }
}

Value DeviceEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value DeviceEmitter::isFirst() {
  Value first;
  auto require = [&](Value number) {
    Value isZero =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, index(0));
    first = first ? Value(arith::AndIOp::create(b, first, isZero)) : isZero;
  };
  if (layout.threads > 1)
    require(lane);
  if (layout.tiles > 1)
    require(tile);
  return first;
}

LogicalResult DeviceEmitter::emit() {
  auto forall = *kernel.getOps<scf::ForallOp>().begin();
  for (Operation &op : kernel.getBody().front()) {
    if (&op == forall)
      break;
    // Constants of the program.
    b.clone(op, map);
  }
  auto threadId = [&] { return gpu::ThreadIdOp::create(b, gpu::Dimension::x); };
  Value unit = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  thread = lane = threadId();
  if (layout.slices > 1) {
    lane = arith::RemUIOp::create(b, thread, index(layout.threads));
    slice = arith::DivUIOp::create(b, thread, index(layout.threads));
  }
  if (layout.units == 1) {
    tile = unit;
    unit = index(0);
  } else if (layout.tiles > 1) {
    tile = arith::RemUIOp::create(b, unit, index(layout.tiles));
    unit = arith::DivUIOp::create(b, unit, index(layout.tiles));
  }
  Value isUnit;
  if (layout.teams > 1) {
    if (layout.threads > 1)
      lane = arith::RemUIOp::create(b, thread, index(layout.threads));
    team = layout.threads > 1
               ? Value(arith::DivUIOp::create(b, thread, index(layout.threads)))
               : thread;
    unit = arith::AddIOp::create(
        b, arith::MulIOp::create(b, unit, index(layout.teams)), team);
    if (layout.units % layout.teams)
      isUnit = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, unit,
                                     index(layout.units));
  }
  map.map(forall.getInductionVar(0), unit);
  bool hasLoops = false, hasTemporaries = false;
  forall.walk([&](Operation *op) {
    hasLoops |= isa<scf::ForOp>(op);
    hasTemporaries |= isa<memref::AllocaOp>(op);
  });
  ownsColumns = hasLoops && !hasTemporaries;
  if (isUnit) {
    auto branch = scf::IfOp::create(b, isUnit, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  if (failed(emitBody(*forall.getBody())))
    return failure();
  b.setInsertionPointToEnd(&function.getBody().front());
  gpu::ReturnOp::create(b);
  return success();
}

LogicalResult DeviceEmitter::emitBody(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

LogicalResult DeviceEmitter::emitOp(Operation *op) {
  if (isa<memref::SubViewOp>(op))
    return success();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return emitSweep(generic);
  if (auto alloca = dyn_cast<memref::AllocaOp>(op))
    return emitAlloca(alloca);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return emitStore(store);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return layout.slices > 1 && sumsRows(loop) ? emitColumnSum(loop)
                                               : emitLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitBranch(branch);
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (auto it = held.find(load.getMemRef()); it != held.end()) {
      map.map(load.getResult(), it->second.front());
      return success();
    }
    if (failed(touch(load.getMemRef(), {})))
      return failure();
  }
  if (op->getNumRegions())
    return op->emitError() << "'" << op->getName()
                           << "' has no form for a device";
  b.clone(*op, map);
  return success();
}

LogicalResult DeviceEmitter::emitLoop(scf::ForOp loop) {
  if (loop.getNumResults())
    return loop.emitError("loops of kernels for devices return nothing");
  // What one iteration touches the next may touch elsewhere.
  if (!ownsColumns)
    wait();
  auto emitted = scf::ForOp::create(b, map.lookup(loop.getLowerBound()),
                                    map.lookup(loop.getUpperBound()),
                                    map.lookup(loop.getStep()));
  map.map(loop.getInductionVar(), emitted.getInductionVar());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(emitted.getBody());
  return emitBody(*loop.getBody());
}

LogicalResult DeviceEmitter::emitBranch(scf::IfOp branch) {
  if (branch.getNumResults() || !branch.getElseRegion().empty())
    return branch.emitError("branches of kernels for devices return nothing");
  auto emitted = scf::IfOp::create(b, map.lookup(branch.getCondition()),
                                   /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(emitted.thenBlock());
  return emitBody(*branch.thenBlock());
}

LogicalResult DeviceEmitter::emitStore(memref::StoreOp store) {
  Value value = map.lookup(store.getValue());
  if (store.getMemRef().getDefiningOp<memref::AllocaOp>()) {
    held[store.getMemRef()] = {value};
    return success();
  }
  Hazards::Touch write;
  write.isWrite = true;
  if (failed(touch(store.getMemRef(), write)))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  if (Value first = isFirst()) {
    auto branch = scf::IfOp::create(b, first, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  memref::StoreOp::create(b, value, memory(store.getMemRef()),
                          ValueRange{map.lookup(store.getIndices().front())});
  return success();
}

LogicalResult DeviceEmitter::emitAlloca(memref::AllocaOp alloca) {
  auto type = alloca.getType();
  // Of some only the number of columns is looked at.
  bool isWritten = llvm::any_of(alloca->getUsers(), [&](Operation *user) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    return isa<memref::SubViewOp>(user) ||
           (generic &&
            llvm::is_contained(generic.getOutputs(), alloca.getResult()));
  });
  if (!type.getRank() || !isWritten)
    return success();
  if (layout.slices > 1) {
    // Of a block of columns, each thread has its own.
    held[alloca] = {};
    return success();
  }
  map.map(alloca, allocateShared(type.getElementType(), type.getDimSize(0),
                                 /*isOfTeam=*/true));
  return success();
}

Value DeviceEmitter::allocateShared(Type element, int64_t length,
                                    bool isOfTeam) {
  OpBuilder::InsertionGuard guard(b);
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  int64_t bytes = length * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  bytes = llvm::alignTo(bytes, kAccessBytes);
  Value offset = index(sharedBytes);
  if (isOfTeam && team) {
    offset = arith::AddIOp::create(
        b, offset, arith::MulIOp::create(b, team, index(bytes)));
    sharedBytes += bytes * layout.teams;
  } else {
    sharedBytes += bytes;
  }
  if (!shared) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    shared = gpu::DynamicSharedMemoryOp::create(
        b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(), AffineMap(),
                           space));
  }
  return memref::ViewOp::create(
      b, MemRefType::get({length}, element, AffineMap(), space), shared, offset,
      ValueRange{});
}

void DeviceEmitter::wait() {
  // Those of other tiles go on.
  if (layout.tiles == 1)
    hazards.clear();
  if (layout.threads == 1)
    return;
  if (layout.teams == 1 && layout.threads * layout.slices > kWarp) {
    gpu::BarrierOp::create(b);
    return;
  }
  Value all = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  NVVM::SyncWarpOp::create(b, all);
}

LogicalResult DeviceEmitter::touch(Value buffer, Hazards::Touch touch) {
  if (ownsColumns || layout.threads == 1 || layout.slices > 1)
    return success();
  // Constants are never written.
  if (buffer.getDefiningOp<memref::GetGlobalOp>())
    return success();
  if (Value result = sameMemory.lookup(buffer))
    buffer = result;
  if (!hazards.note(buffer, touch))
    return success();
  if (layout.tiles > 1)
    conflict = Conflict::NeedsWholeUnits;
  else if (layout.threads < kWarp)
    conflict = Conflict::NeedsWarps;
  if (conflict != Conflict::None)
    return failure();
  wait();
  hazards.note(buffer, touch);
  return success();
}
