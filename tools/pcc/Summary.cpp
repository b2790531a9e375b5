//===- Summary.cpp - Summary of a compilation -----------------------------===//

#include "tools/pcc/Summary.h"
#include "dialects/Dist/Layout.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/Persistence.h"
#include "passes/Codegen/Emit/Communication.h"
#include "passes/Codegen/Emit/Emit.h"
#include "passes/Codegen/Kernels/Attention/Choice.h"
#include "passes/Pipeline/Heads/Heads.h"
#include "passes/Pipelines.h"
#include "passes/Training/Entry.h"
#include "tools/pcc/Plan.h"
#include "tools/pcc/Step.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace pcc;

void Summary::collectParameters(ModuleOp module) {
  parameters = trained = tensors = 0;
  padding.clear();
  for (auto param : module.getOps<nn::ParamOp>()) {
    int64_t elements = param.getTensorType().getNumElements();
    // Padding does not count as parameters of the model.
    if (nn::SourceAttr source = param.getSource()) {
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

/// Returns the share of its choices that an op of experts computes: the others'
/// experts are on other ranks. 1 for other ops.
static double shareOfExperts(Operation &op, const dist::Mesh &mesh) {
  auto shareOf = [&](Value w2) {
    dist::ShardingAttr sharding = mesh ? dist::getSharding(w2) : nullptr;
    return sharding ? 1.0 / mesh.extent(mesh.layout(sharding).dims[0]) : 1.0;
  };
  return llvm::TypeSwitch<Operation *, double>(&op)
      .Case<nn::ExpertsOp, nn::ExpertsGradOp>(
          [&](auto experts) { return shareOf(experts.getW2()); })
      .Default(1.0);
}

void Summary::collectTasks(ModuleOp module) {
  stages.assign(options.pp, {});
  dist::Mesh mesh(dist::findMesh(module));
  // The schedules determine how often each task runs.
  SymbolTable symbols(module);
  for (auto schedule : module.getOps<pipe::ScheduleOp>()) {
    if (schedule.getEntry() != pipe::Entry::Train)
      continue;
    Stage &stage = stages[schedule.getStage()];
    schedule.walk([&](pipe::RunOp run) {
      int64_t times = 1;
      if (auto loop = dyn_cast<pipe::LoopOp>(run->getParentOp()))
        times = int64_t(loop.getEnd()) - int64_t(loop.getBegin());
      auto task = symbols.lookup<pipe::TaskOp>(run.getTask());
      auto body = symbols.lookup<pipe::BodyOp>(task.getBody());
      for (Operation &op : *body.getBlock())
        if (auto cost = dyn_cast<nn::CostInterface>(op))
          (op.hasAttr(nn::kRecomputedAttr) ? stage.repeatedFlops
                                           : stage.flops) +=
              cost.getFlops() * times * shareOfExperts(op, mesh);
    });
  }
}

/// Predicts the choices of --nn-expand-attention, which runs next.
void Summary::collectAttention(ModuleOp module) {
  attention.clear();
  bool isAsked = options.attentionLibrary() != "none";
  for (auto &[op, choice] : codegen::chooseAttention(
           module, {options.hasDevice(), isAsked, options.chips})) {
    std::string form = "by cuDNN";
    if (choice.maker != codegen::AttentionBackend::Library) {
      form = choice.whyNoTiles.empty()
                 ? "by tiles"
                 : "by GEMMs and a softmax: " + choice.whyNoTiles;
      if (isAsked)
        form += "; not by cuDNN: " + choice.whyNoLibrary;
    }
    StringRef direction = isa<nn::AttentionOp>(op) ? "forward" : "backward";
    std::string &directions = attention[form];
    if (directions.empty())
      directions = direction;
    else if (directions != direction)
      directions = "forward and backward";
  }
}

/// Returns the values that buckets in `released` are gathered from: the rank's
/// shards, rounded to bf16/fp16. They are live only while they are used.
static llvm::DenseSet<Operation *>
findRounded(rt::StageOp stage, const SymbolTable &symbols,
            const llvm::DenseSet<Operation *> &released) {
  auto bufferOf = [&](Value value) -> rt::BufferOp {
    auto address = value.getDefiningOp<rt::AddressOp>();
    return address ? symbols.lookup<rt::BufferOp>(address.getBuffer())
                   : rt::BufferOp();
  };
  llvm::DenseSet<Operation *> found;
  stage.walk([&](rt::CallOp call) {
    auto callee = symbols.lookup<rt::FuncOp>(call.getCallee());
    for (auto gather : callee.getBlock()->getOps<rt::AllGatherOp>()) {
      auto from = dyn_cast<BlockArgument>(gather.getInput()),
           to = dyn_cast<BlockArgument>(gather.getOutput());
      if (!from || !to)
        continue;
      rt::BufferOp row = bufferOf(call.getArgs()[to.getArgNumber()]),
                   part = bufferOf(call.getArgs()[from.getArgNumber()]);
      if (row && part && released.contains(row) &&
          part.getKind() == rt::BufferKind::Value)
        found.insert(part);
    }
  });
  return found;
}

void Summary::collectGemms(rt::StageOp stage) {
  forEachInStep(stage, [&](Operation *op, int64_t times) {
    auto product = dyn_cast<rt::GemmOp>(op);
    if (!product)
      return;
    products += times;
    rt::Epilogue epilogue = product.getEpilogue();
    if (!product.isPlain())
      epilogues[epilogue == rt::Epilogue::None
                    ? "added"
                    : rt::stringifyEpilogue(epilogue).str()] += times;
  });
}

void Summary::collectProgram(ModuleOp module) {
  products = 0;
  epilogues.clear();
  codegen::Communication communication(module);
  for (auto stageOp : module.getOps<rt::StageOp>()) {
    if (int64_t(stageOp.getIndex()) >= options.pp)
      continue;
    if (stages.empty())
      stages.assign(options.pp, {});
    Stage &stage = stages[stageOp.getIndex()];
    stage.arena = stageOp.getArena().value_or(0);
    stage.offloaded = stageOp.getOffloadedBytes();
    if (!options.hasDevice())
      stage.window = rt::findOffloadWindow(stageOp);
    stage.workspace = workspaceOf(options.target);
    if (options.target == "cuda")
      stage.communication = communication.bytesOn(stageOp);
    stage.traffic = trafficOf(stageOp);
    collectGemms(stageOp);
    // Members of buckets take the bytes of their bucket, including padding.
    SymbolTable symbols(stageOp);
    llvm::DenseMap<Operation *, rt::BufferKind> held;
    for (auto buffer : stageOp.getBlock()->getOps<rt::BufferOp>())
      if (buffer.getBucket() && buffer.getKind() != rt::BufferKind::Part)
        held[symbols.lookup(*buffer.getBucket())] = buffer.getKind();
    // The gradient buckets of a microbatch whose sum is sharded.
    llvm::DenseSet<Operation *> ofMicrobatch;
    for (auto buffer : stageOp.getBlock()->getOps<rt::BufferOp>())
      if (rt::BufferOp row = rt::bucketSummedIn(buffer, symbols))
        ofMicrobatch.insert(row);
    // The buckets that are released after use.
    llvm::DenseSet<Operation *> released;
    stageOp.walk([&](rt::ReleaseOp release) {
      if (auto row = release.getBuffer().getDefiningOp<rt::AddressOp>())
        released.insert(symbols.lookup(row.getBuffer()));
    });
    llvm::DenseSet<Operation *> rounded =
        findRounded(stageOp, symbols, released);
    for (auto buffer : stageOp.getBlock()->getOps<rt::BufferOp>()) {
      if (buffer.getBucket())
        continue;
      // A bucket uses one of its slots at a time.
      int64_t bytes = buffer.getKind() == rt::BufferKind::Bucket
                          ? buffer.getSlotBytes()
                          : buffer.getTotalBytes();
      auto row = held.find(buffer);
      rt::BufferKind kind = row == held.end() ? buffer.getKind() : row->second;
      if (kind == rt::BufferKind::Gradient && ofMicrobatch.contains(buffer)) {
        stage.kinds["microbatch_gradient"] += bytes;
        continue;
      }
      if (released.contains(buffer)) {
        stage.kinds["released_copy"] += bytes;
        continue;
      }
      if (rounded.contains(buffer)) {
        stage.kinds["rounded_part"] += bytes;
        stage.parameters += bytes;
        continue;
      }
      stage.kinds[rt::stringifyBufferKind(kind)] += bytes;
      if (buffer.getOffset() && int64_t(*buffer.getOffset()) < stage.offloaded)
        continue;
      switch (kind) {
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
    // Temporaries share memory, so activations are the rest of the arena.
    stage.activations = stage.arena - stage.offloaded - stage.parameters -
                        stage.gradients - stage.state;
  }
}

void Summary::collect(ModuleOp module, StringRef phase) {
  if (auto name = module->getAttrOfType<StringAttr>(nn::kLossAttr))
    loss = name.str();
  if (auto ends =
          module->getAttrOfType<DenseI64ArrayAttr>(nn::kDocumentEndsAttr))
    documentEnds = ends.asArrayRef().vec();
  if (findPhase(phase) <= findPhase("train"))
    collectParameters(module);
  if (phase == "pipeline") {
    collectTasks(module);
    collectAttention(module);
    collectHeads(module);
    collectKept(module);
  }
  if (phase == "rt")
    collectProgram(module);
  isBalanced |= isHeadTail(module);
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

/// Reads the chunks that --pipe-chunk-heads chose for the heads of a step.
void Summary::collectHeads(ModuleOp module) {
  heads.clear();
  int64_t bytes = 0;
  for (auto body : module.getOps<pipe::BodyOp>())
    for (Value logits : Head::findLogits(*body.getBlock())) {
      bytes = std::max(bytes, Head::getBytes(logits));
      DenseI64ArrayAttr chunk = Head::getChunk(logits);
      if (!chunk)
        continue;
      int64_t count = 1, tokens = 1;
      for (auto [size, all] :
           llvm::zip(chunk.asArrayRef(), nn::tensorType(logits).getShape())) {
        count *= llvm::divideCeil(all, size);
        tokens *= size;
      }
      headChunks = std::max(headChunks, count);
      heads.insert(formatCount(count) + " chunks of " + formatCount(tokens) +
                   (tokens == 1 ? " token" : " tokens"));
    }
  if (auto why = module->getAttrOfType<StringAttr>(nn::kWholeHeadAttr))
    heads.insert("whole, with " + formatBytes(bytes) +
                 " of logits: " + why.str());
}

std::pair<int64_t, int64_t> Summary::getLargestStage() const {
  std::pair<int64_t, int64_t> largest = {0, 0};
  for (auto [i, stage] : llvm::enumerate(stages))
    if (stage.getBytes() > largest.second)
      largest = {i, stage.getBytes()};
  return largest;
}

void Summary::printMemory(llvm::raw_ostream &os, int64_t index) const {
  const Stage &stage = stages[index];
  os << formatBytes(stage.getBytes()) << " = parameters "
     << formatBytes(stage.parameters) << " + gradients "
     << formatBytes(stage.gradients) << " + optimizer "
     << formatBytes(stage.state) << " + activations "
     << formatBytes(stage.activations);
  if (stage.workspace)
    os << " + workspace " << formatBytes(stage.workspace);
  if (stage.communication)
    os << " + NCCL " << formatBytes(stage.communication);
  if (stage.window)
    os << " + offload window " << formatBytes(stage.window);
  if (stage.offloaded)
    os << "; " << formatBytes(stage.offloaded) << " offloaded to "
       << (options.hasDevice() ? "the host's memory" : "a file");
}

void Summary::printStep(llvm::raw_ostream &os) const {
  os << "ranks:    " << options.worldSize() << " = tp " << options.tp;
  if (options.cp > 1)
    os << " x cp " << options.cp << (isBalanced ? " (head-tail)" : "");
  os << " x dp " << options.dp << " x pp " << options.pp << ", on "
     << options.target << ", " << options.precision;
  if (options.optimizerState != "f32")
    os << ", " << options.optimizerState << " moments";
  if (options.sequenceParallel && options.tp > 1)
    os << ", sequence parallel";
  if (options.dp * options.cp > 1)
    os << ", zero " << options.zeroStage();
  if (options.ep > 1)
    os << ", experts over ep " << options.ep;
  if (options.splitsOnlyExperts())
    os << (options.ep > 1 ? " x tp " : ", experts over tp ") << options.tp;
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
  // GPUs multiply bf16 and fp16 natively.
  if (options.target == "cuda")
    return;
  if (options.precision == "fp16")
    os << "GEMMs:    operands are widened to f32 by blocks, as on every CPU\n";
  if (options.precision == "bf16" && !multipliesBF16(options.targetCpu))
    os << "GEMMs:    operands are widened to f32, as the processor does not "
          "multiply bf16\n";
}

/// Prints the traffic of each kind, of the stage that sends most.
void Summary::printTraffic(llvm::raw_ostream &os) const {
  TrafficTable most;
  for (const Stage &stage : stages)
    for (auto &[key, kind] : stage.traffic)
      if (kind.sent > most[key].sent)
        most[key] = kind;
  for (auto &[key, kind] : most)
    if (kind.sent > 0)
      os << "traffic:  " << kind.count << " " << key.second
         << (key.first ? ", overlapped with compute," : "")
         << " per rank and step, " << formatBytes(kind.sent) << " sent\n";
}

/// Prints the epilogues of GEMMs, which only GPUs have.
void Summary::printGemms(llvm::raw_ostream &os) const {
  if (!options.hasDevice() || products == 0)
    return;
  int64_t ended = 0;
  for (auto &[name, count] : epilogues)
    ended += count;
  os << "GEMMs:    " << ended << " of " << products
     << " per step have an epilogue";
  const char *separator = ": ";
  for (auto &[name, count] : epilogues) {
    os << separator << count << " " << name;
    separator = ", ";
  }
  os << "\n";
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
    os << "forward:  only the model's outputs, one rank on " << options.target
       << "\n";
  else
    printStep(os);
  if (!loss.empty())
    os << "loss:     " << (loss == "own" ? "the file's own" : loss) << "\n";
  if (!documentEnds.empty()) {
    os << "documents: end at token";
    const char *between = " ";
    for (int64_t end : documentEnds)
      os << std::exchange(between, ", ") << end;
    // A module does not tell whether they were reset before.
    if (!options.documentEnds.empty())
      os << (options.keepPositions ? "; positions are not reset"
                                   : "; positions are reset");
    os << "\n";
  }
  for (auto &[form, directions] : attention)
    os << "attention: " << directions << " " << form << "\n";
  for (const std::string &head : heads)
    os << "head:     " << head << "\n";
  if (options.recompute != "none" && !options.forward)
    os << "recompute: " << options.recompute << "\n";
  printGemms(os);
  for (auto [i, stage] : llvm::enumerate(stages)) {
    os << "stage " << i << ":  " << formatFlops(stage.flops)
       << " per rank and step";
    if (stage.repeatedFlops > 0)
      os << " and " << formatFlops(stage.repeatedFlops) << " recomputed";
    // Memory is known only once offsets are assigned.
    if (stage.arena) {
      os << "; ";
      printMemory(os, i);
    }
    os << "\n";
  }
  if (showsMemory) {
    printKept(os);
    printSavings(os);
  }
  printTraffic(os);
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
    if (std::string folder = options.offloadFolder(); !folder.empty())
      program.setOffloadDir(folder);
    program.setParameters(parameters);
    program.setFlopsPerStep(llvm::APFloat(flops));
  }
}

void Summary::Stage::printJson(llvm::json::OStream &json) const {
  json.attribute("flops", flops);
  json.attribute("recomputed_flops", repeatedFlops);
  json.attribute("arena_bytes", arena);
  if (offloaded)
    json.attribute("offloaded_bytes", offloaded);
  if (window)
    json.attribute("offload_window_bytes", window);
  if (workspace)
    json.attribute("workspace_bytes", workspace);
  if (communication)
    json.attribute("nccl_bytes", communication);
  json.attribute("parameter_bytes", parameters);
  json.attribute("gradient_bytes", gradients);
  json.attribute("optimizer_bytes", state);
  json.attribute("activation_bytes", activations);
  json.attribute("kept_microbatches", live);
  json.attributeArray("kept", [&] {
    for (auto [segment, bytes] : kept)
      json.object([&, segment = segment, bytes = bytes] {
        json.attribute("segment", segment);
        json.attribute("bytes", bytes);
      });
  });
  json.attributeObject("buffer_bytes", [&] {
    for (auto &[kind, bytes] : kinds)
      json.attribute(kind, bytes);
  });
  json.attributeArray("messages", [&] {
    for (auto &[key, messages] : traffic)
      json.object([&, &key = key, &messages = messages] {
        json.attribute("kind", key.second);
        json.attribute("stream", key.first);
        json.attribute("count", messages.count);
        json.attribute("bytes", messages.bytes);
        json.attribute("bytes_sent", messages.sent);
      });
  });
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
      if (options.ep > 1)
        json.attribute("ep", options.ep);
      if (options.splitsOnlyExperts())
        json.attribute("etp", options.etp);
    });
    if (options.cp > 1)
      json.attribute("cp_balance", isBalanced ? "headtail" : "none");
    json.attribute("global_batch", options.globalBatch);
    json.attribute("micro_batch", options.microBatch);
    json.attribute("microbatches", options.microbatches);
    json.attribute("seq", options.seq);
    if (!options.seqSource.empty())
      json.attribute("seq_source", options.seqSource);
    json.attribute("precision", options.precision);
    json.attribute("optimizer", options.optimizer);
    json.attribute("optimizer_state", options.optimizerState);
    json.attribute("zero", options.zeroStage());
    json.attribute("recompute", options.recompute);
    if (!options.offload.empty())
      json.attribute("offload", options.offload);
    json.attribute("loss", loss);
    json.attributeArray("attention", [&] {
      for (auto &[form, directions] : attention)
        json.object([&, &form = form, &directions = directions] {
          json.attribute("form", form);
          json.attribute("directions", directions);
        });
    });
    if (!documentEnds.empty())
      json.attributeArray("document_ends", [&] {
        for (int64_t end : documentEnds)
          json.value(end);
      });
    json.attributeArray("heads", [&] {
      for (const std::string &head : heads)
        json.value(head);
    });
    if (showsMemory)
      json.attributeArray("savings", [&] {
        for (const auto &[flags, bytes] : savings)
          json.object([&, &flags = flags, bytes = bytes] {
            json.attribute("flags", flags);
            json.attribute("bytes", bytes);
          });
      });
    json.attributeObject("products", [&] {
      json.attribute("count", products);
      json.attributeObject("epilogues", [&] {
        for (auto &[name, count] : epilogues)
          json.attribute(name, count);
      });
    });
    json.attributeArray("stages", [&] {
      for (const Stage &stage : stages)
        json.object([&] { stage.printJson(json); });
    });
  });
  os << "\n";
}
