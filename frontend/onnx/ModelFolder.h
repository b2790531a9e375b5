//===- ModelFolder.h - The directory a file was exported from ---*- C++ -*-===//
//
// pcc-export records the model directory that it exported, so that checkpoints
// can be such directories:
//
//   pcc.source  {"folder": "/models/qwen3",
//                "types": "bfloat16",
//                "names": {"lm_head.weight": "embed_out.weight"},
//                "files": ["config.json", "tokenizer.json"]}
//
// "types" is the type of all of the directory's tensors, or a dictionary of
// types by the module's names. "names", which may be absent, has the
// directory's names of tensors that the module calls otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_ONNX_MODELFOLDER_H
#define PCC_FRONTEND_ONNX_MODELFOLDER_H

#include "frontend/onnx/Reader.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::frontend {

/// Sets nn::kSavedTypesAttr, nn::kSavedNamesAttr and nn::kModelFolderAttr on
/// `module` as the file's metadata state; sets nothing if they do not. Errors:
/// JSON of another form, an unknown type, a name of two tensors, a file name
/// that leads out of the folder or that checkpoints use themselves.
mlir::LogicalResult readModelFolder(mlir::Location loc,
                                    const onnx::ModelProto &model,
                                    mlir::ModuleOp module);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_MODELFOLDER_H
