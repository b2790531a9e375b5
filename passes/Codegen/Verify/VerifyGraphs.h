//===- VerifyGraphs.h - Is a graph the same in each launch? -----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYGRAPHS_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYGRAPHS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Fails where an entry point of a stage has graphs but not all of its ops are
/// in one, where a graph's ops use names of another one, which a launch skips,
/// or where launches of a loop's graph would not be the same.
mlir::LogicalResult verifyGraphs(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYGRAPHS_H
