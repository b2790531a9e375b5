//===- Phases.h - The table of phases and passes ----------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DOCS_PHASES_H
#define PCC_TOOLS_PCC_DOCS_PHASES_H

#include "llvm/Support/raw_ostream.h"

namespace pcc {

/// Prints a row of a Markdown table for each phase, with the passes that lead
/// to it if a model is trained on CPUs with all kinds of parallelism and full
/// recomputation.
void printPhases(llvm::raw_ostream &os);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DOCS_PHASES_H
