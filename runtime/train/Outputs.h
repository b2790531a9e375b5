//===- Outputs.h - The scalar results of a step -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_OUTPUTS_H
#define PCC_RUNTIME_TRAIN_OUTPUTS_H

#include "runtime/Program.h"
#include "runtime/support/Mesh.h"

#include <string>
#include <vector>

namespace pcc {

/// The scalars that entries leave in the arena. They are copied after each
/// entry and taken later in the same order; one more entry may have been issued
/// by then.
class Outputs {
public:
  /// For steps, or for evaluations.
  Outputs(const pcc_program &program, const Coordinates &coordinates,
          bool evaluation);

  /// Requests the scalars of the entry that was issued last. At most two
  /// requests may be pending.
  void request(const char *arena);
  /// Waits for the oldest pending request. read() returns its scalars until the
  /// next take(), or until the second request after its own.
  void take();

  /// Reads the scalar `name`. If the first stage does not have it, the first
  /// stage that does broadcasts it to all ranks. Returns false if no stage has
  /// it. All ranks must call it.
  bool read(const char *name, float &value) const;
  /// The distinct names with this prefix of all stages, in the same order on
  /// all ranks.
  std::vector<std::string> names(const std::string &prefix) const;

private:
  /// The outputs of a stage.
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
  std::vector<float> values[2]; ///< by slot; in the order of `own`
};

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_OUTPUTS_H
