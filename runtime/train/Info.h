//===- Info.h - What a program says of itself -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_INFO_H
#define PCC_RUNTIME_TRAIN_INFO_H

#include "runtime/Program.h"

#include <string>

namespace pcc {

/// A step's samples and where they come from, such as "16 samples = micro batch
/// 2 x dp 2 x 4 microbatches".
std::string batchText(const pcc_program &program);

/// The text of --info.
std::string infoText(const pcc_program &program);

/// How products of the program's 16-bit parameters are computed on this rank,
/// such as "bf16: oneDNN (AMX)"; empty if it has none of those.
std::string productsText(const pcc_program &program);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_INFO_H
