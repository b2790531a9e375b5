//===- SameModel.h - Whether a plan is one of the model ---------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_SAMEMODEL_H
#define PCC_TOOLS_PCC_VERIFY_SAMEMODEL_H

#include "mlir/Support/LLVM.h"
#include "tools/pcc/verify/Facts.h"

namespace pcc {

/// Reports the text of a plan (--plan) that was compiled from another model
/// than `one`, the facts of one rank: with other parameters, or other weights.
mlir::LogicalResult checkSameModel(const Arguments &arguments,
                                   const Facts &plan, const Facts &one);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_SAMEMODEL_H
