//===- UnusedFlags.h - Warnings about unused flags --------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_UNUSEDFLAGS_H
#define PCC_TOOLS_PCC_UNUSEDFLAGS_H

#include "tools/pcc/Arguments.h"

namespace pcc {

/// Warns about given flags that have no effect with the other options. Except
/// with --check, the input has completed them before.
void warnOfUnusedFlags(const Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_UNUSEDFLAGS_H
