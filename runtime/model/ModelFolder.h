//===- ModelFolder.h - The files of a model directory -----------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_MODELFOLDER_H
#define PCC_RUNTIME_MODEL_MODELFOLDER_H

#include "runtime/model/SourceTensors.h"

#include <map>
#include <memory>
#include <string>

namespace pcc {

/// The files that complete a directory of trained weights, such as config.json
/// and those of the tokenizer (pcc_model_folder). They are read when a run
/// starts: whatever happens to them later, each checkpoint gets them.
class FolderFiles {
public:
  /// Reads the files from the first of these folders that has all of them: that
  /// of the model file, the model directory, and `checkpoint`, the folder of a
  /// resumed one unless empty. Exits with ExitData if none has. Returns null if
  /// the program names no files.
  static std::unique_ptr<FolderFiles> read(const pcc_program &program,
                                           const SourceFiles &files,
                                           const std::string &checkpoint);

  /// Makes the configuration name f32 where it names a low precision, for
  /// weights that are saved as f32. Exits with ExitData if it is not JSON.
  void setF32();

  /// Writes all files into a folder. Returns the error, or an empty string.
  [[nodiscard]] std::string write(const std::string &folder) const;

  /// The folder that they were read from.
  const std::string &folder() const { return from; }
  /// The number of files.
  size_t count() const { return texts.size(); }

private:
  std::string from;
  std::map<std::string, std::string> texts; ///< by name
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_MODELFOLDER_H
