//===- CollectiveLayouts.h - What collectives make of layouts ---*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_COLLECTIVELAYOUTS_H
#define PCC_PASSES_CODEGEN_VERIFY_COLLECTIVELAYOUTS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Whether a collective, which says its kind, reduction and axes, turns what
/// lies as `from` into what lies as `to`. Emits an error of it otherwise.
mlir::LogicalResult verifyLayouts(mlir::Operation *collective,
                                  dist::ShardingAttr from,
                                  dist::ShardingAttr to);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_COLLECTIVELAYOUTS_H
