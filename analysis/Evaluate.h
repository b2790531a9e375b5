//===- Evaluate.h - Evaluation of constant nn expressions -------*- C++ -*-===//

#ifndef PCC_ANALYSIS_EVALUATE_H
#define PCC_ANALYSIS_EVALUATE_H

#include "analysis/Tensor.h"
#include "dialects/NN/NN.h"
#include "llvm/Support/MemoryBuffer.h"

namespace pcc::analysis {

/// A mask value at or below this masks a key: exporters write -inf, the least
/// float, -1e4 or -1e9.
inline constexpr double kRemovesKey = -9999;

/// The bytes of a parameter's tensor in its file, decoded if the file encodes
/// them; zeros if the file lacks the tensor (kAbsent). Null if the file cannot
/// be read.
std::unique_ptr<llvm::MemoryBuffer> mapSource(nn::SourceAttr source);

/// The elements of `value` if it is computed from constants and parameters by
/// reshapes, transposes, slices, broadcasts and casts only; nullopt otherwise.
/// Parameters are read from their file, so call it only for untrained values,
/// such as an attention mask.
std::optional<Tensor> evaluate(mlir::Value value);

/// The number that all elements of `value` are equal to, found in the same way;
/// nullopt if they differ or are not floats.
std::optional<double> uniformNumber(mlir::Value value);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_EVALUATE_H
