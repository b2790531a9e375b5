//===- ModelConfig.h - The config.json of a model ---------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_MODELCONFIG_H
#define PCC_FRONTEND_IMPORT_MODELCONFIG_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace pcc::frontend {

/// A number that a configuration of transformers states.
struct ConfiguredLength {
  int64_t length;
  std::string key; ///< such as "max_position_embeddings"
};

/// A configuration that transformers wrote for a model.
class ModelConfig {
public:
  /// Reads the file at `path`. If it is no JSON object, `problem` says why:
  /// "is not JSON: ...".
  static std::optional<ModelConfig> read(llvm::StringRef path,
                                         std::string &problem);

  /// The longest sequence. Nothing if the file is not of transformers, it
  /// states no length, or the length is no bound: T5 and similar models compute
  /// positions from distances.
  std::optional<ConfiguredLength> longestSequence() const;
  /// The ids in "eos_token_id", a number or a list; none if it is neither.
  std::vector<int64_t> endsOfText() const;
  /// The first class in "architectures"; empty if there is none.
  std::string architecture() const;
  /// Whether it has an encoder and a decoder, by "is_encoder_decoder".
  bool isEncoderDecoder() const;
  /// Whether it names Python code in the directory.
  bool hasCode() const { return root().get("auto_map"); }

  /// A key that says that the weights are quantized, and the method, which may
  /// be empty.
  struct Quantization {
    std::string key, method;
  };
  /// Returns how the weights are quantized, if they are.
  std::optional<Quantization> quantization() const;

private:
  explicit ModelConfig(llvm::json::Value value) : value(std::move(value)) {}
  const llvm::json::Object &root() const { return *value.getAsObject(); }
  /// The configuration of the text inside that of a model of text and images.
  const llvm::json::Object *text() const {
    return root().getObject("text_config");
  }

  llvm::json::Value value;
};

/// The longest sequence by the config.json in the folder of the file at
/// `model`, if there is one.
std::optional<ConfiguredLength> configuredLength(llvm::StringRef model);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_MODELCONFIG_H
