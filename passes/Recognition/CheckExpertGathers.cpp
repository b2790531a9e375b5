//===- CheckExpertGathers.cpp - Bytes of gathered weight matrices ---------===//
//
// An exporter gathers a weight matrix for each pair of a token and a choice.
// Recognition replaces these gathers by nn.experts. If it does not know the
// form, they stay, and their results need as much memory as all the matrices.
//
//===----------------------------------------------------------------------===//

#include "analysis/ExpertWeights.h"
#include "dialects/NN/Location.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Recognition/Passes.h"
#include "llvm/Support/FormatVariadic.h"

namespace pcc {
#define GEN_PASS_DEF_NNCHECKEXPERTGATHERSPASS
#include "passes/Recognition/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// The bytes of gathered matrices that a rank may need without a flag.
constexpr double kMostBytes = double(1 << 30);

/// As "1.5 GiB".
std::string inWords(double bytes) {
  constexpr double mib = 1 << 20;
  return bytes < kMostBytes
             ? llvm::formatv("{0:F1} MiB", bytes / mib).str()
             : llvm::formatv("{0:F1} GiB", bytes / kMostBytes).str();
}

struct NNCheckExpertGathersPass
    : pcc::impl::NNCheckExpertGathersPassBase<NNCheckExpertGathersPass> {
  using NNCheckExpertGathersPassBase::NNCheckExpertGathersPassBase;

  void runOnOperation() override {
    double bytes = 0;
    SmallVector<nn::EmbeddingOp> gathers;
    getOperation().walk([&](nn::EmbeddingOp op) {
      nn::ParamOp weight = analysis::tableParamOf(op);
      // A matrix for each id, whoever computes the ids. Rows of vectors are no
      // larger than activations.
      if (!weight || weight.getTensorType().getRank() < 3 ||
          op.getIds().getDefiningOp<nn::ConstantOp>())
        return;
      gathers.push_back(op);
      RankedTensorType type = nn::tensorType(op.getResult());
      bytes += double(type.getNumElements()) * elementBytes;
    });
    if (gathers.empty())
      return;
    bytes /= double(stages * parts);
    bool isRefused = bytes >= kMostBytes && !allow;
    Location loc = gathers[0].getLoc();
    InFlightDiagnostic diag = isRefused ? emitError(loc) : emitWarning(loc);
    StringRef node = nn::sourceNode(loc);
    diag << (node.empty() ? "a lookup" : "'" + node.str() + "'")
         << " gathers a weight matrix for each token and each expert that the "
            "token chooses: "
         << inWords(bytes) << " on a rank";
    if (gathers.size() > 1)
      diag << ", with " << gathers.size() - 1 << " more such gathers";
    if (isRefused)
      diag << ", more than 1 GiB";
    diag.attachNote(loc)
        << "this form of experts is not recognized, so they are not sharded "
           "either; PyTorch's exporters write a form that is with "
           "experts_implementation=\"batched_mm\"";
    if (!isRefused)
      return;
    diag.attachNote(loc) << "--allow-gathered-experts trains them nevertheless";
    diag.report();
    signalPassFailure();
  }
};

} // namespace
