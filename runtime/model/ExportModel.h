//===- ExportModel.h - Trained weights in the source model ------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_EXPORTMODEL_H
#define PCC_RUNTIME_MODEL_EXPORTMODEL_H

#include "runtime/model/TrainingState.h"

namespace pcc {

/// The files that exportModel() writes: `target` and the external data beside
/// it. Exits with ExitUsage if the program has no source model, with ExitOutput
/// if the data would not go beside it.
std::vector<std::string> exportTargets(const pcc_program &program,
                                       const std::string &target);

/// Exits unless the source model can be copied to `target`; makes the folders.
void checkExport(const pcc_program &program, const SourceFiles &files,
                 const std::string &target);

/// Copies the source model to `target`, its external data to the same places
/// beside it, and puts the present parameters where the source's lie: same
/// names, same layout, same types. Parameters that an exporter merged get
/// initializers of their own. All ranks call it; rank 0 writes, beside the
/// files and renamed when complete.
void exportModel(const TrainingState &state, const std::string &target);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_EXPORTMODEL_H
