//===- VerifyAttention.h - Stats of attention gradients ---------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYATTENTION_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYATTENTION_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Fails where an attention gradient uses stats of an attention with another
/// mask or scale, or stats that no rt.attention wrote.
mlir::LogicalResult verifyAttention(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYATTENTION_H
