//===- ExpertWeights.h - Weights that a router chooses ----------*- C++ -*-===//

#ifndef PCC_ANALYSIS_EXPERTWEIGHTS_H
#define PCC_ANALYSIS_EXPERTWEIGHTS_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseSet.h"

namespace pcc::analysis {

/// Whether integers, such as the ids of a lookup, are computed from the result
/// of a top_k by integers alone: the numbers of chosen experts.
bool isChoice(mlir::Value ids);

/// The parameter of floats whose rows a lookup takes; null if they are
/// computed.
nn::ParamOp tableParamOf(nn::EmbeddingOp lookup);

/// The same for a lookup by choices: the weights of experts. Null for others.
nn::ParamOp expertWeightOf(nn::EmbeddingOp lookup);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_EXPERTWEIGHTS_H
