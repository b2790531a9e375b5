//===- LowerTask.h - Lowering of a body to an rt function -------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_LOWERTASK_H
#define PCC_PASSES_CODEGEN_LOWER_LOWERTASK_H

#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "passes/Codegen/Lower/SingleOpKernels.h"

namespace pcc {

/// Returns the contiguous memref type of a tensor's shape.
mlir::MemRefType bufferType(mlir::Type tensor);

/// Lowers a body to an `rt.func` of `stage`. Its arguments are the body's,
/// followed by a buffer for each result that does not replace an argument. Adds
/// temporaries.
mlir::LogicalResult lowerBody(pipe::BodyOp body, rt::StageOp stage,
                              SingleOpKernels &kernels);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_LOWERTASK_H
