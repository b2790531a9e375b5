//===- DocumentEnds.h - The tokens that end a document ----------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIRECTORY_DOCUMENTENDS_H
#define PCC_TOOLS_PCC_DIRECTORY_DOCUMENTENDS_H

#include "mlir/IR/BuiltinOps.h"
#include "tools/pcc/Arguments.h"

namespace pcc {

/// Resolves --documents auto: takes the tokens from "eos_token_id" of the
/// config.json in the directory that the model was exported from or, without
/// one, in the folder of the model's file. Errors: no such file states them.
mlir::LogicalResult findDocumentEnds(mlir::ModuleOp module,
                                     Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DIRECTORY_DOCUMENTENDS_H
