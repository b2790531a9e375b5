//===- VerifyClocks.h - Are accesses of two streams ordered? ----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYCLOCKS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYCLOCKS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Runs the entry points of a stage one after the other, in every order, until
/// nothing new comes of it. Fails where two streams use the same bytes, one of
/// them writes, and no event orders the two; or where an event is waited for
/// that is not recorded. The stage must be planned.
mlir::LogicalResult verifyClocks(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYCLOCKS_H
