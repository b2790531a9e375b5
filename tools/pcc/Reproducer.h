//===- Reproducer.h - Reproducers of internal errors ------------*- C++ -*-===//
//
// A failed pass leaves the module in an intermediate state, but debugging needs
// the module before the phase. It is recreated on demand: the input is read
// again and all phases before the failed one are run. Keeping a copy of the
// module for each phase would cost every compile memory and time.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TOOLS_PCC_REPRODUCER_H
#define PCC_TOOLS_PCC_REPRODUCER_H

#include "tools/pcc/Arguments.h"
#include "tools/pcc/Input.h"

namespace pcc {

/// Writes the module before phase `index` with the phase's passes, for `pcc-opt
/// --run-reproducer`. `arguments` are those of the command line, before the
/// input completed them. Returns the path in the current folder; empty if the
/// phases fail this time, or the file cannot be written.
std::string writeReproducer(Arguments arguments, const Input &input, int index);

} // namespace pcc

#endif // PCC_TOOLS_PCC_REPRODUCER_H
