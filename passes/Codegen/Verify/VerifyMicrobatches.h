//===- VerifyMicrobatches.h - Is each value of its microbatch? --*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYMICROBATCHES_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYMICROBATCHES_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Runs the entry points of all stages with the number of a microbatch in the
/// place of every value. Fails where a value is read for another microbatch
/// than the one it was written for, where what a call takes and gives is of
/// several, or where two stages mean different ones by a transfer.
mlir::LogicalResult verifyMicrobatches(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYMICROBATCHES_H
