//===- Fitting.h - Moving blocks until they fit -----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PACKING_FITTING_H
#define PCC_PASSES_CODEGEN_PACKING_FITTING_H

#include "passes/Codegen/Packing/Conflicts.h"

namespace pcc {

/// Moves blocks that already have a valid packing until they need at most
/// `enough` bytes, or until about `pairs` pairs of blocks have been compared.
/// Returns the bytes then needed. Each `seed` yields a different search.
int64_t fit(llvm::ArrayRef<MemoryBlock *> blocks, const Conflicts &conflicts,
            int64_t enough, int64_t pairs, unsigned seed);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PACKING_FITTING_H
