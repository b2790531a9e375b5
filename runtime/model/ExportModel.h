//===- ExportModel.h - Trained weights in the source model ------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_EXPORTMODEL_H
#define PCC_RUNTIME_MODEL_EXPORTMODEL_H

#include "runtime/model/TrainingState.h"

namespace pcc {

/// Returns the files that exportModel() writes: `target`, and its external data
/// under the folder of `target`. Exits with ExitUsage if the program has no
/// source model, and with ExitOutput if external data are outside the model's
/// folder.
std::vector<std::string> exportTargets(const pcc_program &program,
                                       const std::string &target);

/// Exits unless the source model can be copied to `target`; creates the
/// folders.
void checkExport(const pcc_program &program, const SourceFiles &files,
                 const std::string &target);

/// Copies the source model to `target` and its external data to the same
/// relative paths, with the current parameters in place of the source's: same
/// names, same layout, same types. Parameters that an exporter merged get
/// initializers of their own. All ranks call it; rank 0 writes under temporary
/// names and renames the files when all are complete.
void exportModel(const TrainingState &state, const std::string &target);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_EXPORTMODEL_H
