//===- Destinations.h - The files that a run writes -------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_DESTINATIONS_H
#define PCC_RUNTIME_TRAIN_DESTINATIONS_H

#include "runtime/model/Weights.h"
#include "runtime/support/Options.h"

namespace pcc {

/// Checks, before a run begins, each file that its flags write, except
/// TensorBoard's events. The file must be writable, which for --log-json is
/// checked only when Log opens it. It must not be a file that the run reads
/// (data, weights, the model, the program) or that another flag writes, even
/// under another path.
/// Exits with ExitOutput otherwise. Creates the folders of --save and
/// --export-onnx.
void checkDestinations(const pcc_program &program,
                       const TrainingOptions &options, const SourceFiles &files,
                       const std::string &resumed);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_DESTINATIONS_H
