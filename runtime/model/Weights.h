//===- Weights.h - Initial values of the parameters -------------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_WEIGHTS_H
#define PCC_RUNTIME_MODEL_WEIGHTS_H

#include "runtime/model/WeightFiles.h"
#include "runtime/support/MappedFile.h"
#include "runtime/support/Mesh.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pcc {

/// Returns the files of the source model as they were given to pcc: the model
/// file and its external data.
std::set<std::string> sourceFiles(const pcc_program &program);

/// The model files with the parameters' values, each mapped and checked once.
/// modelPlaces() are searched for them.
class SourceFiles {
public:
  /// `model`: the new path of the program's model file or of its folder, or
  /// empty. Given a path, external data are searched relative to the new path.
  SourceFiles(const pcc_program &program, std::string model);

  /// Returns the bytes of a source tensor. Exits with ExitData if the file
  /// cannot be read, or if its size or digest changed since the compilation.
  const char *tensor(const pcc_source &source, int64_t bytes);
  /// Releases the memory that files were read into; they stay mapped.
  /// Invalidates the bytes that tensor() returned for encoded sources.
  void release();

  /// Returns the current path of a model's file, named as it was given to pcc.
  /// Exits with ExitData if it is not found.
  std::string find(const std::string &file) const;

  /// Returns the current path of the program's model file, which need not exist
  /// if a new one was given; empty if it is not found or there is none.
  std::string modelPath() const;

  /// Returns the current paths of the model's files, without those not found.
  std::vector<std::string> places() const;

private:
  std::string placeOf(const std::string &file) const;
  /// Returns the current path of a file; empty if it is not found. Under
  /// --model, or if the path is absolute, the file need not exist.
  std::string locate(const std::string &file) const;

  const char *decoded(const pcc_source &source, const MappedFile &file,
                      int64_t bytes);

  const pcc_program &program;
  std::string model;
  std::map<std::string, std::unique_ptr<MappedFile>> files;
  /// Decoded elements of encoded sources, by file and offset.
  std::map<std::pair<std::string, int64_t>, std::vector<char>> elements;
};

/// The source of the parameters' initial values.
struct InitialValues {
  /// From the model's files, from a random number generator, or from
  /// safetensors files.
  enum { FromSource, Random, FromTensors } kind = FromSource;
  uint64_t seed = 0;                    ///< for Random
  const WeightFiles *tensors = nullptr; ///< for FromTensors
  ExitCode code = ExitData;             ///< if a tensor is missing there
};

/// Returns the initial values that --init `how` selects. An empty `how` means
/// the source's if all parameters have files, else random ones. `files` is set
/// to the open safetensors files, which must outlive the values.
InitialValues initialValues(const pcc_program &program, const std::string &how,
                            uint64_t seed, std::unique_ptr<WeightFiles> &files);

/// Fills this rank's shards of the stage's parameters, and of optimizer states
/// that start at one, in a zeroed arena. Holds no more than a few blocks of the
/// files in memory. Random values are keyed by seed, source tensor and source
/// element, so they are the same in every parallel layout.
void fillParameters(const pcc_program &program, const pcc_stage &stage,
                    const Coordinates &coordinates, char *arena,
                    const InitialValues &values, SourceFiles &files);

/// Rounds this rank's parameters to the working copies of its stage (PCC_COPY).
/// Called once the parameters have their initial or loaded values. Working
/// copies of bucketed parameters are left to the steps, which gather them.
void roundWorkingCopies(const pcc_program &program, const pcc_stage &stage,
                        const Coordinates &coordinates, char *arena);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_WEIGHTS_H
