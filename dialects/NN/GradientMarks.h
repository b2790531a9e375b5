//===- GradientMarks.h - Where a module stops gradients ---------*- C++ -*-===//
//
// Attributes of ops in the forward pass that only autodiff reads: they change
// what flows back, never what is computed.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_GRADIENTMARKS_H
#define PCC_DIALECTS_NN_GRADIENTMARKS_H

#include "llvm/ADT/StringRef.h"

namespace pcc::nn {

/// On `nn.embedding`, a whole number: lookups of this row of the table give it
/// no gradient, as padding_idx of PyTorch's Embedding. Other uses of the table
/// do.
inline constexpr llvm::StringLiteral kPaddingRowAttr = "nn.padding_row";

/// On `nn.cast` to the type that the input has, a unit: no gradient flows
/// through it, as through detach() of PyTorch. nn-autodiff takes such casts
/// away.
inline constexpr llvm::StringLiteral kDetachedAttr = "nn.detached";

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_GRADIENTMARKS_H
