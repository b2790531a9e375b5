//===- ModelConfig.cpp - The config.json of a model -----------------------===//

#include "frontend/import/ModelConfig.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace pcc::frontend;

/// Keys of the longest sequence, in the order of precedence. A sliding window
/// is no bound: each position sees fewer others, of any number.
static constexpr StringLiteral kKeys[] = {
    "max_position_embeddings", "n_positions",
    "max_target_positions",    "max_seq_len",
    "max_sequence_length",     "block_size",
    "context_length",          "n_ctx"};

/// Models without a longest sequence, whose configurations have such a key.
static constexpr StringLiteral kUnbounded[] = {"t5", "mt5", "umt5", "longt5",
                                               "switch_transformers"};

std::optional<ModelConfig> ModelConfig::read(StringRef path,
                                             std::string &problem) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text) {
    problem = "cannot be read: " + text.getError().message();
    return std::nullopt;
  }
  auto parsed = llvm::json::parse((*text)->getBuffer());
  if (!parsed) {
    problem = "is not JSON: " + llvm::toString(parsed.takeError());
    return std::nullopt;
  }
  if (!parsed->getAsObject()) {
    problem = "is not a JSON object";
    return std::nullopt;
  }
  return ModelConfig(std::move(*parsed));
}

std::optional<ConfiguredLength> ModelConfig::longestSequence() const {
  auto kind = root().getString("model_type");
  if (!kind || llvm::is_contained(kUnbounded, *kind))
    return std::nullopt;
  const llvm::json::Object &config = text() ? *text() : root();
  for (StringRef key : kKeys)
    if (auto length = config.getInteger(key); length && *length > 0)
      return ConfiguredLength{*length, key.str()};
  return std::nullopt;
}

std::vector<int64_t> ModelConfig::endsOfText() const {
  for (const auto *part : {&root(), text()}) {
    const llvm::json::Value *stated =
        part ? part->get("eos_token_id") : nullptr;
    if (!stated)
      continue;
    if (auto id = stated->getAsInteger())
      return {*id};
    std::vector<int64_t> ids;
    if (const auto *list = stated->getAsArray())
      for (const auto &one : *list)
        if (auto id = one.getAsInteger(); id && !llvm::is_contained(ids, *id))
          ids.push_back(*id);
    if (!ids.empty())
      return ids;
  }
  return {};
}

std::string ModelConfig::architecture() const {
  if (const auto *all = root().getArray("architectures"))
    for (const auto &one : *all)
      if (auto name = one.getAsString(); name && !name->empty())
        return name->str();
  return "";
}

bool ModelConfig::isEncoderDecoder() const {
  return root().getBoolean("is_encoder_decoder").value_or(false);
}

std::optional<ModelConfig::Quantization> ModelConfig::quantization() const {
  for (const auto *part : {&root(), text()})
    for (StringRef key : {"quantization_config", "compression_config"})
      if (const auto *how = part ? part->getObject(key) : nullptr)
        return Quantization{key.str(),
                            how->getString("quant_method").value_or("").str()};
  return std::nullopt;
}

std::optional<ConfiguredLength>
pcc::frontend::configuredLength(StringRef model) {
  SmallString<128> path = llvm::sys::path::parent_path(model);
  llvm::sys::path::append(path, "config.json");
  // A file that is no configuration may belong to another program.
  std::string problem;
  auto config = ModelConfig::read(path, problem);
  return config ? config->longestSequence() : std::nullopt;
}
