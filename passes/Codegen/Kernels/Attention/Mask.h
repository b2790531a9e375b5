//===- Mask.h - Attention's mask by positions in kernels --------*- C++ -*-===//
//
// The mask of a pair of tiles follows from their lowest and highest positions:
// first(i), the first visible key of a query at position i, rises with i (see
// VisibleKeys.h). Positions are i32, scalars or vectors.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_MASK_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_MASK_H

#include "dialects/NN/VisibleKeys.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pcc::codegen {

/// The lowest and the highest position of a tile.
struct PositionRange {
  mlir::Value least, most;
  /// Of queries with documents: the lowest and the highest position at which a
  /// document of the tile begins; else null.
  mlir::Value leastStart = {}, mostStart = {};
};

/// The position of the first key that a query at position `query` sees, for a
/// mask with a window or chunk.
mlir::Value buildFirstKey(mlir::ImplicitLocOpBuilder &b,
                          const nn::VisibleKeys &mask, mlir::Value query);
/// Whether the mask hides a key from a query; `mask` is causal. `start` is the
/// position at which the query's document begins; null without documents. The
/// types of the positions are equal.
mlir::Value buildIsHidden(mlir::ImplicitLocOpBuilder &b,
                          const nn::VisibleKeys &mask, mlir::Value query,
                          mlir::Value start, mlir::Value key);
/// Whether some query may see some key; `mask` is causal. If positions are
/// consecutive, it is exact.
mlir::Value buildMaySee(mlir::ImplicitLocOpBuilder &b,
                        const nn::VisibleKeys &mask, PositionRange queries,
                        PositionRange keys);
/// Whether the mask may hide some key from some query; `mask` is causal.
mlir::Value buildMayHide(mlir::ImplicitLocOpBuilder &b,
                         const nn::VisibleKeys &mask, PositionRange queries,
                         PositionRange keys);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_MASK_H
