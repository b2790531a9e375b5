//===- GivenData.h - Checks of the data given to pcc verify -----*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_GIVENDATA_H
#define PCC_TOOLS_PCC_VERIFY_GIVENDATA_H

#include "mlir/Support/LLVM.h"
#include "tools/pcc/verify/Facts.h"

namespace pcc {

/// Returns the paths that a value of --data names: itself, or its parts between
/// commas.
std::vector<std::string> dataPaths(llvm::StringRef data);

/// Reports, before anything is compiled, a path of --data that cannot be read,
/// or that holds nothing. Programs check the rest.
mlir::LogicalResult checkReadable(llvm::StringRef data, llvm::StringRef input);

/// Reports, once the facts of the plan are known, a folder without an array
/// that the model reads, and token files that are too short for a step.
mlir::LogicalResult checkSuitable(llvm::StringRef data, const Facts &plan,
                                  llvm::StringRef input);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_GIVENDATA_H
