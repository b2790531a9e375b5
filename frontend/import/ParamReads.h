//===- ParamReads.h - Weights as parameters ---------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_PARAMREADS_H
#define PCC_FRONTEND_IMPORT_PARAMREADS_H

#include "frontend/weights/Weights.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::frontend {

/// The value of a weight: read where `builder` stands at its first use, which
/// also declares its parameter before `forward`. A copy reads its original,
/// transposed if it is, and the parameter keeps where the file has it.
mlir::Value readParam(mlir::OpBuilder &builder, mlir::func::FuncOp forward,
                      Weight &weight);

/// Marks the lookups that `result` is of `table`, whose row `row` gets no
/// gradient from them. False if there is no such lookup.
bool markPaddingRow(mlir::Value result, mlir::Value table, int64_t row);

/// Marks the parameters that an exporter merged with what reads them.
void markMerged(mlir::ModuleOp module, const Weights &weights);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_PARAMREADS_H
