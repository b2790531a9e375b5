//===- SortRows.h - Summing rows in the order of ids ------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_SORT_SORTROWS_H
#define PCC_PASSES_CODEGEN_KERNELS_SORT_SORTROWS_H

#include "dialects/NN/NN.h"

namespace pcc::codegen {

/// Replaces a sum of rows by ids by one in the order of the ids. A sum that is
/// sorted already, of a single row, or of 2^24 rows or more stays, as does one
/// into a table of about 2^24 rows or more.
void sortRows(nn::EmbeddingGradOp op);

/// Replaces a choice of many elements, or of f64, by nn ops that compare all
/// pairs of a row.
void orderByRanks(nn::TopKOp op);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_SORT_SORTROWS_H
