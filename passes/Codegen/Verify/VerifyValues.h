//===- VerifyValues.h - Checks the values that ops access -------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYVALUES_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYVALUES_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Executes each task with `rt.values` on a model of memory that holds values.
/// Fails where a buffer holds another value, or another part of it, than an op
/// reads or the task should leave in it; where a collective does not convert
/// the sharding of its operand to that of its result; and where a GEMM's
/// epilogue is applied to a partial sum. The stage must have offsets.
mlir::LogicalResult verifyValues(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYVALUES_H
