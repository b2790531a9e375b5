//===- Info.h - The texts that describe a program ---------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_INFO_H
#define PCC_RUNTIME_TRAIN_INFO_H

#include "runtime/Backend.h"
#include "runtime/Program.h"
#include "runtime/support/Options.h"

#include <string>

namespace pcc {

/// The batch of a step and its factors, such as "16 samples = micro batch 2 x
/// dp 2 x 4 microbatches".
std::string batchText(const pcc_program &program);

/// The offloaded range of a stage's arenas, and the folder for it, if any.
backend::Offload offloadOf(const pcc_program &program, const pcc_stage &stage,
                           const TrainingOptions &options);
/// ", 2.0 GiB offloaded to 'DIR'"; empty if nothing is.
std::string offloadText(const backend::Offload &offload);

/// The output of --info.
std::string infoText(const pcc_program &program);

/// How this rank computes GEMMs of the program's low-precision parameters, such
/// as "bf16: oneDNN (AMX)"; empty if the program has none.
std::string gemmText(const pcc_program &program);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_INFO_H
