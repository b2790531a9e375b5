//===- ExportModel.h - Trained weights in the source model ------*- C++ -*-===//

#ifndef PCC_RUNTIME_COMMON_EXPORTMODEL_H
#define PCC_RUNTIME_COMMON_EXPORTMODEL_H

#include "runtime/common/Checkpoint.h"

namespace pcc {

/// Exits with ExitOutput if the source model cannot be copied to `target`: it
/// would overwrite a file it is made of, or the folder cannot be written. With
/// ExitUsage if the program has no source model.
void checkExport(const pcc_program &program, const SourceFiles &files,
                 const std::string &target);

/// Copies the source model to `target`, its external data to the same places
/// beside it, and puts the present parameters where the source's lie: same
/// names, same layout, same types. Parameters that an exporter merged get
/// initializers of their own. All ranks call it; rank 0 writes, beside the
/// files and renamed when complete.
void exportModel(const TrainingState &state, const std::string &target);

} // namespace pcc

#endif // PCC_RUNTIME_COMMON_EXPORTMODEL_H
