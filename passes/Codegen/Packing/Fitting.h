//===- Fitting.h - Blocks moved until they fit ------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PACKING_FITTING_H
#define PCC_PASSES_CODEGEN_PACKING_FITTING_H

#include "passes/Codegen/Packing/Refusals.h"

namespace pcc {

/// Moves blocks that have offsets, of which no two pieces overlap in time and
/// space, until they need no more than `enough` bytes or so many pairs of
/// blocks were looked at. Returns the bytes that they then need. Each `seed`
/// takes a way of its own.
int64_t fit(llvm::ArrayRef<MemoryBlock *> blocks, const Refusals &refusals,
            int64_t enough, int64_t pairs, unsigned seed);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PACKING_FITTING_H
