//===- VerifySums.h - Is each sum reduced when it must be? ------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYSUMS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYSUMS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Follows, from one call to the next, over which ranks what a buffer holds is
/// still to be added. Fails where a function takes it otherwise than the call
/// before has left it, or splits it otherwise than its buffer says, or where an
/// entry point leaves what is kept otherwise than it found it. `program` may be
/// null.
mlir::LogicalResult verifySums(rt::StageOp stage, rt::ProgramOp program);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYSUMS_H
