//===- Implied.h - Inputs that training data need not have ------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_IMPLIED_H
#define PCC_DIALECTS_NN_IMPLIED_H

#include "mlir/Support/LLVM.h"

namespace pcc::nn {

/// On the module: inputs of the file by name that are constants of the program,
/// each "ones" or "positions", which are 0, 1, ... in every row. The runtime
/// refuses data that say otherwise.
inline constexpr llvm::StringLiteral kImpliedAttr = "nn.implied";
inline constexpr llvm::StringLiteral kImpliedOnes = "ones";
inline constexpr llvm::StringLiteral kImpliedPositions = "positions";

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_IMPLIED_H
