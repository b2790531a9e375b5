//===- VerifyBuckets.h - Members and shards of buckets ----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYBUCKETS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYBUCKETS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Checks the members and shards of a stage's buckets: their offsets, their
/// extents, and that a parameter, its gradient and its optimizer state match.
/// `program` may be null.
mlir::LogicalResult verifyBuckets(rt::StageOp stage, rt::ProgramOp program);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYBUCKETS_H
