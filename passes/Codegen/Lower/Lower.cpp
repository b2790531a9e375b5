//===- Lower.cpp - Lowering of tasks and schedules to stages --------------===//

#include "analysis/Buckets.h"
#include "analysis/IdBound.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Roles.h"
#include "dialects/Pipe/Transfers.h"
#include "dialects/RT/Persistence.h"
#include "passes/Codegen/Lower/LowerSchedule.h"
#include "passes/Codegen/Lower/LowerTask.h"
#include "passes/Codegen/Lower/MergeReductions.h"
#include "passes/Codegen/Lower/Plan.h"
#include "passes/Codegen/Lower/Streams.h"
#include "passes/Codegen/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace pcc {
#define GEN_PASS_DEF_RTLOWERPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// The global type of a param, state or input, which partition made local.
RankedTensorType globalType(Operation *op, RankedTensorType local) {
  auto type = op->getAttrOfType<TypeAttr>(dist::kGlobalAttr);
  return type ? cast<RankedTensorType>(type.getValue()) : local;
}

rt::LayoutAttr layoutOf(Operation *op, RankedTensorType local) {
  RankedTensorType global = globalType(op, local);
  MLIRContext *context = op->getContext();
  SmallVector<Attribute> axes(global.getRank(), ArrayAttr::get(context, {}));
  if (auto sharding =
          op->getAttrOfType<dist::ShardingAttr>(dist::kShardingAttr))
    for (auto [dim, names] : llvm::zip(sharding.getDims(), axes)) {
      SmallVector<Attribute> list(dim.getAxes().begin(), dim.getAxes().end());
      names = ArrayAttr::get(context, list);
    }
  return rt::LayoutAttr::get(context,
                             DenseI64ArrayAttr::get(context, global.getShape()),
                             ArrayAttr::get(context, axes));
}

/// The logical extents of a parameter: without padding.
ArrayRef<int64_t> logicalShape(nn::ParamOp param) {
  if (param.getSource())
    return param.getSource().getValid();
  return globalType(param, param.getTensorType()).getShape();
}

int64_t elements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

class ProgramLowering {
public:
  ProgramLowering(ModuleOp module, bool overlap)
      : module(module), overlap(overlap), symbols(module), buckets(module),
        kernels(module), builder(module.getContext()) {}

  LogicalResult run() {
    if (failed(lowerProgram()))
      return failure();
    int64_t stages = 0;
    for (auto task : module.getOps<pipe::TaskOp>())
      stages = std::max<int64_t>(stages, task.getStage() + 1);
    for (int64_t stage = 0; stage < stages; ++stage)
      if (failed(lowerStage(stage)))
        return failure();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<pipe::BodyOp, pipe::TaskOp, pipe::ScheduleOp, pipe::InputOp,
              pipe::OutputOp, pipe::ValueOp, nn::ParamOp, nn::StateOp,
              dist::MeshOp>(op))
        op.erase();
    return success();
  }

private:
  LogicalResult lowerProgram();
  LogicalResult lowerStage(int64_t index);
  void addState(Operation *op);
  rt::BufferOp addBuffer(Operation *op, StringAttr name, RankedTensorType type,
                         rt::BufferKind kind, int64_t slots);

  ModuleOp module;
  bool overlap;
  SymbolTable symbols;
  nn::Buckets buckets;
  SingleOpKernels kernels;
  OpBuilder builder;
  rt::StageOp stage;
  /// States that a task of a microbatch overwrites instead of accumulating into
  /// them.
  llvm::StringSet<> begun;
  int64_t microbatches = 1;
};

LogicalResult ProgramLowering::lowerProgram() {
  SmallVector<Attribute> comms;
  dist::MeshOp mesh = dist::findMesh(module);
  auto axes = mesh ? mesh.getAxes()
                   : dist::MeshAxesAttr::get(module.getContext(), {}, {}, {});
  module.walk([&](Operation *op) {
    if (isa<dist::AllReduceOp, dist::AllGatherOp, dist::ReduceScatterOp,
            dist::AllToAllOp, dist::ShardSliceOp, dist::OffsetOp>(op)) {
      Attribute comm = op->getAttr("axes");
      if (!llvm::is_contained(comms, comm))
        comms.push_back(comm);
    }
  });
  int64_t parameters = 0, seq = 0, microBatch = 1;
  int64_t dataParallel = axes.batchExtent();
  for (auto param : module.getOps<nn::ParamOp>())
    parameters += elements(logicalShape(param));
  for (auto input : module.getOps<pipe::InputOp>()) {
    if (!input.isPerMicrobatch())
      continue;
    auto shape = globalType(input, input.getTensorType()).getShape();
    auto dims = nn::dimsOf(input.getRole(), shape.size(),
                           input->getAttr(nn::kDimsAttr));
    if (dims.batch)
      microBatch = shape[*dims.batch] / dataParallel;
    if (input.getRole() == nn::InputRole::Tokens && dims.sequence)
      seq = shape[*dims.sequence];
  }
  auto schedules = module.getOps<pipe::ScheduleOp>();
  microbatches = (*schedules.begin()).getMicrobatches();
  for (auto schedule : schedules)
    if (int64_t(schedule.getMicrobatches()) != microbatches)
      return schedule.emitOpError()
             << "has " << schedule.getMicrobatches()
             << " microbatches, another schedule " << microbatches;

  builder.setInsertionPointToEnd(module.getBody());
  rt::ProgramOp::create(
      builder, module.getLoc(), axes, builder.getArrayAttr(comms),
      /*beside=*/ArrayAttr(), microbatches, microBatch, seq, parameters,
      llvm::APFloat(0.0), /*model=*/StringAttr(), /*source=*/StringAttr(),
      /*summary=*/StringAttr(), /*offload_dir=*/StringAttr());
  return success();
}

rt::BufferOp ProgramLowering::addBuffer(Operation *op, StringAttr name,
                                        RankedTensorType type,
                                        rt::BufferKind kind, int64_t slots) {
  auto [bucket, element] = buckets.placeOf(name);
  FlatSymbolRefAttr row;
  if (bucket)
    row = FlatSymbolRefAttr::get(bucket.getSymNameAttr());
  else if (kind == rt::BufferKind::Part)
    row = cast<nn::StateOp>(op).getOfAttr();
  auto buffer = rt::BufferOp::create(builder, op->getLoc(), name.getValue(),
                                     bufferType(type), kind, slots);
  if (rt::hasLayout(kind))
    buffer.setLayoutAttr(layoutOf(op, type));
  buffer.setBucketAttr(row);
  if (bucket)
    buffer.setElement(element);
  return buffer;
}

void ProgramLowering::addState(Operation *op) {
  if (auto param = dyn_cast<nn::ParamOp>(op)) {
    rt::BufferOp buffer =
        addBuffer(op, param.getSymNameAttr(), param.getTensorType(),
                  rt::BufferKind::Param, 1);
    buffer.setRecordAttr(param.getRecord());
    return;
  }
  auto state = cast<nn::StateOp>(op);
  rt::BufferKind kind = rt::BufferKind::State;
  // A gradient without a first writer is an accumulator like any sum.
  if (state.getKind() == nn::StateKind::Gradient)
    kind = begun.contains(state.getSymName()) ? rt::BufferKind::Gradient
                                              : rt::BufferKind::Sum;
  else if (state.getKind() == nn::StateKind::Sum)
    kind = rt::BufferKind::Sum;
  else if (state.getKind() == nn::StateKind::Copy)
    kind = rt::BufferKind::Copy;
  else if (state.getKind() == nn::StateKind::Bucket)
    kind = rt::BufferKind::Bucket;
  else if (state.getKind() == nn::StateKind::Part)
    kind = rt::BufferKind::Part;
  else if (state.getKind() == nn::StateKind::Number)
    kind = rt::BufferKind::Number;
  rt::BufferOp buffer =
      addBuffer(op, state.getSymNameAttr(), state.getTensorType(), kind, 1);
  buffer.setFirstAttr(state.getFirstAttr());
  FlatSymbolRefAttr of = state.getOfAttr();
  if (!of || kind == rt::BufferKind::Part)
    return;
  buffer.setOfAttr(of);
  // A state is stored in checkpoints in the layout of its parameter in the
  // source.
  if (auto param = symbols.lookup<nn::ParamOp>(of.getValue()))
    buffer.setRecordAttr(param.getRecord().ofState());
}

LogicalResult ProgramLowering::lowerStage(int64_t index) {
  builder.setInsertionPointToEnd(module.getBody());
  stage = rt::StageOp::create(builder, module.getLoc(), index, IntegerAttr(),
                              IntegerAttr());
  builder.createBlock(&stage.getBody());

  // The stage has buffers for the symbols that its tasks use, in the module's
  // order.
  llvm::StringSet<> used, called;
  begun.clear();
  auto noteCall = [&](pipe::TaskOp task, StringRef name) {
    auto body = symbols.lookup<pipe::BodyOp>(name);
    if (!body.isRename())
      called.insert(name);
    for (unsigned i = 0; i < task.getSources().size(); ++i)
      if (task.isPerMicrobatch() && body.overwrites(i))
        begun.insert(task.getSource(i));
  };
  for (auto task : module.getOps<pipe::TaskOp>()) {
    if (int64_t(task.getStage()) != index)
      continue;
    noteCall(task, task.getBody());
    if (task.getFirst())
      noteCall(task, *task.getFirst());
    for (ArrayAttr bindings : {task.getSources(), task.getTargets()})
      for (Attribute binding : bindings)
        if (auto symbol = dyn_cast<FlatSymbolRefAttr>(binding))
          used.insert(symbol.getValue());
  }
  // No task of this stage uses a value that it only forwards between two other
  // stages.
  for (auto schedule : module.getOps<pipe::ScheduleOp>()) {
    if (int64_t(schedule.getStage()) == index)
      schedule.walk([&](Operation *op) {
        for (const pipe::Half &half : pipe::halvesOf(op))
          used.insert(half.value);
      });
  }
  // A bucket is used if and only if its members are; a shard requires its
  // bucket.
  for (auto part : module.getOps<nn::StateOp>())
    if (part.getKind() == nn::StateKind::Part &&
        used.contains(part.getSymName()))
      used.insert(nn::rowOf(part));
  for (auto state : module.getOps<nn::StateOp>()) {
    if (!nn::isBucket(state))
      continue;
    SmallVector<StringRef> held = nn::heldBy(state);
    if (used.contains(state.getSymName()) ||
        llvm::any_of(held, [&](StringRef name) { return used.contains(name); }))
      used.insert(state.getSymName());
    if (used.contains(state.getSymName()))
      used.insert(held.begin(), held.end());
  }
  // A working copy is initialized from its parameter, which is saved, and which
  // nothing else uses if it is frozen.
  for (auto state : module.getOps<nn::StateOp>())
    if (state.getKind() == nn::StateKind::Copy &&
        used.contains(state.getSymName()))
      used.insert(*state.getOf());
  Schedules schedules(module, index, overlap);
  for (Operation &op : *module.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol || !used.contains(symbol.getName()))
      continue;
    StringAttr name = symbol.getNameAttr();
    if (isa<nn::ParamOp, nn::StateOp>(op)) {
      addState(&op);
    } else if (auto input = dyn_cast<pipe::InputOp>(op)) {
      int64_t turns = schedules.getRefillSlots(input.getSymName());
      rt::BufferOp buffer =
          addBuffer(&op, name, input.getTensorType(), rt::BufferKind::Input,
                    turns                     ? turns
                    : input.isPerMicrobatch() ? microbatches
                                              : 1);
      buffer.setRefilled(turns != 0);
      buffer->setAttr("role", builder.getStringAttr(
                                  nn::stringifyInputRole(input.getRole())));
      buffer->setAttr("name", input.getNameAttr());
      for (StringRef attrName : {nn::kIdsAttr, nn::kDimsAttr, nn::kOrderAttr})
        if (Attribute attr = input->getAttr(attrName))
          buffer->setAttr(attrName, attr);
    } else if (auto output = dyn_cast<pipe::OutputOp>(op)) {
      addBuffer(&op, name, output.getTensorType(), rt::BufferKind::Output, 1)
          ->setAttr("name", output.getNameAttr());
    } else if (auto value = dyn_cast<pipe::ValueOp>(op)) {
      if (int64_t slots = schedules.getSlots(symbol.getName()))
        addBuffer(&op, name, value.getTensorType(), rt::BufferKind::Value,
                  slots);
    }
  }
  // Bodies precede the entry points that call them.
  for (auto body : module.getOps<pipe::BodyOp>())
    if (called.contains(body.getSymName()) &&
        failed(lowerBody(body, stage, kernels)))
      return failure();
  schedules.lower(stage);
  return success();
}

struct RTLowerPass : pcc::impl::RTLowerPassBase<RTLowerPass> {
  using RTLowerPassBase::RTLowerPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module.getOps<pipe::ScheduleOp>().empty()) {
      module.emitError("has no schedule to lower");
      return signalPassFailure();
    }
    if (failed(ProgramLowering(module, overlap).run()))
      return signalPassFailure();
    // The functions of GEMMs with epilogues have been lowered to library calls.
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function->hasAttr(rt::kEpilogueAttr))
        function.erase();
    auto program = *module.getOps<rt::ProgramOp>().begin();
    std::set<TransferChannel> exchanged = findExchanged(module);
    for (auto stage : module.getOps<rt::StageOp>()) {
      if (overlap)
        assignStreams(stage, exchanged);
      if (failed(orderStreams(stage)))
        return signalPassFailure();
      planArena(stage, offload);
      mergeReductions(stage, program.getAxes());
    }
    addCommunicators(program);
  }
};

} // namespace
