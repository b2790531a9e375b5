//===- ModelDirectory.h - Directories of transformers -----------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIRECTORY_MODELDIRECTORY_H
#define PCC_TOOLS_PCC_DIRECTORY_MODELDIRECTORY_H

#include "mlir/Support/LLVM.h"
#include "tools/pcc/Directory/DirectoryFiles.h"
#include "llvm/ADT/ArrayRef.h"

namespace pcc {

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
  /// The files that an export reads or copies, sorted by name.
  std::vector<FileStamp> files;
};

/// Reads the facts of a directory. `task` is --task, or empty: it then follows
/// from config.json. Errors, which are printed with the way out: no or invalid
/// config.json; no weights, unless `randomInit`; weights that are quantized,
/// pickled, incomplete or an adapter's; an unknown task.
mlir::FailureOr<ModelDirectory>
readModelDirectory(llvm::StringRef path, llvm::StringRef task, bool randomInit);

/// Fails, with a message, if `path` is no directory and obviously no input of
/// pcc: a model's name on the hub, or a file of weights alone.
mlir::LogicalResult checkModelPath(llvm::StringRef path);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DIRECTORY_MODELDIRECTORY_H
