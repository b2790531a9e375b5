//===- SampleMarks.h - Where a module joins samples -------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_SAMPLEMARKS_H
#define PCC_DIALECTS_NN_SAMPLEMARKS_H

#include "llvm/ADT/StringRef.h"

namespace pcc::nn {

/// On @forward, a string: the node of the model that computes with all samples
/// of a batch, as a batch norm does, in words. The ops do not show it where a
/// batch has one sample.
inline constexpr llvm::StringLiteral kJoinsSamplesAttr = "nn.joins_samples";

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_SAMPLEMARKS_H
