//===- Runs.h - Elementwise ops on runs of values ---------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_RUNS_H
#define PCC_ANALYSIS_RUNS_H

#include "analysis/Lines.h"

namespace pcc::analysis {

/// The line of an elementwise op's result from those of its operands; not known
/// where the op has no formula.
/// `isFinite`: what is not known is finite, and no mask.
Line combine(mlir::Operation *op, llvm::ArrayRef<llvm::ArrayRef<Run>> operands,
             bool isFinite = false);

/// A line of these elements, as few runs.
Line compress(llvm::ArrayRef<Scalar> values, bool isFloat);

/// A line of one value, or of one that is not known, `size` times.
Line repeated(int64_t size, std::optional<Scalar> value);

/// Adds a run to a line, as part of the one before where it goes on.
void append(Line &line, Run run, bool isFloat);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_RUNS_H
