//===- DirectoryFiles.h - Files of model directories ------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIRECTORY_DIRECTORYFILES_H
#define PCC_TOOLS_PCC_DIRECTORY_DIRECTORYFILES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorOr.h"
#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// The path of a file in a folder.
std::string joined(llvm::StringRef folder, const llvm::Twine &name);

/// A file as export.json records it.
struct FileStamp {
  std::string name; ///< from its folder, in UTF-8
  int64_t size = 0;
  int64_t time = 0; ///< of the last change, in nanoseconds

  bool operator==(const FileStamp &other) const {
    return name == other.name && size == other.size && time == other.time;
  }
};

/// The stamp of the file `name` in a folder; an error code if it cannot be
/// read.
llvm::ErrorOr<FileStamp> stampOf(llvm::StringRef folder, llvm::StringRef name);

/// The names of a folder's visible files, sorted; those below
/// additional_chat_templates/ with that folder.
std::vector<std::string> filesOf(llvm::StringRef folder);

/// Whether an export copies a file, by its name: configuration, tokenizer, chat
/// templates; with `hasCode`, Python. As FILES of pcc_export/companions.py.
bool isCompanion(llvm::StringRef name, bool hasCode);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DIRECTORY_DIRECTORYFILES_H
