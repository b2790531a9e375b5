//===- WeightFiles.h - Weights in one or several files ----------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_WEIGHTFILES_H
#define PCC_RUNTIME_MODEL_WEIGHTFILES_H

#include "runtime/model/SafeTensors.h"
#include "runtime/model/SourceMap.h"

#include <memory>
#include <string>
#include <vector>

namespace pcc {

/// The weights of a model: one safetensors file or several, its shards.
class WeightFiles {
public:
  /// A tensor, and the file that contains it.
  struct Found {
    const SafeTensors *file = nullptr; ///< null: there is none
    const SafeTensors::Tensor *tensor = nullptr;
  };

  /// `files`: at least one.
  WeightFiles(std::vector<std::unique_ptr<SafeTensors>> files, ExitCode code)
      : files(std::move(files)), code(code) {}

  /// Finds a source tensor by its name in checkpoints or, else, in the source.
  /// Exits with the code given if two files have it.
  Found find(const SourceMap &map) const;
  /// Exits unless all blocks that were read have their saved hashes.
  void requireWhole() const;
  /// The path of the first file.
  const std::string &path() const { return files.front()->path(); }
  /// Names the files in messages: "'model.safetensors'", or the first one with
  /// the number of the others.
  std::string names() const;

private:
  Found find(const std::string &name) const;

  std::vector<std::unique_ptr<SafeTensors>> files;
  ExitCode code;
};

/// Opens initial values: a safetensors file, the index of shards, or a folder
/// with model.safetensors or an index. The files of a checkpoint are verified
/// by their hashes. Exits with ExitData on failure.
std::unique_ptr<WeightFiles> openInitial(const std::string &path);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_WEIGHTFILES_H
