//===- VerifyGraphs.h - Graphs that are alike in each launch ----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYGRAPHS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYGRAPHS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Fails where an entry point has graphs but an op is in none, where a graph's
/// ops use values of another graph, which a launch skips, or where launches of
/// a loop's graph would access different slots.
mlir::LogicalResult verifyGraphs(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYGRAPHS_H
