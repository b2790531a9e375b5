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

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_INFO_H
