//===- VerifyValues.h - Does memory hold what tasks mean? -------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_VERIFYVALUES_H
#define PCC_PASSES_CODEGEN_VERIFY_VERIFYVALUES_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Runs each task that says which values its ops mean (`rt.values`) on a model
/// of memory that holds these. Fails where a buffer holds another value than
/// the one that is read, or that is meant to be left in it, or another part of
/// it, and where a collective does not make of a value the one that it says by
/// how they lie. The stage must be planned.
mlir::LogicalResult verifyValues(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_VERIFYVALUES_H
