//===- Pipe.h - The pipe dialect --------------------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_PIPE_PIPE_H
#define PCC_DIALECTS_PIPE_PIPE_H

#include "dialects/NN/Attrs.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Pipe/Dialect.h.inc"
#include "dialects/Pipe/Enums.h.inc"

namespace pcc::pipe {

/// Whether tasks of a phase run once per microbatch.
inline bool isPerMicrobatch(Phase phase) {
  return phase != Phase::Reduce && phase != Phase::Update &&
         phase != Phase::EvaluateResult && phase != Phase::Gather;
}

/// Whether tasks of a phase see only their own stage's contribution to a state
/// that is partial over the pipeline axis. In such a task the state is not
/// partial over that axis.
inline bool hasStageContribution(Phase phase) {
  return isPerMicrobatch(phase) && phase != Phase::ReduceEach;
}

/// Whether tasks of a phase compute a segment of the model for one microbatch.
/// False for ForwardOnly, whose task computes the whole model.
inline bool isSegmentPhase(Phase phase) {
  return phase == Phase::Forward || phase == Phase::Backward ||
         phase == Phase::ForwardBackward || phase == Phase::Evaluate;
}

} // namespace pcc::pipe

#define GET_ATTRDEF_CLASSES
#include "dialects/Pipe/Attrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Pipe/Ops.h.inc"

#endif // PCC_DIALECTS_PIPE_PIPE_H
