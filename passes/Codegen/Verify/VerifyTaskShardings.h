//===- VerifyTaskShardings.h - Shardings of task operands -------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYTASKSHARDINGS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYTASKSHARDINGS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Follows from call to call over which axes the contents of each buffer are
/// partial. Fails where a function takes a buffer as partial over other axes
/// than the previous call left it, where it takes a buffer in another sharding
/// than the buffer declares, or where persistent contents are partial over
/// other axes at the end of an entry point than at its begin. `program` may be
/// null.
mlir::LogicalResult verifySums(rt::StageOp stage, rt::ProgramOp program);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYTASKSHARDINGS_H
