//===- GivenData.h - Checks of the data given to pcc verify -----*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_GIVENDATA_H
#define PCC_TOOLS_PCC_VERIFY_GIVENDATA_H

#include "mlir/Support/LLVM.h"
#include "tools/pcc/verify/Facts.h"

namespace pcc {

/// Reports, before anything is compiled, a path of --data that cannot be read
/// or is empty. Programs check formats and token ids.
mlir::LogicalResult checkReadable(llvm::StringRef data, llvm::StringRef input);

/// Reports, once the facts of the plan are known, a folder without an array
/// that the model reads, and token files that are too short for a step.
mlir::LogicalResult checkSuitable(llvm::StringRef data, const Facts &plan,
                                  llvm::StringRef input);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_GIVENDATA_H
