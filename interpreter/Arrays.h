//===- Arrays.h - Arrays in files and in text -------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_ARRAYS_H
#define PCC_INTERPRETER_ARRAYS_H

#include "interpreter/Tensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc::interp {

/// Converts nested lists of numbers to a tensor of this type. Booleans are
/// accepted as numbers, and "nan", "inf" and "-inf" as floats. The nesting must
/// match the type's shape.
llvm::Expected<Tensor> fromJson(const llvm::json::Value &value,
                                mlir::RankedTensorType type);

/// Parses `text`: nested lists of numbers if it starts with [, - or a digit;
/// otherwise the path of a .npy file (little endian, C order) or of a JSON
/// file. The shape must be the type's; elements are converted.
llvm::Expected<Tensor> readArray(llvm::StringRef text,
                                 mlir::RankedTensorType type);

/// Writes a .npy file of f64 or i64 elements.
llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

/// Prints `label : type = elements` with 9 digits. If there are more than
/// `limit` elements, prints the first 8, the mean and the root mean square.
void printTensor(llvm::raw_ostream &os, llvm::StringRef label,
                 const Tensor &tensor, int64_t limit);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_ARRAYS_H
