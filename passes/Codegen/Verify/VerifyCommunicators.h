//===- VerifyCommunicators.h - Who communicates on which stream -*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYCOMMUNICATORS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYCOMMUNICATORS_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Fails where a communicator is used on two streams of a stage, where there is
/// none, or where one end of a way between stages is on the compute stream and
/// the other one is not, so that the two would go through other communicators.
mlir::LogicalResult verifyCommunicators(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYCOMMUNICATORS_H
