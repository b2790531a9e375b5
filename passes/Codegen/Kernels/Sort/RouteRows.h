//===- RouteRows.h - Rows of tokens in the order of experts -----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_SORT_ROUTEROWS_H
#define PCC_PASSES_CODEGEN_KERNELS_SORT_ROUTEROWS_H

#include "dialects/NN/NN.h"

namespace pcc::codegen {

/// Replaces an nn.route by a sort of the choices by expert.
void routeRows(nn::RouteOp op);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_SORT_ROUTEROWS_H
