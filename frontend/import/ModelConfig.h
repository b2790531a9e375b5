//===- ModelConfig.h - The config.json next to a model ----------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_MODELCONFIG_H
#define PCC_FRONTEND_IMPORT_MODELCONFIG_H

#include "mlir/Support/LLVM.h"
#include <optional>
#include <string>

namespace pcc::frontend {

/// A number that a configuration of transformers states.
struct ConfiguredLength {
  int64_t length;
  std::string key; ///< such as "max_position_embeddings"
};

/// The longest sequence by the config.json in the folder of the file at
/// `model`. Nothing if there is none of transformers, it states no length, or
/// the length is no bound: T5 and similar models compute positions from
/// distances.
std::optional<ConfiguredLength> configuredLength(llvm::StringRef model);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_MODELCONFIG_H
