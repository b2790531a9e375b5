//===- LowerTask.h - A body as an rt function -----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_LOWERTASK_H
#define PCC_PASSES_CODEGEN_LOWER_LOWERTASK_H

#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "passes/Codegen/Lower/SingleOpKernels.h"

namespace pcc {

/// A contiguous memref of a tensor's shape.
mlir::MemRefType bufferType(mlir::Type tensor);

/// Lowers a body to an `rt.func` of `stage`, whose arguments are the body's,
/// followed by those of its results that take no argument's place. Adds the
/// temporaries it needs.
mlir::LogicalResult lowerBody(pipe::BodyOp body, rt::StageOp stage,
                              SingleOpKernels &kernels);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_LOWERTASK_H
