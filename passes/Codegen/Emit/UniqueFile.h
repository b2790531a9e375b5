//===- UniqueFile.h - Files that a signal removes ---------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_UNIQUEFILE_H
#define PCC_PASSES_CODEGEN_EMIT_UNIQUEFILE_H

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

namespace pcc {

/// Creates an empty file, whose name is `model` with each % replaced by a hex
/// digit, and sets `path` to it. A signal that ends the process removes it, up
/// to llvm::sys::DontRemoveFileOnSignal(path). It is registered before it
/// exists, so no signal can come in between.
inline std::error_code createUniqueFile(const llvm::Twine &model,
                                        llvm::SmallVectorImpl<char> &path) {
  std::error_code error;
  for (int attempt = 0; attempt < 100; ++attempt) {
    llvm::sys::fs::createUniquePath(model, path, /*MakeAbsolute=*/false);
    llvm::StringRef name(path.data(), path.size());
    llvm::sys::RemoveFileOnSignal(name);
    int file = -1;
    error = llvm::sys::fs::openFileForWrite(
        name, file, llvm::sys::fs::CD_CreateNew, llvm::sys::fs::OF_None,
        llvm::sys::fs::all_read | llvm::sys::fs::all_write);
    if (!error)
      return llvm::sys::Process::SafelyCloseFileDescriptor(file);
    llvm::sys::DontRemoveFileOnSignal(name);
    if (error != std::errc::file_exists)
      return error;
  }
  return error;
}

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_UNIQUEFILE_H
