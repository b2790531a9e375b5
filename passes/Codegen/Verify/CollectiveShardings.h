//===- CollectiveShardings.h - Shardings around collectives -----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_COLLECTIVESHARDINGS_H
#define PCC_PASSES_CODEGEN_VERIFY_COLLECTIVESHARDINGS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Checks that the kind, reduction and axes of a collective convert sharding
/// `from` to sharding `to`. Emits an error at the collective otherwise.
mlir::LogicalResult verifyShardings(mlir::Operation *collective,
                                    dist::ShardingAttr from,
                                    dist::ShardingAttr to);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_COLLECTIVESHARDINGS_H
