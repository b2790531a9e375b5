//===- DeviceEmitter.cpp - Code of one thread from kernel IR --------------===//

#include "passes/Codegen/Gpu/DeviceEmitter.h"
#include "dialects/RT/RT.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

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

/// Bytes of a block's shared memory that are reserved for reductions over
/// warps.
static constexpr int64_t kJoinBytes = 4096;

static scf::ForallOp unitsOf(func::FuncOp kernel) {
  return *kernel.getOps<scf::ForallOp>().begin();
}

/// Returns the maximum bytes of rows that a thread group may keep in shared
/// memory.
static int64_t mostKept(func::FuncOp kernel, const ThreadLayout &layout,
                        const LayoutLimits &limits) {
  if (layout.tiles > 1 || layout.slices > 1)
    return 0;
  int64_t most = limits.sharedBytes - kJoinBytes, temporaries = 0;
  for (const SameRow &row : layout.sameRows)
    most -= llvm::alignTo(row.bytes(), kAccessBytes);
  kernel.walk([&](memref::AllocaOp alloca) {
    MemRefType type = alloca.getType();
    temporaries +=
        llvm::alignTo(type.getNumElements() *
                          llvm::divideCeil(type.getElementTypeBitWidth(), 8),
                      kAccessBytes);
  });
  return most / layout.teams - temporaries;
}

DeviceEmitter::DeviceEmitter(func::FuncOp kernel, gpu::GPUFuncOp function,
                             const ThreadLayout &layout,
                             const LayoutLimits &limits)
    : kernel(kernel), function(function), layout(layout), limits(limits),
      b(kernel.getLoc(), function.getContext()),
      group(findGroupLoop(*unitsOf(kernel).getBody())),
      runningSums(findRunningSums(*unitsOf(kernel).getBody())),
      kept(group ? *group.getBody() : *unitsOf(kernel).getBody(), runningSums,
           layout, limits, mostKept(kernel, layout, limits)) {
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
  auto forall = unitsOf(kernel);
  for (Operation &op : kernel.getBody().front()) {
    if (&op == forall)
      break;
    // Constants precede the forall.
    b.clone(op, map);
  }
  auto threadId = [&] { return gpu::ThreadIdOp::create(b, gpu::Dimension::x); };
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  thread = lane = threadId();
  if (layout.slices > 1) {
    lane = arith::RemUIOp::create(b, thread, index(layout.threads));
    slice = arith::DivUIOp::create(b, thread, index(layout.threads));
  }
  bool hasLoops = false, hasTemporaries = false;
  forall.walk([&](Operation *op) {
    hasLoops |= isa<scf::ForOp>(op);
    hasTemporaries |= isa<memref::AllocaOp>(op);
  });
  ownsColumns = hasLoops && !hasTemporaries;
  if (failed(emitWorkItems(forall, block)))
    return failure();
  b.setInsertionPointToEnd(&function.getBody().front());
  gpu::ReturnOp::create(b);
  return success();
}

LogicalResult DeviceEmitter::emitWorkItems(scf::ForallOp forall, Value block) {
  Value unit = block, isUnit;
  if (layout.units == 1) {
    tile = block;
    unit = index(0);
  } else if (layout.tiles > 1) {
    tile = arith::RemUIOp::create(b, block, index(layout.tiles));
    unit = arith::DivUIOp::create(b, block, index(layout.tiles));
  }
  if (layout.teams > 1) {
    if (layout.threads > 1)
      lane = arith::RemUIOp::create(b, thread, index(layout.threads));
    team = layout.threads > 1
               ? Value(arith::DivUIOp::create(b, thread, index(layout.threads)))
               : thread;
  }
  for (const KeptRows::Row &row : kept.getRows())
    keptRows.push_back(
        allocateShared(row.element, row.columns, /*isPerGroup=*/true));
  int64_t perBlock = layout.perBlock();
  if (perBlock == 1) {
    map.map(forall.getInductionVar(0), unit);
    return emitWorkItem(forall, isUnit);
  }

  // The first work item of the block.
  Value first;
  if (layout.stride == 1) {
    first = arith::MulIOp::create(b, unit, index(perBlock));
  } else {
    Value run = arith::DivUIOp::create(b, unit, index(layout.stride));
    first = arith::AddIOp::create(
        b, arith::MulIOp::create(b, run, index(perBlock * layout.stride)),
        arith::RemUIOp::create(b, unit, index(layout.stride)));
  }
  readSameRows(forall.getInductionVar(0), first);
  Value number = team;
  scf::ForOp rounds;
  if (layout.rounds > 1) {
    rounds =
        scf::ForOp::create(b, index(0), index(perBlock), index(layout.teams));
    b.setInsertionPointToStart(rounds.getBody());
    number = rounds.getInductionVar();
    if (team)
      number = arith::AddIOp::create(b, number, team);
  }
  if (layout.stride > 1)
    number = arith::MulIOp::create(b, number, index(layout.stride));
  unit = arith::AddIOp::create(b, first, number);
  if (layout.units % perBlock)
    isUnit = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, unit,
                                   index(layout.units));
  map.map(forall.getInductionVar(0), unit);
  if (failed(emitWorkItem(forall, isUnit)))
    return failure();
  // A thread may write in the next round what others read in this one.
  if (rounds && hasWaited) {
    b.setInsertionPoint(rounds.getBody()->getTerminator());
    wait();
  }
  return success();
}

LogicalResult DeviceEmitter::emitWorkItem(scf::ForallOp forall, Value isUnit) {
  OpBuilder::InsertionGuard guard(b);
  if (isUnit) {
    auto branch = scf::IfOp::create(b, isUnit, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  return emitBody(*forall.getBody());
}

/// Clones the computation of an index to the builder's insertion point.
static Value cloneIndex(OpBuilder &b, Value index, IRMapping &map) {
  if (Value known = map.lookupOrNull(index))
    return known;
  Operation *op = index.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneIndex(b, operand, map);
  b.clone(*op, map);
  return map.lookup(index);
}

void DeviceEmitter::readSameRows(Value induction, Value unit) {
  IRMapping local(map);
  local.map(induction, unit);
  for (const SameRow &row : layout.sameRows) {
    int64_t bytes = bytesOf(row.element());
    int64_t width = kAccessBytes / bytes;
    int64_t divisor = std::gcd(
        row.columns,
        row.slice.offset ? divisorOf(row.slice.offset, layout.units) : 0);
    while (divisor % width)
      width /= 2;
    Value view =
        allocateShared(row.element(), row.columns, /*isPerGroup=*/false);
    sameRows.push_back(view);
    Value from =
        row.slice.offset ? cloneIndex(b, row.slice.offset, local) : index(0);
    int64_t step = layout.block() * width;
    Value mine = width > 1
                     ? Value(arith::MulIOp::create(b, thread, index(width)))
                     : thread;
    OpBuilder::InsertionGuard guard(b);
    Value column = mine;
    if (row.columns > step) {
      auto loop = scf::ForOp::create(
          b, index(0), index(llvm::alignTo(row.columns, step)), index(step));
      b.setInsertionPointToStart(loop.getBody());
      column = arith::AddIOp::create(b, loop.getInductionVar(), mine);
    }
    if (row.columns % step) {
      Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                             column, index(row.columns));
      auto branch = scf::IfOp::create(b, isInside, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    Value at = arith::AddIOp::create(b, from, column);
    storeTo(loadFrom(memory(row.slice.buffer), at, width), view, column);
  }
  if (!layout.sameRows.empty())
    waitForBlock();
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
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    for (const RunningSum &running : runningSums) {
      if (running.max == op)
        return success();
      if (running.sum == op)
        return emitRunningSum(running);
    }
    return emitRowPass(generic);
  }
  if (auto alloca = dyn_cast<memref::AllocaOp>(op))
    return emitAlloca(alloca);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return emitStore(store);
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop == group)
    return emitGroup(loop);
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
                           << "' cannot be lowered for a GPU";
  b.clone(*op, map);
  return success();
}

LogicalResult DeviceEmitter::emitLoop(scf::ForOp loop) {
  // Accesses of different iterations may conflict.
  if (!ownsColumns)
    wait();
  Held start;
  for (Value init : loop.getInitArgs())
    start.push_back(map.lookup(init));
  auto emitted = scf::ForOp::create(b, map.lookup(loop.getLowerBound()),
                                    map.lookup(loop.getUpperBound()),
                                    map.lookup(loop.getStep()), start);
  map.map(loop.getInductionVar(), emitted.getInductionVar());
  map.map(loop.getRegionIterArgs(), emitted.getRegionIterArgs());
  map.map(loop.getResults(), emitted.getResults());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(emitted.getBody());
  if (failed(emitBody(*loop.getBody())))
    return failure();
  if (!start.empty())
    b.clone(*loop.getBody()->getTerminator(), map);
  return success();
}

LogicalResult DeviceEmitter::emitBranch(scf::IfOp branch) {
  if (branch.getNumResults() || !branch.getElseRegion().empty())
    return branch.emitError(
        "cannot lower an if with results or an else region for a GPU");
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
  // Some temporaries only carry the number of columns, and need no memory.
  bool isWritten = llvm::any_of(alloca->getUsers(), [&](Operation *user) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    return isa<memref::SubViewOp>(user) ||
           (generic &&
            llvm::is_contained(generic.getOutputs(), alloca.getResult()));
  });
  if (!type.getRank() || !isWritten)
    return success();
  // Each thread keeps its own columns in registers if slices of the block split
  // the rows of a sum, or if the temporary sums up the rows of a group.
  bool outlivesRow = group && llvm::any_of(alloca->getUsers(), [&](auto *user) {
                       return !group->isProperAncestor(user);
                     });
  if (layout.slices > 1 || outlivesRow) {
    held[alloca] = {};
    return success();
  }
  map.map(alloca, allocateShared(type.getElementType(), type.getDimSize(0),
                                 /*isPerGroup=*/true));
  return success();
}

Value DeviceEmitter::allocateShared(Type element, int64_t length,
                                    bool isPerGroup) {
  OpBuilder::InsertionGuard guard(b);
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  int64_t bytes = length * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  bytes = llvm::alignTo(bytes, kAccessBytes);
  Value offset = index(sharedBytes);
  if (isPerGroup && team) {
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

void DeviceEmitter::waitForBlock() {
  if (layout.block() > kWarp) {
    gpu::BarrierOp::create(b);
    return;
  }
  Value all = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  NVVM::SyncWarpOp::create(b, all);
}

void DeviceEmitter::wait() {
  hasWaited = true;
  // With tiles, a barrier does not order the accesses of other blocks.
  if (layout.tiles == 1)
    hazards.clear();
  if (layout.threads * layout.slices == 1)
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
  if (buffer.getDefiningOp<memref::GetGlobalOp>())
    return success();
  if (Value result = sameMemory.lookup(buffer))
    buffer = result;
  if (!hazards.note(buffer, touch))
    return success();
  if (layout.tiles > 1)
    conflict = Conflict::NeedsUntiled;
  else if (layout.threads < kWarp ||
           (layout.threads > kWarp && layout.teams > 1))
    conflict = Conflict::NeedsWarps;
  if (conflict != Conflict::None)
    return failure();
  wait();
  hazards.note(buffer, touch);
  return success();
}
