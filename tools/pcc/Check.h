//===- Check.h - What pcc --check says of a model ---------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_CHECK_H
#define PCC_TOOLS_PCC_CHECK_H

#include "mlir/IR/MLIRContext.h"
#include "tools/pcc/Arguments.h"

namespace pcc {

/// Says which operators of the file are supported and what a compile with these
/// flags would say; the exit code is 0 if nothing is in the way, else 1.
int runCheck(mlir::MLIRContext &context, const Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_CHECK_H
