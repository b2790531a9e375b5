//===- Operations.cpp - Operations of one rank ----------------------------===//

#include "interpreter/rt/ArenaMachine.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult ArenaMachine::checkWritten(int64_t rank, const Issued &issued,
                                         ByteRange range) {
  auto byte = ranks[rank].arena.findUnwritten(range);
  if (!byte)
    return success();
  return issued.emitError()
         << "reads byte " << *byte << " of the arena of rank " << rank
         << ", which nothing has written";
}

FailureOr<Tensor> ArenaMachine::load(int64_t rank, const Issued &issued,
                                     unsigned number, RankedTensorType type) {
  const MemoryOperand &place = issued.places[number];
  Tensor value(type);
  if (place.constant) {
    value.integer[0] = *place.constant;
    return value;
  }
  bool isWritten = true;
  int64_t bytes = rt::getElementBytes(place.type.getElementType());
  place.forEachRun([&](int64_t at, int64_t first, int64_t count) {
    isWritten = isWritten &&
                succeeded(checkWritten(rank, issued, {at, at + count * bytes}));
    if (isWritten)
      ranks[rank].arena.read(at, place.dtype(), count, value, first);
  });
  if (!isWritten)
    return failure();
  return value;
}

void ArenaMachine::store(Rank &rank, const MemoryOperand &place, Tensor value) {
  roundElements(value, kernels.isExact());
  place.forEachRun([&](int64_t at, int64_t first, int64_t count) {
    rank.arena.write(at, place.dtype(), count, value, first);
  });
}

LogicalResult ArenaMachine::copy(int64_t to, int64_t offset, int64_t from,
                                 const Issued &issued, ByteRange range) {
  if (failed(checkWritten(from, issued, range)))
    return failure();
  ranks[to].arena.copy(offset, ranks[from].arena, range);
  return success();
}

//===----------------------------------------------------------------------===//
// Operations of one rank
//===----------------------------------------------------------------------===//

LogicalResult ArenaMachine::launch(int64_t rank, const Issued &issued) {
  auto op = cast<rt::LaunchOp>(issued.op);
  auto kernel = module.lookupSymbol<func::FuncOp>(op.getKernel());
  if (!kernel)
    return issued.emitError()
           << "launches " << op.getKernelAttr() << ", which is not a kernel";
  SmallVector<Type> types(kernel.getArgumentTypes());
  llvm::append_range(types, kernel.getResultTypes());
  if (kernel.getNumArguments() != op.getIns().size() ||
      types.size() != issued.places.size())
    return issued.emitError()
           << "gives " << op.getKernelAttr() << " " << op.getIns().size()
           << " ins and " << op.getOuts().size() << " outs, it has "
           << kernel.getNumArguments() << " and " << kernel.getNumResults();
  for (auto [place, type] : llvm::zip_equal(issued.places, types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return issued.emitError() << "launches " << op.getKernelAttr()
                                << ", which is lowered: it takes " << type;
    if (tensor.getElementType() != place.type.getElementType() ||
        tensor.getNumElements() != place.type.getNumElements())
      return issued.emitError() << "gives " << op.getKernelAttr() << " a "
                                << place.type << " for a " << tensor;
  }
  for (auto [out, in] :
       llvm::enumerate(op.getInplace().value_or(ArrayRef<int64_t>()))) {
    auto allowed =
        kernel.getResultAttrOfType<IntegerAttr>(out, rt::kInplaceAttr);
    if (in >= 0 && (!allowed || allowed.getInt() != in))
      return issued.emitError()
             << "writes out " << out << " over in " << in << ", which "
             << op.getKernelAttr() << " does not allow";
  }
  ValueList operands;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    FailureOr<Tensor> value =
        load(rank, issued, i, cast<RankedTensorType>(types[i]));
    if (failed(value))
      return failure();
    operands.push_back(std::make_shared<Tensor>(std::move(*value)));
  }
  FailureOr<ValueList> results =
      kernels.runKernel(op.getKernel(), op, /*rank=*/0, operands);
  if (failed(results))
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    store(ranks[rank], issued.places[operands.size() + i], *result);
  return success();
}

LogicalResult ArenaMachine::fill(int64_t number, const Issued &issued) {
  Rank &rank = ranks[number];
  const MemoryOperand &place = issued.places[0];
  rank.arena.poison(place.range());
  if (issued.microbatch >= getProgram().microbatches)
    return success();
  StringRef name = cast<rt::FillOp>(issued.op).getAddress().getBuffer();
  rt::BufferOp buffer = findBuffer(rank, name);
  if (filler) {
    const pcc_input *input = getProgram().stages[rank.stage].inputs;
    rt::StageOp stage = record->getStages()[rank.stage];
    for (auto other : stage.getBlock()->getOps<rt::BufferOp>()) {
      if (other == buffer)
        break;
      input += other.getKind() == rt::BufferKind::Input;
    }
    filler(rank, *input, issued.microbatch, place.offset);
    rank.arena.setWritten(place.range());
    return success();
  }
  auto value = given.find({name.str(), issued.microbatch});
  if (value == given.end())
    return LogicalResult(issued.emitError()
                         << "fills @" << name
                         << ", but no value was given for it");
  std::vector<Tensor> parts = partsOf(value->second, record->layoutOf(buffer));
  store(rank, place, std::move(parts[number]));
  return success();
}

LogicalResult ArenaMachine::runLocally(int64_t rank, const Issued &issued) {
  ArrayRef<MemoryOperand> places = issued.places;
  return llvm::TypeSwitch<Operation *, LogicalResult>(issued.op)
      .Case([&](rt::WaitOp) { return success(); })
      .Case([&](rt::LaunchOp) { return launch(rank, issued); })
      .Case([&](rt::GemmOp) { return multiply(rank, issued); })
      .Case([&](rt::GroupedGemmOp) { return multiplyGroups(rank, issued); })
      .Case([&](rt::AttentionOp) { return attend(rank, issued); })
      .Case([&](rt::AttentionGradOp) { return attendBackward(rank, issued); })
      .Case([&](rt::CopyOp) -> LogicalResult {
        if (places[1].constant) {
          FailureOr<Tensor> value =
              load(rank, issued, 1, places[0].tensorType());
          if (succeeded(value))
            store(ranks[rank], places[0], std::move(*value));
          return value;
        }
        return copy(rank, places[0].offset, rank, issued, places[1].range());
      })
      .Case([&](rt::ZeroOp) {
        ranks[rank].arena.zero(places[0].range());
        return success();
      })
      .Case([&](rt::ReleaseOp) {
        ranks[rank].arena.poison(places[0].range());
        return success();
      })
      .Case([&](rt::FillOp) { return fill(rank, issued); })
      .Case([&](rt::ShardSliceOp slice) {
        SmallVector<int64_t> peers = peersOf(rank, slice.getAxes());
        int64_t bytes = rt::getSpanBytes(places[1].type);
        int64_t begin =
            places[0].offset + numberOf(rank, slice.getAxes()) * bytes;
        if (begin + bytes > places[0].range().end)
          return LogicalResult(issued.emitError() << "has no block for each of "
                                                  << peers.size() << " ranks");
        return copy(rank, places[1].offset, rank, issued,
                    {begin, begin + bytes});
      })
      .Default([&](Operation *) {
        return LogicalResult(issued.emitError() << "cannot be interpreted");
      });
}
