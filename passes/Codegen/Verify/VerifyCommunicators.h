//===- VerifyCommunicators.h - One stream per communicator ------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYCOMMUNICATORS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYCOMMUNICATORS_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Fails where a communicator is used on two streams of a stage; where the
/// program lists none for a collective on a communication stream; or where only
/// one end of a point-to-point channel is on the compute stream, so that the
/// two ends would use different communicators.
mlir::LogicalResult verifyCommunicators(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYCOMMUNICATORS_H
