//===- ModelDirectory.h - Directories of transformers -----------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIRECTORY_MODELDIRECTORY_H
#define PCC_TOOLS_PCC_DIRECTORY_MODELDIRECTORY_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/ErrorOr.h"
#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// A file as export.json records it.
struct FileStamp {
  std::string name; ///< from its folder
  int64_t size = 0;
  int64_t time = 0; ///< of the last change, in nanoseconds

  bool operator==(const FileStamp &other) const {
    return name == other.name && size == other.size && time == other.time;
  }
};

/// The stamp of the file `name` in a folder; an error code if it cannot be
/// read.
llvm::ErrorOr<FileStamp> stampOf(llvm::StringRef folder, llvm::StringRef name);

/// The choices of --task.
llvm::ArrayRef<llvm::StringRef> exportTasks();

/// A directory that save_pretrained wrote.
struct ModelDirectory {
  std::string path; ///< as on the command line
  std::string name; ///< the model's, from the path
  std::string task; ///< for pcc-export
  /// Whether it has safetensors.
  bool hasWeights = false;
  /// Whether config.json names Python code in the directory.
  bool hasCode = false;
  /// The files that an export may read, sorted by name.
  std::vector<FileStamp> files;
};

/// Reads the facts of a directory. `task` is --task, or empty: it then follows
/// from config.json. Errors, which are printed with the way out: no or invalid
/// config.json; no weights, unless `randomInit`; weights that are quantized,
/// pickled, incomplete or an adapter's; an unknown task.
mlir::FailureOr<ModelDirectory>
readModelDirectory(llvm::StringRef path, llvm::StringRef task, bool randomInit);

/// The names of the directory's files that belong to a trained model as well:
/// configuration, tokenizer, chat templates. Sorted.
std::vector<std::string> companionFiles(llvm::StringRef folder);

/// Fails, with a message, if `path` is no directory and obviously no input of
/// pcc: a model's name on the hub, or a file of weights alone.
mlir::LogicalResult checkModelPath(llvm::StringRef path);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DIRECTORY_MODELDIRECTORY_H
