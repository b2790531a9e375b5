//===- Facts.cpp - Facts about a program that is verified -----------------===//

#include "tools/pcc/verify/Facts.h"
#include "analysis/IdBound.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Roles.h"
#include "dialects/RT/RT.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;
using namespace pcc;

/// The description of an input buffer; nullopt if data does not feed it.
static std::optional<DataInput> inputOf(rt::BufferOp buffer) {
  auto name = buffer->getAttrOfType<StringAttr>("name");
  auto role = buffer->getAttrOfType<StringAttr>("role");
  if (buffer.getKind() != rt::BufferKind::Input || !name || !role)
    return std::nullopt;
  auto known = nn::symbolizeInputRole(role.getValue());
  if (!known || !nn::isFromDataset(*known))
    return std::nullopt;
  DataInput input;
  input.name = name.str();
  input.role = role.str();
  MemRefType type = buffer.getMemRefType();
  input.shape.assign(type.getShape().begin(), type.getShape().end());
  if (rt::LayoutAttr layout = buffer.getLayoutAttr())
    input.shape.assign(layout.getShape().asArrayRef().begin(),
                       layout.getShape().asArrayRef().end());
  nn::InputDims dims =
      nn::dimsOf(*known, type.getRank(), buffer->getAttr(nn::kDimsAttr));
  input.isPerSample = dims.batch.has_value();
  if (dims.batch)
    input.shape.erase(input.shape.begin() + *dims.batch);
  input.isReal = isa<FloatType>(type.getElementType());
  if (auto ids = nn::IdBound::from(buffer->getAttr(nn::kIdsAttr))) {
    input.below = ids->below;
    input.isOfLoss = ids->isOfLoss;
  }
  return input;
}

/// Adds the parameter that a buffer holds, if any.
static void addParameter(rt::BufferOp buffer, Facts &facts,
                         std::set<std::string> &files) {
  nn::RecordAttr record = buffer.getRecordAttr();
  nn::SourceAttr source = record ? record.getSource() : nn::SourceAttr();
  if (source)
    files.insert(source.getFile().str());
  if (buffer.getKind() != rt::BufferKind::Param)
    return;
  std::string type;
  if (source)
    llvm::raw_string_ostream(type) << source.getType();
  std::string key = source ? source.getName().str() : buffer.getSymName().str();
  facts.parameters[key] = type;
  if (source && source.getDigest())
    facts.digests[key] = llvm::utohexstr(source.getDigest(), true);
}

Facts pcc::factsOf(ModuleOp module, const Summary &summary) {
  std::string text;
  llvm::raw_string_ostream os(text);
  summary.printJson(os, "");
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
  const llvm::json::Object &object = *value.getAsObject();
  auto number = [](const llvm::json::Object &from, StringRef key) {
    return from.getInteger(key).value_or(0);
  };
  Facts facts;
  const llvm::json::Object &mesh = *object.getObject("mesh");
  facts.tp = number(mesh, "tp");
  facts.cp = number(mesh, "cp");
  facts.dp = number(mesh, "dp");
  facts.pp = number(mesh, "pp");
  facts.globalBatch = number(object, "global_batch");
  facts.microBatch = number(object, "micro_batch");
  facts.seq = number(object, "seq");
  facts.trained = number(object, "trained");
  facts.precision = object.getString("precision").value_or("").str();
  facts.optimizer = object.getString("optimizer").value_or("").str();
  facts.optimizerState = object.getString("optimizer_state").value_or("").str();
  facts.zero = std::to_string(number(object, "zero"));
  int64_t ranks = facts.tp * facts.cp * facts.dp;
  for (const llvm::json::Value &item : *object.getArray("stages")) {
    const llvm::json::Object &stage = *item.getAsObject();
    int64_t arena = number(stage, "arena_bytes");
    // A window of the range is in memory if files back it.
    int64_t window = number(stage, "offload_window_bytes"),
            onDisk = window ? number(stage, "offloaded_bytes") - window : 0;
    facts.bytes += ranks * (arena - onDisk + number(stage, "workspace_bytes"));
    facts.stateBytes += ranks * (arena - number(stage, "activation_bytes"));
  }
  auto ends = module->getAttrOfType<DenseI64ArrayAttr>(nn::kDocumentEndsAttr);
  std::set<std::string> known, files;
  for (auto stage : module.getOps<rt::StageOp>())
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
      addParameter(buffer, facts, files);
      auto input = inputOf(buffer);
      if (!input || !known.insert(input->name + " " + input->role).second)
        continue;
      if (ends && input->role == "tokens")
        input->ends = ends.asArrayRef().vec();
      facts.inputs.push_back(*input);
    }
  for (auto program : module.getOps<rt::ProgramOp>())
    facts.source = program.getSource().value_or("").str();
  facts.files.assign(files.begin(), files.end());
  facts.hasWeights = !files.empty();
  return facts;
}

/// Names and types may not be UTF-8.
static llvm::json::Object
textsToJson(const std::map<std::string, std::string> &texts) {
  llvm::json::Object object;
  for (const auto &[name, text] : texts)
    object[llvm::json::fixUTF8(name)] = llvm::json::fixUTF8(text);
  return object;
}

llvm::json::Value pcc::toJson(const Facts &facts) {
  llvm::json::Array inputs;
  for (const DataInput &input : facts.inputs)
    inputs.push_back(llvm::json::Object{
        {"name", input.name},
        {"role", input.role},
        {"shape", llvm::json::Array(input.shape)},
        {"per_sample", input.isPerSample},
        {"real", input.isReal},
        {"below", input.below},
        {"of_loss", input.isOfLoss},
        {"ends", llvm::json::Array(input.ends)},
    });
  return llvm::json::Object{
      {"tp", facts.tp},
      {"cp", facts.cp},
      {"dp", facts.dp},
      {"pp", facts.pp},
      {"global_batch", facts.globalBatch},
      {"micro_batch", facts.microBatch},
      {"seq", facts.seq},
      {"trained", facts.trained},
      {"precision", facts.precision},
      {"optimizer", facts.optimizer},
      {"optimizer_state", facts.optimizerState},
      {"zero", facts.zero},
      {"bytes", facts.bytes},
      {"state_bytes", facts.stateBytes},
      {"has_weights", facts.hasWeights},
      {"files", llvm::json::Array(facts.files)},
      {"source", llvm::json::fixUTF8(facts.source)},
      {"parameters", textsToJson(facts.parameters)},
      {"digests", textsToJson(facts.digests)},
      {"inputs", std::move(inputs)},
  };
}

static bool fromJSON(const llvm::json::Value &value, DataInput &input,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("name", input.name) && map.map("role", input.role) &&
         map.map("shape", input.shape) &&
         map.map("per_sample", input.isPerSample) &&
         map.map("real", input.isReal) && map.map("below", input.below) &&
         map.map("of_loss", input.isOfLoss) && map.map("ends", input.ends);
}

std::optional<Facts> pcc::factsFrom(const llvm::json::Value &value) {
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(value, root);
  Facts facts;
  const llvm::json::Object *object = value.getAsObject();
  const llvm::json::Array *inputs =
      object ? object->getArray("inputs") : nullptr;
  if (!map || !inputs || !map.map("tp", facts.tp) || !map.map("cp", facts.cp) ||
      !map.map("dp", facts.dp) || !map.map("pp", facts.pp) ||
      !map.map("global_batch", facts.globalBatch) ||
      !map.map("micro_batch", facts.microBatch) || !map.map("seq", facts.seq) ||
      !map.map("trained", facts.trained) ||
      !map.map("precision", facts.precision) ||
      !map.map("optimizer", facts.optimizer) ||
      !map.map("optimizer_state", facts.optimizerState) ||
      !map.map("zero", facts.zero) || !map.map("bytes", facts.bytes) ||
      !map.map("state_bytes", facts.stateBytes) ||
      !map.map("has_weights", facts.hasWeights) ||
      !map.map("files", facts.files) || !map.map("source", facts.source) ||
      !map.map("parameters", facts.parameters) ||
      !map.map("digests", facts.digests))
    return std::nullopt;
  for (const llvm::json::Value &item : *inputs) {
    DataInput input;
    if (!fromJSON(item, input, root))
      return std::nullopt;
    facts.inputs.push_back(std::move(input));
  }
  return facts;
}
