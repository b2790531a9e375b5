//===- ExpertWeights.h - Weights that a router chooses ----------*- C++ -*-===//

#ifndef PCC_ANALYSIS_EXPERTWEIGHTS_H
#define PCC_ANALYSIS_EXPERTWEIGHTS_H

#include "dialects/NN/NN.h"

namespace pcc::analysis {

/// The parameter of floats whose rows a lookup takes; null if they are
/// computed.
nn::ParamOp tableParamOf(nn::EmbeddingOp lookup);

/// The same for a lookup by choices, ids that are computed from a result of
/// top_k by integers alone: the weights of experts. Null for others.
nn::ParamOp expertWeightOf(nn::EmbeddingOp lookup);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_EXPERTWEIGHTS_H
