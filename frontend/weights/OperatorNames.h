//===- OperatorNames.h - What dynamo's names of results tell ----*- C++ -*-===//
//
// The dynamo exporter names results by the operator of PyTorch that gives them,
// and a number: expand, mul_3. A constant that it folded keeps that name, so
// that the name tells the last step of what was computed. So do the paths that
// TorchScript names results by, where another tool folded its file.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_OPERATORNAMES_H
#define PCC_FRONTEND_WEIGHTS_OPERATORNAMES_H

#include "llvm/ADT/StringRef.h"

namespace pcc::frontend {

/// Whether a name is an operator's: mul_3, expand, /h.0/ln/Mul_output_0.
bool isOperatorResult(llvm::StringRef name);

/// Whether by this name elements are moved or cast, and nothing else.
bool isMove(llvm::StringRef result);

/// Whether detach() gives a result of this name.
bool isDetachResult(llvm::StringRef result);

/// Whether by this name whole numbers are counted, by which elements are moved.
bool isCount(llvm::StringRef result);

/// Whether by this name elements are moved, or a constant is added to them.
bool isMoveOrSum(llvm::StringRef result);

/// Whether by this name something is added, and not taken away.
bool isAddition(llvm::StringRef result);

/// Whether a result of this name, computed from one parameter if `isOne`, has
/// other gradients than that. Results named by a number may be moves.
bool changesGradients(llvm::StringRef result, bool isOne);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_OPERATORNAMES_H
