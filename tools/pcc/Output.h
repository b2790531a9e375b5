//===- Output.h - Atomic writing of files -----------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_OUTPUT_H
#define PCC_TOOLS_PCC_OUTPUT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace pcc {

/// Whether two paths refer to the same file, also through links and other
/// spellings. Files need not exist.
bool isSameFile(llvm::StringRef a, llvm::StringRef b);

/// Checks a destination before anything is computed. Fails if it is a folder or
/// an input file, or if it cannot be written.
mlir::LogicalResult checkDestination(llvm::StringRef path,
                                     llvm::ArrayRef<std::string> inputs);

/// Calls `write` with the path of a temporary file, and renames that to `path`
/// on success; removes it on failure. A destination that exists and is not a
/// regular file (/dev/null, a pipe) is written directly.
mlir::LogicalResult
writeWhole(llvm::StringRef path,
           llvm::function_ref<mlir::LogicalResult(llvm::StringRef)> write);

/// Writes text in the same way; "-" is standard output.
mlir::LogicalResult
writeText(llvm::StringRef path,
          llvm::function_ref<void(llvm::raw_ostream &)> print);

} // namespace pcc

#endif // PCC_TOOLS_PCC_OUTPUT_H
