//===- Destinations.h - What a run may write --------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_DESTINATIONS_H
#define PCC_RUNTIME_TRAIN_DESTINATIONS_H

#include "runtime/model/Weights.h"
#include "runtime/support/Options.h"

namespace pcc {

/// Checks, before a run begins, every file that its flags name to be written:
/// none is a file that it reads (data, weights, the model, the program) or that
/// another flag writes, by whatever path, and all can be written to. Exits with
/// ExitOutput otherwise. Makes the folders of --save and --export-onnx.
void checkDestinations(const pcc_program &program,
                       const TrainingOptions &options,
                       const SourceFiles &files);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_DESTINATIONS_H
