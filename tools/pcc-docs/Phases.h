//===- Phases.h - The phases and their passes as a table --------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DOCS_PHASES_H
#define PCC_TOOLS_PCC_DOCS_PHASES_H

#include "llvm/Support/raw_ostream.h"

namespace pcc {

/// Prints a row of Markdown for each phase, with all passes that lead to it
/// where a model is trained and split in every way.
void printPhases(llvm::raw_ostream &os);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DOCS_PHASES_H
