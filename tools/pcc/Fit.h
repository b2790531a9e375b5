//===- Fit.h - Plans that stay under a memory limit -------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_FIT_H
#define PCC_TOOLS_PCC_FIT_H

#include "frontend/import/Import.h"
#include "mlir/IR/Location.h"
#include "tools/pcc/Arguments.h"
#include "tools/pcc/Summary.h"

namespace pcc {

/// Refuses a program, lowered to rt, whose ranks need more than --memory-limit
/// or, for a sequence that nobody chose, more than this machine has.
/// The last note is the nearest plan of as many ranks that fits: a smaller
/// micro batch first, then what keeps less of a layer or of what ranks share,
/// then other ways to split the model. `file`: what the program was read from,
/// null if that was no ONNX file.
mlir::LogicalResult checkMemory(mlir::Location loc, const Summary &summary,
                                const Arguments &arguments,
                                const ONNXFile &file);

} // namespace pcc

#endif // PCC_TOOLS_PCC_FIT_H
