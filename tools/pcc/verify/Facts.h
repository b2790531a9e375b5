//===- Facts.h - Facts about a program that is verified ---------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_FACTS_H
#define PCC_TOOLS_PCC_VERIFY_FACTS_H

#include "tools/pcc/Arguments.h"
#include "tools/pcc/Summary.h"
#include <map>
#include <optional>

namespace pcc {

/// An input that a program reads from data.
struct DataInput {
  std::string name; ///< in the model
  std::string role; ///< "tokens", "targets", "labels", "data" or "shared"
  std::vector<int64_t> shape; ///< of one sample, or of all if they share it
  bool isPerSample = true, isReal = false;
  int64_t below = 0;     ///< the exclusive bound of ids; 0: none
  bool isOfLoss = false; ///< ids that only a loss uses
  /// Of tokens: those that end a document.
  std::vector<int64_t> ends;
};

/// Facts about a program, which its compilation sends to pcc verify.
struct Facts {
  int64_t tp = 1, cp = 1, dp = 1, pp = 1;
  int64_t globalBatch = 1, microBatch = 1, seq = 0;
  int64_t trained = 0; ///< elements of trained parameters
  std::string precision, optimizer, optimizerState, zero;
  /// The bytes of all ranks: in all, and without activations.
  int64_t bytes = 0, stateBytes = 0;
  /// Whether parameters have values in a file.
  bool hasWeights = false;
  /// The files that have these values.
  std::vector<std::string> files;
  /// The model file, as given to pcc.
  std::string source;
  /// The parameters as the model has them: the type by name, empty if it is not
  /// known, and the digest of the file with the values, if there is one.
  std::map<std::string, std::string> parameters, digests;
  std::vector<DataInput> inputs;

  /// Returns the number of ranks.
  int64_t ranks() const { return tp * cp * dp * pp; }
};

/// Collects the facts from a module at phase rt.
Facts factsOf(mlir::ModuleOp module, const Summary &summary);

/// Converts to JSON.
llvm::json::Value toJson(const Facts &facts);
/// Converts from JSON; nullopt if it is invalid.
std::optional<Facts> factsFrom(const llvm::json::Value &value);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_FACTS_H
