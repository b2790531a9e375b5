//===- VerifyBuckets.h - What lies in a stage's buckets ---------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYBUCKETS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYBUCKETS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Checks that what lies in the buckets of a stage lies in them whole, where
/// its offset says, and where nothing else does; `program` may be null.
mlir::LogicalResult verifyBuckets(rt::StageOp stage, rt::ProgramOp program);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYBUCKETS_H
