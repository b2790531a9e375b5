//===- OneRank.h - The one rank that a plan is compared with ----*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_ONERANK_H
#define PCC_TOOLS_PCC_VERIFY_ONERANK_H

#include "tools/pcc/verify/Facts.h"

namespace pcc {

/// Returns the arguments that compile the model for one rank, with the samples,
/// types and lengths of the plan.
Arguments oneRank(Arguments arguments, const Facts &plan);

/// Returns all that determines the results of one rank, as text: flags, and the
/// files of model, data and pcc with their digests.
std::string keyOf(const Arguments &one, const Facts &plan);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_ONERANK_H
