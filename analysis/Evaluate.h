//===- Evaluate.h - The value of an nn expression ---------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_EVALUATE_H
#define PCC_ANALYSIS_EVALUATE_H

#include "analysis/Tensor.h"
#include "dialects/NN/NN.h"
#include "llvm/Support/MemoryBuffer.h"

namespace pcc::analysis {

/// A mask value at or below this removes a key: exporters write -inf, the
/// least float, -1e4 or -1e9.
inline constexpr double kRemovesKey = -9999;

/// The bytes of a parameter's tensor in its file; null if they are not there.
std::unique_ptr<llvm::MemoryBuffer> mapSource(nn::SourceAttr source);

/// The elements of `value` if they follow from constants and parameters by
/// moving elements; nothing otherwise. Parameters are read from their file:
/// ask only for what is not trained, such as the mask of an attention.
std::optional<Tensor> evaluate(mlir::Value value);

/// The number that all elements of `value` are, by the same; nothing if they
/// differ or are no floats.
std::optional<double> uniformNumber(mlir::Value value);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_EVALUATE_H
