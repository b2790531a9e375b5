//===- Outputs.h - The scalar results of a step -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_OUTPUTS_H
#define PCC_RUNTIME_TRAIN_OUTPUTS_H

#include "runtime/Program.h"
#include "runtime/support/Mesh.h"

#include <string>
#include <vector>

namespace pcc {

/// The scalars that entries leave. They are copied as each entry leaves them,
/// and taken later, in the same order: one more entry may have been issued by
/// then. What is said of all ranks: they call it alike.
class Outputs {
public:
  /// Of steps, or of evaluations.
  Outputs(const pcc_program &program, const Coordinates &coordinates,
          bool evaluation);

  /// Asks for those that the entry issued last leaves in the arena. Of two
  /// requests at most the scalars were not taken.
  void request(const char *arena);
  /// Waits for those asked for first and not taken yet; what follows tells of
  /// these, until the next request but one.
  void take();

  /// Reads the one called `name`. Where the first stage does not have it, the
  /// first that does tells all ranks. False: no stage has it. For all ranks.
  bool read(const char *name, float &value) const;
  /// The names that begin with `prefix`, of any stage, each once and in the
  /// same order on all ranks.
  std::vector<std::string> names(const std::string &prefix) const;

private:
  /// Those of a stage: the first, and how many there are.
  struct List {
    const pcc_output *first;
    int count;
    const pcc_output *find(const char *name) const;
  };
  List listOf(const pcc_stage &stage) const;

  const pcc_program &program;
  bool evaluation;
  List own;
  int64_t requested = 0, taken = 0;
  std::vector<float> values[2]; ///< by turn; those of `own`
};

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_OUTPUTS_H
