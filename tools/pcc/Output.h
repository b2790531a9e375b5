//===- Output.h - Files that appear whole or not at all ---------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_OUTPUT_H
#define PCC_TOOLS_PCC_OUTPUT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace pcc {

/// Calls `write` with the path of a file to fill and renames that to `path`
/// when it succeeds; nothing is left behind when it fails. A destination that
/// exists and is not a regular file (/dev/null, a pipe) is written directly.
mlir::LogicalResult
writeWhole(llvm::StringRef path,
           llvm::function_ref<mlir::LogicalResult(llvm::StringRef)> write);

/// The same for text; "-" is standard output.
mlir::LogicalResult
writeText(llvm::StringRef path,
          llvm::function_ref<void(llvm::raw_ostream &)> print);

} // namespace pcc

#endif // PCC_TOOLS_PCC_OUTPUT_H
