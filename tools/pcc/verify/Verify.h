//===- Verify.h - pcc verify ------------------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_VERIFY_H
#define PCC_TOOLS_PCC_VERIFY_VERIFY_H

#include "tools/pcc/verify/Programs.h"

namespace pcc {

/// Compiles a plan, one rank, and one rank that differs by rounding; trains
/// them for some steps on CPUs, and compares the results. `compile` is called
/// in child processes. Returns the exit code: 1 if the plan differs, or if one
/// of them fails.
int runVerify(Arguments arguments, Compile compile);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_VERIFY_H
