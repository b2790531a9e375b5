//===- UnusedFlags.h - Flags that change nothing ----------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_UNUSEDFLAGS_H
#define PCC_TOOLS_PCC_UNUSEDFLAGS_H

#include "tools/pcc/Arguments.h"

namespace pcc {

/// Warns of flags that were given and change nothing beside the others, once
/// the input has completed them.
void warnOfUnusedFlags(const Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_UNUSEDFLAGS_H
