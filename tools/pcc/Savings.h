//===- Savings.h - Memory with other flags ----------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_SAVINGS_H
#define PCC_TOOLS_PCC_SAVINGS_H

#include "frontend/import/Import.h"
#include "tools/pcc/Arguments.h"
#include "tools/pcc/Summary.h"

namespace pcc {

/// Compiles the plan with each flag that saves memory, one at a time, and adds
/// the memory of the largest rank to the summary: activation recomputation,
/// more chunks of heads, higher ZeRO stages, offload, and twice as many
/// context-parallel ranks. `summary` has the plan lowered to rt; `file` is null
/// if the input is a text.
void addSavings(Summary &summary, const Arguments &arguments,
                const ONNXFile &file);

} // namespace pcc

#endif // PCC_TOOLS_PCC_SAVINGS_H
