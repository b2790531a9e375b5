//===- NamedValues.h - Values given on a command line -----------*- C++ -*-===//

#ifndef PCC_INTERPRETER_NAMEDVALUES_H
#define PCC_INTERPRETER_NAMEDVALUES_H

#include "interpreter/Arrays.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::interp {

/// Arrays by key, given as text (see readArray) or in a JSON file.
class NamedValues {
public:
  /// Adds texts of the form key=value, and the members of a JSON object in a
  /// file, if a path is given.
  llvm::Error add(llvm::ArrayRef<std::string> pairs, llvm::StringRef file);

  /// Whether add() was given the key.
  bool has(llvm::StringRef key) const {
    return text.count(key) || json.count(key);
  }
  /// Returns the value of a key, which must exist, and marks it as used.
  llvm::Expected<Tensor> get(llvm::StringRef key, mlir::RankedTensorType type);
  /// All keys, in alphabetical order.
  std::vector<std::string> keys() const;
  /// Returns a key that was never passed to get(), or an empty string.
  std::string unused() const;

private:
  llvm::StringMap<std::string> text;
  llvm::StringMap<llvm::json::Value> json;
  llvm::StringSet<> used;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_NAMEDVALUES_H
