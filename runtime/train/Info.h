//===- Info.h - The texts that describe a program ---------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_INFO_H
#define PCC_RUNTIME_TRAIN_INFO_H

#include "runtime/Program.h"

#include <string>

namespace pcc {

/// The batch of a step and its factors, such as "16 samples = micro batch 2 x
/// dp 2 x 4 microbatches".
std::string batchText(const pcc_program &program);

/// The output of --info.
std::string infoText(const pcc_program &program);

/// How this rank computes GEMMs of the program's low-precision parameters, such
/// as "bf16: oneDNN (AMX)"; empty if the program has none.
std::string gemmText(const pcc_program &program);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_INFO_H
