//===- VerifyMicrobatches.h - Checks the microbatch of values ---*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYMICROBATCHES_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYMICROBATCHES_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Runs the entry points of all stages with a microbatch number in place of
/// every value. Fails where a value is read for another microbatch than it was
/// written for, where operands of a call are of different microbatches, or
/// where the two ends of a transfer name different ones.
mlir::LogicalResult verifyMicrobatches(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYMICROBATCHES_H
