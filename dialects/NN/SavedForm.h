//===- SavedForm.h - Attributes about a model's checkpoints -----*- C++ -*-===//
//
// Further attributes of the module, as those of AttrNames.h: the form of the
// model in the checkpoints that a program writes. VerifyAttrs.cpp checks them.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_SAVEDFORM_H
#define PCC_DIALECTS_NN_SAVEDFORM_H

#include "llvm/ADT/StringRef.h"

namespace pcc::nn {

/// A type or a dictionary of types by source name: the type of the model's
/// tensors in checkpoints, if it is not that of the file.
inline constexpr llvm::StringLiteral kSavedTypesAttr = "nn.saved_types";
/// A dictionary of strings by source name: the name of the model's tensor in
/// checkpoints, if it is not that of the source.
inline constexpr llvm::StringLiteral kSavedNamesAttr = "nn.saved_names";
/// A dictionary {path, files}: the model directory that the file was exported
/// from, and the names of its files, such as "config.json", that checkpoints
/// copy.
inline constexpr llvm::StringLiteral kModelFolderAttr = "nn.model_folder";
inline constexpr llvm::StringLiteral kModelFolderPath = "path";
inline constexpr llvm::StringLiteral kModelFolderFiles = "files";

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_SAVEDFORM_H
