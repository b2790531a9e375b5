//===- SortRows.h - Rows added up in the order of ids -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_SORT_SORTROWS_H
#define PCC_PASSES_CODEGEN_KERNELS_SORT_SORTROWS_H

#include "dialects/NN/NN.h"

namespace pcc::codegen {

/// Has a sum of rows by ids take them in the order of their ids.
void sortRows(nn::EmbeddingGradOp op);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_SORT_SORTROWS_H
