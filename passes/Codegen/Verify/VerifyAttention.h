//===- VerifyAttention.h - Gradients of the attention there was -*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYATTENTION_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYATTENTION_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Fails where the library is to make the gradient of another attention than
/// that which left the stats: one that is causal where the other one is not,
/// that scales otherwise, or none at all.
mlir::LogicalResult verifyAttention(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYATTENTION_H
