//===- Runs.h - Elementwise ops on run-length encoded lines -----*- C++ -*-===//

#ifndef PCC_ANALYSIS_RUNS_H
#define PCC_ANALYSIS_RUNS_H

#include "analysis/Lines.h"

namespace pcc::analysis {

/// The line of an elementwise op's result from the lines of its operands. Runs
/// are not known if the op has no formula here. `isFinite`: values that are not
/// known are finite and no mask (Lines::Finite).
Line combine(mlir::Operation *op, llvm::ArrayRef<llvm::ArrayRef<Run>> operands,
             bool isFinite = false);

/// The run-length encoding of a line.
Line compress(llvm::ArrayRef<Scalar> values, bool isFloat);

/// A line of `size` elements that are all `value`; nullopt: not known.
Line repeated(int64_t size, std::optional<Scalar> value);

/// Appends a run to a line, or extends the last run if it continues it.
void append(Line &line, Run run, bool isFloat);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_RUNS_H
