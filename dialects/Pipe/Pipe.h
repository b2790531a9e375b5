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

/// Whether a phase's tasks run once per microbatch; else once per step.
inline bool isPerMicrobatch(Phase phase) {
  return phase != Phase::Reduce && phase != Phase::Update &&
         phase != Phase::EvaluateResult && phase != Phase::Gather;
}

/// Whether a phase's tasks have of a sum over stages their own stage's part:
/// they make it, and nothing else of it.
inline bool hasPartOfStage(Phase phase) {
  return isPerMicrobatch(phase) && phase != Phase::ReduceEach;
}

/// Whether a phase's tasks compute a segment of the model for a microbatch.
inline bool isOfSegment(Phase phase) {
  return phase == Phase::Forward || phase == Phase::Backward ||
         phase == Phase::ForwardBackward || phase == Phase::Evaluate;
}

} // namespace pcc::pipe

#define GET_ATTRDEF_CLASSES
#include "dialects/Pipe/Attrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Pipe/Ops.h.inc"

#endif // PCC_DIALECTS_PIPE_PIPE_H
