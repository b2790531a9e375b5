//===- ArenaMachine.cpp - Execution of rt programs ------------------------===//

#include "interpreter/rt/ArenaMachine.h"
#include "analysis/ElementTypes.h"
#include "analysis/IdBound.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Names.h"
#include "dialects/RT/Persistence.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

/// The average number of operations after which the order of streams changes.
static constexpr uint64_t kMovesPerOrder = 64;

/// The bytes of all slots of a buffer that is not a bucket's shard.
static ByteRange rangeOf(rt::BufferOp buffer) {
  int64_t begin = *buffer.getOffset();
  return {begin, begin + buffer.getTotalBytes()};
}

/// The contents of a slot of a buffer.
static MemoryOperand placeOf(rt::BufferOp buffer, int64_t slot = 0) {
  return {buffer.getMemRefType(), buffer.getSlotOffset(slot)};
}

static RankedTensorType typeOf(const pcc_layout &layout, Type element) {
  return RankedTensorType::get(ArrayRef(layout.shape, layout.rank), element);
}

static auto buffersOf(rt::StageOp stage) {
  return stage.getBlock()->getOps<rt::BufferOp>();
}

ArenaMachine::ArenaMachine(ModuleOp module, bool exact, StreamOptions options)
    : module(module), kernels(module, exact), options(options),
      random(options.seed) {}

FailureOr<std::unique_ptr<ArenaMachine>>
ArenaMachine::create(ModuleOp module, bool exact, StreamOptions options) {
  std::unique_ptr<ArenaMachine> self(new ArenaMachine(module, exact, options));
  auto record = ProgramRecord::create(module);
  if (failed(record))
    return failure();
  self->record = std::move(*record);
  if (failed(self->start()))
    return failure();
  return self;
}

ByteRange ArenaMachine::rangeOf(int64_t rank, rt::BufferOp buffer) {
  ByteRange range = ::rangeOf(buffer);
  if (buffer.getKind() != rt::BufferKind::Part)
    return range;
  int64_t before = numberOf(rank, buffer.getShardAxes()) * buffer.getBytes();
  return {range.begin + before, range.begin + before + buffer.getBytes()};
}

LogicalResult ArenaMachine::start() {
  for (rt::StageOp stage : record->getStages()) {
    rt::PersistentBuffers persistent(stage);
    for (rt::BufferOp buffer : buffersOf(stage))
      if (persistent.contains(buffer))
        kept.insert(buffer);
    issuers.emplace_back(stage, record->getOp(), options.reportsRaces);
    for (rt::BufferOp buffer : buffersOf(stage)) {
      StringRef name = buffer.getSymName();
      RankedTensorType type = typeOf(record->layoutOf(buffer),
                                     buffer.getMemRefType().getElementType());
      bool isParam = buffer.getKind() == rt::BufferKind::Param;
      if (isParam || buffer.getKind() == rt::BufferKind::State ||
          buffer.getKind() == rt::BufferKind::Number) {
        nn::RecordAttr record = buffer.getRecordAttr();
        auto init = record ? record.getInit() : std::nullopt;
        auto [known, isNew] = symbols.try_emplace(
            name, Symbol{buffer, type, init.value_or(nn::Init::Zero), isParam});
        if (!isNew && known->second.type != type)
          return buffer.emitOpError()
                 << "has the global type " << type << ", but in "
                 << "another stage " << known->second.type;
      } else if (buffer.getKind() == rt::BufferKind::Input) {
        bool isKnown = llvm::any_of(
            inputs, [&](const Input &input) { return input.symbol == name; });
        if (isKnown)
          continue;
        auto role = buffer->getAttrOfType<StringAttr>("role");
        auto given = buffer->getAttrOfType<StringAttr>("name");
        Input &input = inputs.emplace_back(
            Input{{std::nullopt, given ? given.str() : name.str(), type,
                   buffer.getSlots() > 1},
                  name.str(),
                  buffer.getRefilled() ? getProgram().microbatches
                                       : int64_t(buffer.getSlots())});
        InputInfo &info = input.info;
        info.role = nn::symbolizeInputRole(role ? role.getValue() : "");
        if (info.role) {
          info.dims = nn::dimsOf(*info.role, type.getRank(),
                                 buffer->getAttr(nn::kDimsAttr));
          info.isPerMicrobatch |= nn::hasBatchDim(*info.role);
        }
        info.order = buffer->getAttrOfType<nn::HeadTailAttr>(nn::kOrderAttr);
        if (auto ids = nn::IdBound::from(buffer->getAttr(nn::kIdsAttr))) {
          info.vocab = ids->below;
          info.lookedUpBy = ids->node.str();
          info.isOfLoss = ids->isOfLoss;
        }
      }
    }
  }
  for (int64_t rank = 0; rank < worldSize(getProgram()); ++rank) {
    Coordinates coordinates = coordinatesOf(getProgram(), rank);
    int64_t number = stageOf(getProgram(), coordinates);
    rt::StageOp stage = record->getStages()[number];
    ranks.push_back({coordinates,
                     number,
                     Arena(int64_t(*stage.getArena()), kernels.isExact()),
                     {},
                     {}});
    // As at the start of a compiled program, except that memory without an
    // initial value counts as unwritten.
    for (rt::BufferOp buffer : buffersOf(stage)) {
      if (ownsKept(buffer) && buffer.getKind() != rt::BufferKind::Param)
        ranks.back().arena.zero(rangeOf(rank, buffer));
      if (buffer.getFirst())
        setNumber(ranks.back(), buffer, buffer.getFirst()->convertToDouble());
    }
    for (rt::BufferOp buffer : buffersOf(stage))
      if (buffer.getKind() == rt::BufferKind::Param && buffer.getBucket())
        ranks.back().arena.poison(elementsOf(buffer, coordinates));
  }
  return success();
}

ByteRange ArenaMachine::elementsOf(rt::BufferOp buffer,
                                   const Coordinates &coordinates) {
  StoredRange run = record->runOf(buffer, coordinates);
  int64_t width = rt::getElementBytes(buffer.getMemRefType().getElementType());
  return {run.offset, run.offset + run.elements.size() * width};
}

void ArenaMachine::beginEntry() {
  for (auto [number, rank] : llvm::enumerate(ranks)) {
    std::vector<ByteRange> held;
    for (rt::BufferOp buffer : buffersOf(record->getStages()[rank.stage]))
      if (ownsKept(buffer))
        held.push_back(rangeOf(int64_t(number), buffer));
    // Operations that are still pending may read their operands.
    Issuer &issuer = issuers[rank.stage];
    for (int64_t stream = 0; stream < issuer.numStreams(); ++stream)
      for (int64_t i = rank.doneOf(stream); i < issuer.count(stream); ++i)
        for (const MemoryOperand &place : issuer.get(stream, i).places)
          if (!place.constant)
            held.push_back(place.range());
    llvm::sort(held,
               [](ByteRange a, ByteRange b) { return a.begin < b.begin; });
    held.push_back({rank.arena.size(), rank.arena.size()});
    int64_t end = 0;
    for (ByteRange range : held) {
      if (range.begin > end)
        rank.arena.poison({end, range.begin});
      end = std::max(end, range.end);
    }
  }
  isFresh = true;
}

std::vector<Tensor> ArenaMachine::partsOf(const Tensor &global,
                                          const pcc_layout &layout) {
  std::vector<Tensor> parts;
  SmallVector<int64_t> strides = rowMajorStrides(global.shape());
  for (Rank &rank : ranks) {
    Shard shard = shardOf(getProgram(), layout, rank.coordinates);
    Tensor part(
        RankedTensorType::get(shard.extent, global.type.getElementType()));
    int64_t base = 0;
    for (size_t d = 0; d < strides.size(); ++d)
      base += shard.start[d] * strides[d];
    readStrided(global, base, strides, part);
    parts.push_back(std::move(part));
  }
  return parts;
}

rt::BufferOp ArenaMachine::findBuffer(const Rank &rank, StringRef name) {
  return dyn_cast_or_null<rt::BufferOp>(
      SymbolTable::lookupSymbolIn(record->getStages()[rank.stage], name));
}

void ArenaMachine::writeSymbol(StringRef name, const Tensor &global) {
  const Symbol &symbol = symbols.find(name)->second;
  std::vector<Tensor> parts = partsOf(global, record->layoutOf(symbol.buffer));
  for (auto [rank, part] : llvm::zip_equal(ranks, parts))
    if (rt::BufferOp buffer = findBuffer(rank, name)) {
      if (record->isSharded(buffer)) {
        StoredRange run = record->runOf(buffer, rank.coordinates);
        roundElements(part, kernels.isExact());
        rank.arena.write(
            run.offset,
            analysis::dtypeOf(buffer.getMemRefType().getElementType()),
            run.elements.size(), part, run.elements.begin);
        continue;
      }
      store(rank, placeOf(buffer), std::move(part));
      if (symbol.isParam)
        roundCopy(rank, buffer);
    }
}

void ArenaMachine::setNumber(Rank &rank, rt::BufferOp buffer, double value) {
  MemRefType type = buffer.getMemRefType();
  Tensor number(RankedTensorType::get({}, type.getElementType()));
  number.set(0, value);
  store(rank, placeOf(buffer), std::move(number));
}

void ArenaMachine::writeNumber(StringRef name, double value) {
  for (Rank &rank : ranks)
    if (rt::BufferOp buffer = findBuffer(rank, name))
      setNumber(rank, buffer, value);
}

void ArenaMachine::roundCopy(Rank &rank, rt::BufferOp parameter) {
  for (rt::BufferOp buffer : buffersOf(record->getStages()[rank.stage])) {
    if (buffer.getKind() != rt::BufferKind::Copy ||
        buffer.getOf() != parameter.getSymName() || !kept.contains(buffer))
      continue;
    MemRefType type = parameter.getMemRefType();
    Tensor value(RankedTensorType::get(type.getShape(), type.getElementType()));
    rank.arena.read(*parameter.getOffset(),
                    analysis::dtypeOf(type.getElementType()), value.size(),
                    value, 0);
    store(rank, placeOf(buffer), std::move(value));
  }
}

void ArenaMachine::writeInput(const Input &input, int64_t microbatch,
                              const Tensor &global) {
  if (!isFresh)
    beginEntry();
  for (Rank &rank : ranks)
    if (rt::BufferOp buffer = findBuffer(rank, input.symbol)) {
      if (buffer.getRefilled()) {
        given.insert_or_assign({input.symbol, microbatch}, global);
        continue;
      }
      std::vector<Tensor> parts = partsOf(global, record->layoutOf(buffer));
      store(rank, placeOf(buffer, microbatch),
            std::move(parts[&rank - ranks.data()]));
    }
}

/// Whether two elements differ; NaNs are equal.
static bool differ(double x, double y) { return x != y && (x == x || y == y); }

FailureOr<TensorRef> ArenaMachine::assemble(StringRef name,
                                            ArrayRef<int64_t> holders) {
  rt::BufferOp first = findBuffer(ranks[holders.front()], name);
  Type element = first.getMemRefType().getElementType();
  const pcc_layout &layout = record->layoutOf(first);
  Tensor global(typeOf(layout, element));
  SmallVector<int64_t> strides = rowMajorStrides(global.shape());
  // A shard, and the rank that each of its elements comes from.
  struct Part {
    Tensor elements;
    std::vector<int64_t> from;
  };
  std::map<int64_t, Part> seen; // by first element
  for (int64_t number : holders) {
    Rank &rank = ranks[number];
    rt::BufferOp buffer = findBuffer(rank, name);
    StoredRange run = record->runOf(buffer, rank.coordinates);
    int64_t bytes = run.elements.size() * rt::getElementBytes(element);
    if (auto byte = rank.arena.findUnwritten({run.offset, run.offset + bytes}))
      return LogicalResult(buffer.emitOpError()
                           << "has a byte on rank " << number
                           << " that nothing has written: " << *byte);
    Tensor part(
        RankedTensorType::get(buffer.getMemRefType().getShape(), element));
    rank.arena.read(run.offset, analysis::dtypeOf(element), run.elements.size(),
                    part, run.elements.begin);
    Shard shard = shardOf(getProgram(), layout, rank.coordinates);
    int64_t base = 0;
    for (size_t d = 0; d < strides.size(); ++d)
      base += shard.start[d] * strides[d];
    auto [known, isNew] = seen.try_emplace(
        base, Part{part, std::vector<int64_t>(part.size(), -1)});
    Part &whole = known->second;
    for (int64_t i = run.elements.begin; i < run.elements.end; ++i) {
      if (whole.from[i] >= 0 && differ(whole.elements.get(i), part.get(i)))
        return LogicalResult(
            buffer.emitOpError()
            << "holds the same shard on ranks " << whole.from[i] << " and "
            << number << ", but they differ at its element " << i << ": "
            << whole.elements.get(i) << " and " << part.get(i));
      if (whole.from[i] >= 0)
        continue;
      whole.from[i] = number;
      if (part.isFloat())
        whole.elements.real[i] = part.real[i];
      else
        whole.elements.integer[i] = part.integer[i];
    }
  }
  for (const auto &[base, part] : seen) {
    auto missing = llvm::find(part.from, -1);
    if (missing != part.from.end())
      return LogicalResult(first.emitOpError()
                           << "has an element that no rank has: "
                           << missing - part.from.begin());
    writeStrided(part.elements, base, strides, global);
  }
  return TensorRef(std::make_shared<Tensor>(std::move(global)));
}

FailureOr<TensorRef> ArenaMachine::readSymbol(StringRef name) {
  if (failed(runStreams(/*toTheEnd=*/true)))
    return failure();
  SmallVector<int64_t> holders;
  for (auto [number, rank] : llvm::enumerate(ranks))
    if (findBuffer(rank, name))
      holders.push_back(static_cast<int64_t>(number));
  return assemble(name, holders);
}

void ArenaMachine::fillParameters(const InitialValues &values,
                                  StringRef model) {
  for (Rank &rank : ranks) {
    const pcc_stage &stage = getProgram().stages[rank.stage];
    SourceFiles files(getProgram(), model.str());
    for (rt::BufferOp buffer : buffersOf(record->getStages()[rank.stage]))
      if (buffer.getKind() == rt::BufferKind::Param)
        rank.arena.zero(elementsOf(buffer, rank.coordinates));
    pcc::fillParameters(getProgram(), stage, rank.coordinates,
                        rank.arena.data(), values, files);
    for (rt::BufferOp buffer : buffersOf(record->getStages()[rank.stage]))
      if (buffer.getKind() == rt::BufferKind::Param)
        roundCopy(rank, buffer);
  }
}

void ArenaMachine::fillInputs(const Dataset &data, const DataOrder &order,
                              const StepValues &values) {
  if (!isFresh)
    beginEntry();
  checkSamples(getProgram(), data, order, values.step);
  filler = [&data, &order, step = values.step,
            this](Rank &rank, const pcc_input &input, int64_t microbatch,
                  int64_t offset) {
    fillInput(getProgram(), input, rank.coordinates, microbatch,
              rank.arena.data() + offset, data, order, step);
  };
  for (Rank &rank : ranks) {
    pcc::fillInputs(getProgram(), getProgram().stages[rank.stage],
                    rank.coordinates, rank.arena.data(), data, order, values);
    for (rt::BufferOp buffer : buffersOf(record->getStages()[rank.stage]))
      if (buffer.getKind() == rt::BufferKind::Input && !buffer.getRefilled())
        rank.arena.setWritten(::rangeOf(buffer));
  }
}

bool ArenaMachine::isDone(Rank &rank, bool toTheEnd) {
  Issuer &issuer = issuers[rank.stage];
  for (int64_t stream = 0; stream < (toTheEnd ? issuer.numStreams() : 1);
       ++stream)
    if (rank.doneOf(stream) < issuer.count(stream))
      return false;
  return true;
}

LogicalResult ArenaMachine::runStreams(bool toTheEnd) {
  // The streams of all ranks; the first that can continue does.
  SmallVector<std::pair<int64_t, int64_t>> order;
  for (auto [number, rank] : llvm::enumerate(ranks))
    for (int64_t stream = 0; stream < issuers[rank.stage].numStreams();
         ++stream)
      order.push_back({static_cast<int64_t>(number), stream});
  llvm::shuffle(order.begin(), order.end(), random);
  while (!llvm::all_of(ranks,
                       [&](Rank &rank) { return isDone(rank, toTheEnd); })) {
    Progress progress = Progress::Waiting;
    for (auto [rank, stream] : order) {
      progress = advance(rank, stream);
      if (progress != Progress::Waiting)
        break;
    }
    if (progress == Progress::Failed)
      return failure();
    if (progress == Progress::Waiting)
      return reportDeadlock();
    if (random() % kMovesPerOrder == 0)
      llvm::shuffle(order.begin(), order.end(), random);
  }
  return success();
}

LogicalResult ArenaMachine::reportDeadlock() {
  InFlightDiagnostic diag =
      module.emitError("the ranks wait for each other forever");
  for (auto [number, rank] : llvm::enumerate(ranks)) {
    Issuer &issuer = issuers[rank.stage];
    for (int64_t stream = 0; stream < issuer.numStreams(); ++stream)
      if (rank.doneOf(stream) < issuer.count(stream)) {
        Operation *op = issuer.get(stream, rank.doneOf(stream)).op;
        diag.attachNote(op->getLoc())
            << "rank " << number << " is at this " << op->getName()
            << " on stream " << stream;
      }
  }
  return diag;
}

FailureOr<ArenaMachine::Outputs> ArenaMachine::run(StringRef entry) {
  if (!isFresh)
    beginEntry();
  // Output buffers by name, with the stages that fill them.
  std::vector<std::pair<rt::BufferOp, SmallVector<int64_t>>> filled;
  for (rt::StageOp stage : record->getStages()) {
    int64_t number = stage.getIndex();
    auto function =
        dyn_cast_or_null<rt::FuncOp>(SymbolTable::lookupSymbolIn(stage, entry));
    if (!function)
      return LogicalResult(stage.emitOpError()
                           << "has no entry point @" << entry);
    std::vector<ByteRange> written;
    for (rt::BufferOp buffer : buffersOf(stage))
      if (buffer.getKind() == rt::BufferKind::Input && !buffer.getRefilled())
        written.push_back(::rangeOf(buffer));
    if (failed(issuers[number].issue(function, written)))
      return failure();
    llvm::SmallPtrSet<Operation *, 8> seen;
    function.walk([&](rt::AddressOp address) {
      auto buffer = cast<rt::BufferOp>(
          SymbolTable::lookupSymbolIn(stage, address.getBuffer()));
      if (buffer.getKind() != rt::BufferKind::Output ||
          !seen.insert(buffer).second)
        return;
      auto known = llvm::find_if(filled, [&](auto &other) {
        return other.first.getSymName() == buffer.getSymName();
      });
      if (known == filled.end())
        known = filled.insert(filled.end(), {buffer, {}});
      known->second.push_back(number);
    });
  }
  if (failed(runStreams(/*toTheEnd=*/false)))
    return failure();
  isFresh = false;
  for (rt::StageOp stage : record->getStages())
    forgetDone(stage.getIndex());

  Outputs outputs;
  for (auto &[buffer, stages] : filled) {
    SmallVector<int64_t> holders;
    for (auto [number, rank] : llvm::enumerate(ranks))
      if (llvm::is_contained(stages, rank.stage))
        holders.push_back(static_cast<int64_t>(number));
    FailureOr<TensorRef> value = assemble(buffer.getSymName(), holders);
    if (failed(value))
      return failure();
    auto name = buffer->getAttrOfType<StringAttr>("name");
    outputs.push_back(
        {(name ? name.getValue() : buffer.getSymName()).str(), *value});
  }
  return outputs;
}

void ArenaMachine::forgetDone(int64_t stage) {
  Issuer &issuer = issuers[stage];
  for (int64_t stream = 0; stream < issuer.numStreams(); ++stream) {
    int64_t done = issuer.count(stream);
    for (Rank &rank : ranks)
      if (rank.stage == stage)
        done = std::min(done, rank.doneOf(stream));
    issuer.forget(stream, done);
  }
}

FailureOr<StepOutputs> ArenaMachine::step() {
  FailureOr<Outputs> outputs = run(rt::kTrainEntry);
  if (failed(outputs))
    return failure();
  StepOutputs step;
  auto read = [&](StringRef name, double &to) -> LogicalResult {
    for (const auto &[output, value] : *outputs)
      if (output == name) {
        to = value->real[0];
        return success();
      }
    return module.emitError() << "has no output \"" << name << "\"";
  };
  if (failed(read(nn::kLossResult, step.loss)) ||
      failed(read(nn::kNormResult, step.norm)))
    return failure();
  if (symbols.contains(nn::kLossScale)) {
    step.lossScale = 0;
    if (failed(read(nn::kLossScale, *step.lossScale)))
      return failure();
  }
  for (const auto &[name, value] : *outputs)
    if (name == nn::kAuxResult)
      step.aux = value->real[0];
    else if (name == nn::kLoadResult)
      step.load = value->real[0];
  return step;
}
