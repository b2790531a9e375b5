//===- VerifyTransfers.h - Deadlocks between stages -------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYTRANSFERS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYTRANSFERS_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Executes the entry points of all stages against each other. Every transfer
/// is a rendezvous that starts when the previous one in program order is done,
/// on any stream. Fails where the stages do not finish: where a send has no
/// matching receive of as many bytes, or a collective across stages is not the
/// same in all of them.
mlir::LogicalResult verifyTransfers(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYTRANSFERS_H
