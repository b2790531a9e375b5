//===- Weights.h - Initial values of the parameters -------------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_WEIGHTS_H
#define PCC_RUNTIME_MODEL_WEIGHTS_H

#include "runtime/model/SafeTensors.h"
#include "runtime/support/MappedFile.h"
#include "runtime/support/Mesh.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pcc {

/// The files of the source model as they were given to pcc: the model file and
/// those of its external data.
std::set<std::string> sourceFiles(const pcc_program &program);

/// The model files that parameters come from, each mapped and checked once. A
/// relative path is looked for in the current folder, then in the executable's.
class SourceFiles {
public:
  /// `model`: where the program's model file lies now, or empty. Files that
  /// were named beside it are then looked for beside the new one.
  SourceFiles(const pcc_program &program, std::string model)
      : program(program), model(std::move(model)) {}

  /// The bytes of a source tensor. Exits with ExitData if the file cannot be
  /// read, or is not the one that was compiled.
  const char *tensor(const pcc_source &source, int64_t bytes);
  /// Lets go of the memory that files were read into; they stay mapped. What
  /// tensor() gave for an encoded source is gone.
  void release();

  /// Where a file of the model, named as it was given to pcc, lies now. Exits
  /// with ExitData if it is not found.
  std::string find(const std::string &file) const;

  /// Where the files of the model lie now; those that are not found are left
  /// out.
  std::vector<std::string> places() const;

private:
  std::string placeOf(const std::string &file) const;
  /// Where a file lies now, if it is there; else empty.
  std::string look(const std::string &file) const;

  const char *decoded(const pcc_source &source, const MappedFile &file,
                      int64_t bytes);

  const pcc_program &program;
  std::string model;
  std::map<std::string, std::unique_ptr<MappedFile>> files;
  /// Elements of encoded sources, by the file and the offset.
  std::map<std::pair<std::string, int64_t>, std::vector<char>> elements;
};

/// How parameters get their first values.
struct InitialValues {
  /// Whether they come from the model's files, are drawn, or come from a
  /// safetensors file.
  enum { FromSource, Random, FromTensors } kind = FromSource;
  uint64_t seed = 0;                    ///< for Random
  const SafeTensors *tensors = nullptr; ///< for FromTensors
  ExitCode code = ExitData;             ///< for a tensor missing there
};

/// The values that --init `how` asks for; empty: the source's where there are
/// files for all parameters, random ones otherwise. `file` holds a safetensors
/// file as long as they are used.
InitialValues initialValues(const pcc_program &program, const std::string &how,
                            uint64_t seed, std::unique_ptr<SafeTensors> &file);

/// Fills what this rank stores of all parameters of its stage, and the states
/// that start at one; the arena is zeroed before. Holds no more than a few
/// blocks of the files in memory. Random values are keyed by
/// seed, source tensor and source element, so that every layout has the same.
void fillParameters(const pcc_program &program, const pcc_stage &stage,
                    const Coordinates &coordinates, char *arena,
                    const InitialValues &values, SourceFiles &files);

/// Rounds this rank's parameters to the copies that its stage computes with
/// (PCC_COPY): once they have their first values, from wherever. Copies of what
/// ranks keep parts of are left to the steps, which gather them.
void roundCopies(const pcc_program &program, const pcc_stage &stage,
                 const Coordinates &coordinates, char *arena);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_WEIGHTS_H
