//===- BalanceUpdate.h - Loads and biases of experts ------------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_BALANCEUPDATE_H
#define PCC_PASSES_TRAINING_BALANCEUPDATE_H

#include "passes/Training/Entry.h"

namespace pcc {

/// Extends @update by loads and changes of biases from the counts in states of
/// kExpertCountPrefix, and clears these. Correction biases change by their rate
/// towards an equal load where `isTaken` holds, a tensor<i1>. Returns the load,
/// a tensor<f32>; null if there is no such state.
mlir::Value updateBalance(EntryBuilder &entry, mlir::ModuleOp module,
                          mlir::Value isTaken);

/// Extends @update by the sum of the overflows in states with kCapacityAttr,
/// and clears these. Returns the sum, a tensor<f32>, and the name of this
/// result; null if there is no such state.
std::pair<mlir::Value, std::string> updateOverflow(EntryBuilder &entry,
                                                   mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_BALANCEUPDATE_H
