//===- Summary.cpp - What a compile did, in a few lines -------------------===//

#include "tools/pcc/Summary.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Transfers.h"
#include "dialects/RT/RT.h"
#include "passes/Codegen/Emit/Emit.h"
#include "passes/Pipelines.h"
#include "passes/Training/Entry.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace pcc;

void Summary::collectParameters(ModuleOp module) {
  parameters = trained = tensors = 0;
  padding.clear();
  for (auto param : module.getOps<nn::ParamOp>()) {
    int64_t elements = param.getTensorType().getNumElements();
    // Padding is none of the model's parameters.
    if (nn::SourceAttr source = param.getSourceAttr()) {
      ArrayRef<int64_t> valid = source.getValid().asArrayRef();
      ArrayRef<int64_t> shape = param.getTensorType().getShape();
      elements = 1;
      for (int64_t extent : valid)
        elements *= extent;
      if (valid != shape) {
        llvm::raw_string_ostream os(padding.emplace_back());
        os << param.getSymName() << " from ";
        llvm::interleave(valid, os, " x ");
        os << " to ";
        llvm::interleave(shape, os, " x ");
        os << ", with zeros";
      }
    }
    parameters += elements;
    trained += param.getFrozen() ? 0 : elements;
    ++tensors;
  }
}

static int64_t bytesOf(Type type) {
  auto shaped = cast<ShapedType>(type);
  return shaped.getNumElements() *
         std::max<int64_t>(1, shaped.getElementTypeBitWidth() / 8);
}

void Summary::collectTasks(ModuleOp module) {
  llvm::StringMap<int64_t> ranksAlong;
  for (auto mesh : module.getOps<dist::MeshOp>())
    for (auto [axis, size] :
         llvm::zip(mesh.getAxes().getNames(), mesh.getAxes().getSizes()))
      ranksAlong[axis.getValue()] = size;
  stages.assign(options.pp, {});
  traffic.clear();
  std::vector<std::map<std::string, Traffic>> perStage(options.pp);

  // How often each task runs is what the schedules say.
  SymbolTable symbols(module);
  for (auto schedule : module.getOps<pipe::ScheduleOp>()) {
    if (schedule.getEntry() != pipe::Entry::Train)
      continue;
    int64_t stage = schedule.getStage();
    schedule.walk([&](Operation *op) {
      int64_t times = 1;
      if (auto loop = dyn_cast<pipe::LoopOp>(op->getParentOp()))
        times = int64_t(loop.getEnd()) - int64_t(loop.getBegin());
      for (const pipe::Half &half : pipe::halvesOf(op))
        if (half.isSend) {
          auto value = symbols.lookup<pipe::ValueOp>(half.value);
          Traffic &sent = perStage[stage]["send over pp"];
          sent.count += times;
          sent.bytes += bytesOf(value.getType()) * times;
        }
      auto run = dyn_cast<pipe::RunOp>(op);
      if (!run)
        return;
      auto task = symbols.lookup<pipe::TaskOp>(run.getTask());
      auto body = symbols.lookup<pipe::BodyOp>(task.getBody());
      for (Operation &inner : *body.getBlock()) {
        if (auto cost = dyn_cast<nn::CostInterface>(inner))
          stages[stage].flops += cost.getFlops() * times;
        if (inner.getName().getDialectNamespace() != "dist")
          continue;
        auto axes = inner.getAttrOfType<ArrayAttr>("axes");
        if (!axes || isa<dist::OffsetOp, dist::ShardSliceOp>(inner))
          continue;
        std::string key =
            inner.getName().getStringRef().drop_front(5).str() + " over";
        double ranks = 1;
        for (Attribute axis : axes) {
          key += " " + cast<StringAttr>(axis).str();
          ranks *= ranksAlong.lookup(cast<StringAttr>(axis).getValue());
        }
        // A ring sends all but a rank's own part; a reduction everywhere is
        // a reduction to parts and their distribution.
        double bytes = 0;
        for (Value value : inner.getOperands())
          bytes += bytesOf(value.getType());
        double rounds = isa<dist::AllReduceOp>(inner)   ? 2 / ranks
                        : isa<dist::AllGatherOp>(inner) ? 1
                                                        : 1 / ranks;
        Traffic &sent = perStage[stage][key];
        sent.count += times;
        sent.bytes += bytes * rounds * (ranks - 1) * times;
      }
    });
  }
  for (auto &messages : perStage)
    for (auto &[key, sent] : messages)
      if (sent.bytes > traffic[key].bytes)
        traffic[key] = sent;
}

void Summary::collectMemory(ModuleOp module) {
  for (auto stageOp : module.getOps<rt::StageOp>()) {
    if (int64_t(stageOp.getIndex()) >= options.pp)
      continue;
    if (stages.empty())
      stages.assign(options.pp, {});
    Stage &stage = stages[stageOp.getIndex()];
    stage.arena = stageOp.getArena().value_or(0);
    for (auto buffer : stageOp.getBlock()->getOps<rt::BufferOp>()) {
      int64_t bytes = buffer.getTotalBytes();
      switch (buffer.getKind()) {
      case rt::BufferKind::Param:
      case rt::BufferKind::Copy:
        stage.parameters += bytes;
        break;
      case rt::BufferKind::Gradient:
        stage.gradients += bytes;
        break;
      case rt::BufferKind::State:
        stage.state += bytes;
        break;
      default:
        break;
      }
    }
    // Temporaries share places, so what is left of the arena is what counts.
    stage.activations =
        stage.arena - stage.parameters - stage.gradients - stage.state;
  }
}

void Summary::collect(ModuleOp module, StringRef phase) {
  if (auto name = module->getAttrOfType<StringAttr>(nn::kLossAttr))
    loss = name.str();
  if (findPhase(phase) <= findPhase("train"))
    collectParameters(module);
  else if (phase == "pipeline")
    collectTasks(module);
  else if (phase == "rt")
    collectMemory(module);
}

std::string pcc::formatBytes(double bytes) {
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit)
    bytes /= 1024;
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
  return text;
}

/// "2.5 GFLOP".
static std::string formatFlops(double flops) {
  const char *units[] = {"FLOP", "KFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
  int unit = 0;
  for (; flops >= 1000 && unit < 5; ++unit)
    flops /= 1000;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f %s", flops, units[unit]);
  return text;
}

/// "208,640".
static std::string formatCount(int64_t count) {
  std::string digits = std::to_string(count);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(at, ",");
  return digits;
}

/// "1 sample", "16 samples".
static std::string formatCount(int64_t count, StringRef noun,
                               StringRef plural = "s") {
  return (Twine(formatCount(count)) + " " + noun + (count == 1 ? "" : plural))
      .str();
}

std::pair<int64_t, int64_t> Summary::getLargestStage() const {
  std::pair<int64_t, int64_t> largest = {0, 0};
  for (auto [i, stage] : llvm::enumerate(stages))
    if (stage.arena > largest.second)
      largest = {i, stage.arena};
  return largest;
}

void Summary::printMemory(llvm::raw_ostream &os, int64_t index) const {
  const Stage &stage = stages[index];
  os << formatBytes(stage.arena) << " = parameters "
     << formatBytes(stage.parameters) << " + gradients "
     << formatBytes(stage.gradients) << " + optimizer "
     << formatBytes(stage.state) << " + activations "
     << formatBytes(stage.activations);
}

void Summary::printStep(llvm::raw_ostream &os) const {
  os << "ranks:    " << options.worldSize() << " = tp " << options.tp;
  if (options.cp > 1)
    os << " x cp " << options.cp;
  os << " x dp " << options.dp << " x pp " << options.pp << ", on cpu, "
     << options.precision;
  if (options.sequenceParallel && options.tp > 1)
    os << ", sequence parallel";
  os << "\n";
  os << "step:     " << formatCount(options.globalBatch, "sample");
  if (options.seq)
    os << " of " << options.seq << " tokens";
  os << " = micro batch " << options.microBatch << " x dp " << options.dp
     << " x " << formatCount(options.microbatches, "microbatch", "es");
  if (options.pp > 1)
    os << ", schedule " << options.schedule;
  os << "\n";
  if (!options.seqSource.empty())
    os << "seq:      " << options.seqSource << "\n";
  if (options.precision != "f32" && !multipliesBF16(options.targetCpu))
    os << "products: operands are widened to f32, as the processor multiplies "
          "no bf16\n";
}

void Summary::print(llvm::raw_ostream &os, StringRef model) const {
  os << model << ": " << formatCount(parameters) << " parameters in " << tensors
     << " tensors";
  if (trained != parameters)
    os << ", " << formatCount(trained) << " trained";
  os << "\n";
  for (const std::string &line : padding)
    os << "padding:  " << line << "\n";
  if (options.forward)
    os << "forward:  the model's outputs alone, one rank on cpu\n";
  else
    printStep(os);
  if (!loss.empty())
    os << "loss:     " << (loss == "own" ? "the file's own" : loss) << "\n";
  for (auto [i, stage] : llvm::enumerate(stages)) {
    os << "stage " << i << ":  " << formatFlops(stage.flops)
       << " per rank and step";
    // Memory is known once offsets are assigned.
    if (stage.arena) {
      os << "; ";
      printMemory(os, i);
    }
    os << "\n";
  }
  for (auto &[key, sent] : traffic)
    os << "messages: " << sent.count << " " << key << " per rank and step, "
       << formatBytes(sent.bytes) << " sent\n";
}

void Summary::annotate(ModuleOp module, StringRef model,
                       StringRef source) const {
  for (auto program : module.getOps<rt::ProgramOp>()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os, model);
    double flops = 0;
    for (const Stage &stage : stages)
      flops += stage.flops * options.tp * options.cp * options.dp;
    program.setModel(model);
    program.setSource(source);
    program.setSummary(text);
    program.setParameters(parameters);
    program.setFlopsPerStep(llvm::APFloat(flops));
  }
}

void Summary::printJson(llvm::raw_ostream &os, StringRef model) const {
  llvm::json::OStream json(os, 2);
  json.object([&] {
    json.attribute("model", model);
    json.attribute("parameters", parameters);
    json.attribute("trained", trained);
    json.attributeObject("mesh", [&] {
      json.attribute("tp", options.tp);
      json.attribute("cp", options.cp);
      json.attribute("dp", options.dp);
      json.attribute("pp", options.pp);
    });
    json.attribute("global_batch", options.globalBatch);
    json.attribute("micro_batch", options.microBatch);
    json.attribute("microbatches", options.microbatches);
    json.attribute("seq", options.seq);
    if (!options.seqSource.empty())
      json.attribute("seq_source", options.seqSource);
    json.attribute("precision", options.precision);
    json.attribute("loss", loss);
    json.attributeArray("stages", [&] {
      for (const Stage &stage : stages)
        json.object([&] {
          json.attribute("flops", stage.flops);
          json.attribute("arena_bytes", stage.arena);
          json.attribute("parameter_bytes", stage.parameters);
          json.attribute("gradient_bytes", stage.gradients);
          json.attribute("optimizer_bytes", stage.state);
          json.attribute("activation_bytes", stage.activations);
        });
    });
    json.attributeArray("messages", [&] {
      for (auto &entry : traffic)
        json.object([&] {
          json.attribute("kind", entry.first);
          json.attribute("count", entry.second.count);
          json.attribute("bytes_sent", entry.second.bytes);
        });
    });
  });
  os << "\n";
}
