//===- OperatorNames.h - Operators in dynamo's result names -----*- C++ -*-===//
//
// The dynamo exporter names results by the PyTorch operator that produces them
// and a number: expand, mul_3. A folded constant keeps the name, which so tells
// the last operator of its computation. The same holds for TorchScript's result
// paths if another tool folded the file.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_OPERATORNAMES_H
#define PCC_FRONTEND_WEIGHTS_OPERATORNAMES_H

#include "llvm/ADT/StringRef.h"

namespace pcc::frontend {

/// Whether a name is a result's: mul_3, expand, /h.0/ln/Mul_output_0.
bool isOperatorResult(llvm::StringRef name);

/// Whether the operator in this name only moves or casts elements.
bool isMove(llvm::StringRef result);

/// Whether the operator in this name is detach().
bool isDetachResult(llvm::StringRef result);

/// Whether the operator in this name is arange, which computes indices.
bool isCount(llvm::StringRef result);

/// Whether the operator in this name moves elements or adds a constant to them.
bool isMoveOrSum(llvm::StringRef result);

/// Whether the operator in this name is an addition, not a subtraction.
bool isAddition(llvm::StringRef result);

/// Whether a result of this name has other gradients than the parameter that it
/// is computed from. `isOne`: it is computed from one parameter. Results with a
/// mere number may be moves.
bool changesGradients(llvm::StringRef result, bool isOne);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_OPERATORNAMES_H
