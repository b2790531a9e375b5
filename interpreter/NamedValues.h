//===- NamedValues.h - Values that a command line gives ---------*- C++ -*-===//

#ifndef PCC_INTERPRETER_NAMEDVALUES_H
#define PCC_INTERPRETER_NAMEDVALUES_H

#include "interpreter/Arrays.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::interp {

/// Arrays by key, each as text (see readArray) or as part of a JSON file.
class NamedValues {
public:
  /// Texts that read key=value, and the path of a JSON file that holds an
  /// object, or nothing.
  llvm::Error add(llvm::ArrayRef<std::string> pairs, llvm::StringRef file);

  /// Whether add() was given the key.
  bool has(llvm::StringRef key) const {
    return text.count(key) || json.count(key);
  }
  /// The value of a key that is there.
  llvm::Expected<Tensor> get(llvm::StringRef key, mlir::RankedTensorType type);
  /// All keys, in alphabetical order.
  std::vector<std::string> keys() const;
  /// A key that was never asked for, or nothing.
  std::string unused() const;

private:
  llvm::StringMap<std::string> text;
  llvm::StringMap<llvm::json::Value> json;
  llvm::StringSet<> used;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_NAMEDVALUES_H
