//===- ParamReads.h - Weights as parameters ---------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_PARAMREADS_H
#define PCC_FRONTEND_IMPORT_PARAMREADS_H

#include "frontend/weights/Weights.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::frontend {

/// The value of a weight. Its first use creates the read at `builder`'s
/// insertion point and declares the parameter before `forward`. A copy reads
/// its original, transposed if necessary; the parameter records where the file
/// has the copy.
mlir::Value readParam(mlir::OpBuilder &builder, mlir::func::FuncOp forward,
                      Weight &weight);

/// Marks the lookup of `table` that produces `result`: the row `row` gets no
/// gradient from it. False if there is no such lookup.
bool markPaddingRow(mlir::Value result, mlir::Value table, int64_t row);

/// Records the readers of parameters that an exporter merged or removed.
void markMerged(mlir::ModuleOp module, const Weights &weights);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_PARAMREADS_H
