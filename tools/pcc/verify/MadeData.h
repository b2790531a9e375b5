//===- MadeData.h - Data for pcc verify -------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_MADEDATA_H
#define PCC_TOOLS_PCC_VERIFY_MADEDATA_H

#include "mlir/Support/LLVM.h"
#include "tools/pcc/verify/Facts.h"

namespace pcc {

/// The seed of the made-up data.
inline constexpr uint64_t kDataSeed = 1;

/// Returns the usual name of an input's array: labels.npy for targets.
std::string usualArray(const DataInput &input);

/// Writes a folder of arrays with `samples` samples, one array for each input.
/// Ids are random, below their bound; some tokens end a document, if tokens
/// can; a few targets are ignored; masks have padding at the end of some
/// samples; other values are normal. The values depend only on the inputs and
/// kDataSeed.
mlir::LogicalResult makeData(llvm::ArrayRef<DataInput> inputs, int64_t samples,
                             llvm::StringRef folder);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_MADEDATA_H
