//===- ProgramRecord.cpp - Runtime description of an rt module ------------===//

#include "interpreter/rt/ProgramRecord.h"
#include "analysis/ElementTypes.h"
#include "analysis/IdBound.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Roles.h"
#include "dialects/RT/Persistence.h"
#include "runtime/data/Inputs.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::interp;

static LogicalResult unsupported(rt::BufferOp buffer, Type element) {
  return buffer.emitOpError() << "has elements of type " << element
                              << ", which the runtime does not know";
}

/// Returns the bucket of a buffer, or null.
static rt::BufferOp findRow(rt::BufferOp buffer) {
  if (!buffer.getBucket())
    return {};
  return SymbolTable::lookupNearestSymbolFrom<rt::BufferOp>(
      buffer, buffer.getBucketAttr());
}

LogicalResult ProgramRecord::addAxes() {
  dist::MeshAxesAttr all = op.getAxes();
  for (auto [name, size, role] :
       llvm::zip_equal(all.getNames(), all.getSizes(), all.getRoles()))
    axes.push_back(
        {records.keep(name.getValue()), size, static_cast<int32_t>(role)});
  program.n_axes = static_cast<int32_t>(axes.size());
  program.axes = axes.data();
  return success();
}

LogicalResult ProgramRecord::addLayout(rt::BufferOp buffer) {
  pcc_layout layout = {};
  MemRefType type = buffer.getMemRefType();
  layout.rank = static_cast<int32_t>(type.getRank());
  std::vector<int32_t> &begin = axisLists.emplace_back(layout.rank + 1),
                       &list = axisLists.emplace_back();
  if (rt::LayoutAttr attr = buffer.getLayoutAttr()) {
    if (attr.getShape().size() != type.getRank())
      return buffer.emitOpError()
             << "has a layout of " << attr.getShape().size() << " dims for "
             << type;
    layout.shape = records.keep(attr.getShape().asArrayRef());
    for (auto [dim, names] : llvm::enumerate(attr.getAxes())) {
      int64_t parts = 1;
      for (auto name : cast<ArrayAttr>(names).getAsRange<StringAttr>()) {
        std::optional<unsigned> axis = op.getAxes().find(name);
        if (!axis)
          return buffer.emitOpError() << "is sharded over " << name
                                      << ", which is no axis of the mesh";
        list.push_back(static_cast<int32_t>(*axis));
        parts *= op.getAxes().getSizes()[*axis];
      }
      begin[dim + 1] = static_cast<int32_t>(list.size());
      if (layout.shape[dim] != parts * type.getDimSize(dim))
        return buffer.emitOpError()
               << "holds " << type.getDimSize(dim) << " of "
               << layout.shape[dim] << " entries of dim " << dim
               << ", but is sharded over " << parts << " ranks";
    }
  } else {
    layout.shape = records.keep(type.getShape());
  }
  layout.axis_begin = begin.data();
  layout.axes = list.data();
  layouts[buffer] = layout;
  return success();
}

FailureOr<pcc_tensor> ProgramRecord::tensorOf(rt::BufferOp buffer) {
  FailureOr<pcc_tensor> tensor = records.encode(
      buffer.getSymName(), buffer.getMemRefType(), buffer.getRecordAttr(),
      [&](Type element) { return unsupported(buffer, element); });
  if (failed(tensor))
    return failure();
  if (buffer.getOf())
    tensor->of = records.keep(*buffer.getOf());
  tensor->kind = buffer.getKind() == rt::BufferKind::Param    ? PCC_PARAM
                 : buffer.getKind() == rt::BufferKind::State  ? PCC_STATE
                 : buffer.getKind() == rt::BufferKind::Copy   ? PCC_COPY
                 : buffer.getKind() == rt::BufferKind::Number ? PCC_NUMBER
                                                              : PCC_SCRATCH;
  tensor->layout = layouts[buffer];
  tensor->arena_offset = buffer.getOffset().value_or(0);
  if (auto row = buckets.find(findRow(buffer)); row != buckets.end()) {
    tensor->bucket = &row->second;
    tensor->bucket_offset = *buffer.getElement();
    if (tensor->bucket_offset + buffer.getMemRefType().getNumElements() >
        tensor->bucket->elements)
      return LogicalResult(buffer.emitOpError("reaches beyond its bucket"));
  }
  return tensor;
}

/// Adds a bucket if it is sharded. Its layout has the axes or, if the bucket
/// has memory for all shards, the layout of its `part`. Layouts are already
/// checked.
void ProgramRecord::addBucket(rt::BufferOp row, rt::BufferOp part) {
  const pcc_layout &layout = layouts[part ? part : row];
  if (layout.axis_begin[1] == layout.axis_begin[2])
    return;
  pcc_bucket bucket = {};
  bucket.elements = layout.shape[1];
  bucket.n_axes = layout.axis_begin[2] - layout.axis_begin[1];
  bucket.axes = layout.axes + layout.axis_begin[1];
  bucket.whole = part ? 1 : 0;
  bucket.arena_offset = *row.getOffset();
  buckets[row] = bucket;
}

StoredRange ProgramRecord::runOf(rt::BufferOp buffer,
                                 const Coordinates &coordinates) const {
  auto part = parts.find(buffer);
  if (part != parts.end())
    return storedRange(program, part->second, coordinates);
  return {{0, buffer.getMemRefType().getNumElements()},
          int64_t(*buffer.getOffset())};
}

FailureOr<pcc_input> ProgramRecord::inputOf(rt::BufferOp buffer) {
  pcc_input input = {};
  auto textOf = [&](StringRef name) {
    auto text = buffer->getAttrOfType<StringAttr>(name);
    return text ? text.getValue() : StringRef();
  };
  StringRef roleName = textOf("role");
  input.role = records.keep(roleName);
  input.name = records.keep(textOf("name"));
  Type element = buffer.getMemRefType().getElementType();
  input.dtype = dtypeOf(element);
  if (input.dtype < 0)
    return unsupported(buffer, element);
  input.layout = layouts[buffer];
  input.arena_offset = *buffer.getOffset();
  input.slot_bytes = buffer.getSlots() > 1 ? buffer.getSlotBytes() : 0;
  auto ids = nn::IdBound::from(buffer->getAttr(nn::kIdsAttr));
  input.of_loss = ids && ids->isOfLoss;
  input.vocab = ids ? ids->below : 0;
  input.looked_up_by = records.keep(ids ? ids->node : "");
  nn::InputDims dims;
  if (auto role = nn::symbolizeInputRole(roleName))
    dims = nn::dimsOf(*role, buffer.getMemRefType().getRank(),
                      buffer->getAttr(nn::kDimsAttr));
  auto number = [](std::optional<unsigned> dim) {
    return dim ? static_cast<int32_t>(*dim) : -1;
  };
  input.batch_dim = number(dims.batch);
  input.sequence_dim = number(dims.sequence);
  input.refilled = buffer.getRefilled();
  std::tie(input.order_ranks, input.order_dims) =
      encodeOrder(buffer->getAttrOfType<nn::HeadTailAttr>(nn::kOrderAttr));
  return input;
}

LogicalResult ProgramRecord::addStage(rt::StageOp stage) {
  if (!stage.getArena())
    return stage.emitOpError("has no arena; run --rt-plan");
  std::vector<pcc_tensor> &held = tensors.emplace_back();
  std::vector<pcc_input> &filled = inputs.emplace_back();
  // Buckets come first, since the addresses of their members follow from them.
  SmallVector<rt::BufferOp> all;
  llvm::DenseMap<Operation *, rt::BufferOp> rowParts = rt::findShards(stage);
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    if (buffer.getKind() == rt::BufferKind::Part && failed(addLayout(buffer)))
      return failure();
  for (bool isRow : {true, false})
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
      if ((buffer.getKind() == rt::BufferKind::Bucket) == isRow &&
          buffer.getKind() != rt::BufferKind::Part)
        all.push_back(buffer);
  for (rt::BufferOp buffer : all) {
    if (failed(addLayout(buffer)))
      return failure();
    if (auto row = buckets.find(findRow(buffer)); row != buckets.end()) {
      if (buffer.getOffset().has_value() != (row->second.whole == 1))
        return buffer.emitOpError(
            row->second.whole ? "has no offset; run --rt-plan"
                              : "has an offset, but its bucket is sharded");
      FailureOr<pcc_tensor> tensor = tensorOf(buffer);
      if (failed(tensor))
        return failure();
      held.push_back(*tensor);
      parts[buffer] = *tensor;
      continue;
    }
    if (!buffer.getOffset())
      return buffer.emitOpError("has no offset; run --rt-plan");
    int64_t begin = *buffer.getOffset(), end = buffer.getEnd();
    int64_t arena = *stage.getArena();
    if (begin < 0 || end > arena)
      return buffer.emitOpError() << "has the bytes [" << begin << ", " << end
                                  << ") of an arena of " << arena;
    if (begin % rt::kAlignment)
      return buffer.emitOpError()
             << "is at offset " << begin << ", which is not a multiple of "
             << rt::kAlignment;
    if (buffer.getKind() == rt::BufferKind::Bucket) {
      addBucket(buffer, rowParts.lookup(buffer));
    } else if (rt::isTensor(buffer.getKind())) {
      FailureOr<pcc_tensor> tensor = tensorOf(buffer);
      if (failed(tensor))
        return failure();
      held.push_back(*tensor);
    } else if (buffer.getKind() == rt::BufferKind::Input) {
      FailureOr<pcc_input> input = inputOf(buffer);
      if (failed(input))
        return failure();
      filled.push_back(*input);
    }
  }
  pcc_stage &record = stageRecords.emplace_back();
  record.arena_bytes = *stage.getArena();
  record.n_tensors = static_cast<int32_t>(held.size());
  record.tensors = held.data();
  record.n_inputs = static_cast<int32_t>(filled.size());
  record.inputs = filled.data();
  return success();
}

FailureOr<std::unique_ptr<ProgramRecord>>
ProgramRecord::create(ModuleOp module) {
  auto programs = module.getOps<rt::ProgramOp>();
  if (programs.empty())
    return LogicalResult(module.emitError("has no rt.program"));
  std::unique_ptr<ProgramRecord> self(new ProgramRecord(*programs.begin()));
  pcc_program &program = self->program;
  program.abi_version = PCC_ABI_VERSION;
  program.model = "interpreted";
  if (failed(self->addAxes()))
    return failure();
  self->stages = llvm::to_vector(module.getOps<rt::StageOp>());
  llvm::sort(self->stages, [](rt::StageOp a, rt::StageOp b) {
    return a.getIndex() < b.getIndex();
  });
  int axis = stageAxis(program);
  int64_t expected = axis < 0 ? 1 : self->axes[axis].size;
  for (auto [number, stage] : llvm::enumerate(self->stages)) {
    if (stage.getIndex() != number)
      return LogicalResult(stage.emitOpError()
                           << "is not stage " << number
                           << ", which is missing or duplicated");
    if (failed(self->addStage(stage)))
      return failure();
  }
  if (static_cast<int64_t>(self->stages.size()) != expected)
    return LogicalResult(module.emitError()
                         << "has programs of " << self->stages.size()
                         << " stages, the mesh has " << expected);
  program.n_stages = static_cast<int32_t>(self->stageRecords.size());
  program.stages = self->stageRecords.data();
  program.seq = self->op.getSeq();
  program.micro_batch = self->op.getMicroBatch();
  program.microbatches = self->op.getMicrobatches();
  program.data_parallel = self->op.getAxes().batchExtent();
  program.parameters = self->op.getParameters();
  program.flops_per_step = self->op.getFlopsPerStep().convertToDouble();
  for (const pcc_stage &stage : self->stageRecords)
    checkInputs(stage);
  return self;
}
