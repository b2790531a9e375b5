//===- LowerTask.h - One task as an rt function -----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_LOWERTASK_H
#define PCC_PASSES_CODEGEN_LOWER_LOWERTASK_H

#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "passes/Codegen/Lower/SingleOpKernels.h"

namespace pcc {

/// A contiguous memref of a tensor's shape.
mlir::MemRefType bufferType(mlir::Type tensor);

/// Lowers the body of `task` to an `rt.func` of `stage`, whose arguments are
/// the task's sources followed by its targets. Adds the temporaries it needs;
/// buffers of the state it uses must exist.
mlir::LogicalResult lowerTask(pipe::TaskOp task, rt::StageOp stage,
                              SingleOpKernels &kernels);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_LOWERTASK_H
