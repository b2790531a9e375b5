//===- ModelConfig.cpp - The config.json next to a model ------------------===//

#include "frontend/import/ModelConfig.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
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

std::optional<ConfiguredLength>
pcc::frontend::configuredLength(StringRef model) {
  SmallString<128> path = llvm::sys::path::parent_path(model);
  llvm::sys::path::append(path, "config.json");
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return std::nullopt;
  auto parsed = llvm::json::parse((*text)->getBuffer());
  if (!parsed) {
    // It may belong to another program.
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *config = parsed->getAsObject();
  auto kind = config ? config->getString("model_type") : std::nullopt;
  if (!kind || llvm::is_contained(kUnbounded, *kind))
    return std::nullopt;
  // A model of text and images has the configuration of the text inside.
  if (const llvm::json::Object *part = config->getObject("text_config"))
    config = part;
  for (StringRef key : kKeys)
    if (auto length = config->getInteger(key); length && *length > 0)
      return ConfiguredLength{*length, key.str()};
  return std::nullopt;
}
