//===- Reproducer.h - What shows an internal error again --------*- C++ -*-===//
//
// A pass that fails leaves a module that is half one thing and half another.
// To find the mistake one needs the module from before the phase. It is made
// when it is needed: from the input, by running all phases but the failed one
// again. A copy kept of each phase would cost every compile memory and time for
// what hardly ever happens.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TOOLS_PCC_REPRODUCER_H
#define PCC_TOOLS_PCC_REPRODUCER_H

#include "tools/pcc/Arguments.h"
#include "tools/pcc/Input.h"

namespace pcc {

/// Writes the module before phase `index` with the passes that lead to it, for
/// `pcc-opt --run-reproducer`. `arguments` are those of the command line,
/// before the input completed them. Returns the path in the current folder,
/// empty if the input does not come as far again or it cannot be written.
std::string writeReproducer(Arguments arguments, const Input &input, int index);

} // namespace pcc

#endif // PCC_TOOLS_PCC_REPRODUCER_H
