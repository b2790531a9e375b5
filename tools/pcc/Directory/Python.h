//===- Python.h - The Python that exports models ----------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIRECTORY_PYTHON_H
#define PCC_TOOLS_PCC_DIRECTORY_PYTHON_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <vector>

namespace pcc {

/// A Python with the packages of pcc-export.
struct Python {
  std::string path;
  /// The versions of its packages, by name.
  std::map<std::string, std::string> versions;
};

/// Finds a Python that has PyTorch and transformers: `given` (--python) if it
/// is not empty, else beside pcc, of $VIRTUAL_ENV, or on PATH. On failure
/// `problem` is the error and its notes, a line each.
mlir::FailureOr<Python> findPython(llvm::StringRef given,
                                   std::vector<std::string> &problem);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DIRECTORY_PYTHON_H
