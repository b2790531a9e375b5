//===- Fit.h - Memory limit -------------------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_FIT_H
#define PCC_TOOLS_PCC_FIT_H

#include "frontend/import/Import.h"
#include "mlir/IR/Location.h"
#include "tools/pcc/Arguments.h"
#include "tools/pcc/Summary.h"

namespace pcc {

/// Fails if a rank of a program, lowered to rt, needs more memory than
/// --memory-limit, or than this machine if its sequence length was not given.
/// For --memory-limit, a note names the nearest plan with the same number of
/// ranks that fits, if there is one. A smaller micro batch is tried first, then
/// activation recomputation and higher ZeRO stages, then other sizes of tensor,
/// pipeline and data parallelism, then all of these with offload.
/// `file` is the file that the program was read from, null if it was not an
/// ONNX file.
mlir::LogicalResult checkMemory(mlir::Location loc, const Summary &summary,
                                const Arguments &arguments,
                                const ONNXFile &file);

} // namespace pcc

#endif // PCC_TOOLS_PCC_FIT_H
