//===- Check.h - pcc --check ------------------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_CHECK_H
#define PCC_TOOLS_PCC_CHECK_H

#include "mlir/IR/MLIRContext.h"
#include "tools/pcc/Arguments.h"

namespace pcc {

/// Reports which operators of the file are supported, and the errors and
/// warnings of a compile with these flags. Returns exit code 0 if the model
/// compiles, otherwise 1.
int runCheck(mlir::MLIRContext &context, const Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_CHECK_H
