//===- VerifyClocks.h - Race detection between streams ----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYCLOCKS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYCLOCKS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Runs the entry points of a stage one after the other in every order until no
/// new state appears. Fails where two streams access the same bytes, one of
/// them writes, and no event orders the accesses; also where a stream waits for
/// an event that was never recorded. The stage must have offsets.
mlir::LogicalResult verifyClocks(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYCLOCKS_H
