//===- VerifyTransfers.h - Do the stages' transfers meet? -------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYTRANSFERS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYTRANSFERS_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Runs the entry points of all stages against each other, every transfer a
/// rendezvous that begins when the one before it in program order is done,
/// whatever streams they are on. Fails where they do not finish: where a send
/// meets no receive of as many bytes, or a collective across stages not the
/// same one in all.
mlir::LogicalResult verifyTransfers(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYTRANSFERS_H
