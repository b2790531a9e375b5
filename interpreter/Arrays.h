//===- Arrays.h - Arrays in files and in text -------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_ARRAYS_H
#define PCC_INTERPRETER_ARRAYS_H

#include "interpreter/Tensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc::interp {

/// Nested lists of numbers as a tensor of this type; "nan", "inf" and "-inf"
/// are numbers too. The nesting must be the type's shape.
llvm::Expected<Tensor> fromJson(const llvm::json::Value &value,
                                mlir::RankedTensorType type);

/// What `text` says: nested lists of numbers themselves where it starts with
/// [, - or a digit, else the path of a .npy file (little endian, C order) or
/// of a JSON file. The shape must be the type's; elements are converted.
llvm::Expected<Tensor> readArray(llvm::StringRef text,
                                 mlir::RankedTensorType type);

/// Writes a .npy file: f64, i64.
llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

/// `label : type = elements` with 9 digits; of more than `limit` elements the
/// first 8, the mean and the root of the mean square.
void printTensor(llvm::raw_ostream &os, llvm::StringRef label,
                 const Tensor &tensor, int64_t limit);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_ARRAYS_H
