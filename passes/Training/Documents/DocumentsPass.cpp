//===- DocumentsPass.cpp - The pass of DocumentSplitter -------------------===//

#include "dialects/NN/AttrNames.h"
#include "passes/Training/Documents/Documents.h"
#include "passes/Training/Entry.h"
#include "passes/Training/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_NNDOCUMENTSPASS
#include "passes/Training/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

struct NNDocumentsPass : pcc::impl::NNDocumentsPassBase<NNDocumentsPass> {
  using NNDocumentsPassBase::NNDocumentsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>(kForward);
    if (!function || !function.getBody().hasOneBlock()) {
      module.emitError("has no function @forward of one block");
      return signalPassFailure();
    }
    if (loss == "cross-entropy" || loss == "mse") {
      InFlightDiagnostic diag =
          function.emitError()
          << "--documents: the targets of --loss " << loss
          << " are not the next tokens, so no target follows the end of a "
             "document";
      diag.attachNote() << "leave --documents out, or give --loss causal-lm";
      return signalPassFailure();
    }
    BlockArgument tokens = findInput(function, InputRole::Tokens);
    if (!tokens) {
      function.emitError() << "--documents: the model has no input of token "
                              "ids";
      return signalPassFailure();
    }
    removeDeadOps(function);
    for (Operation *user : tokens.getUsers())
      if (auto lookup = dyn_cast<EmbeddingOp>(user);
          lookup && lookup.getIds() == tokens && failed(checkEnds(lookup)))
        return signalPassFailure();
    if (failed(DocumentSplitter(function, keepPositions).run()))
      return signalPassFailure();
    removeDeadOps(function);
    module->setAttr(kDocumentEndsAttr,
                    DenseI64ArrayAttr::get(&getContext(), ends));
  }

  /// Checks that a lookup of the tokens has rows for the ends of documents.
  LogicalResult checkEnds(EmbeddingOp lookup) {
    int64_t rows = tensorType(lookup.getTable()).getDimSize(0);
    for (int64_t end : ends)
      if (end < 0 || end >= rows)
        return lookup->getParentOfType<func::FuncOp>().emitError()
               << "--documents: token " << end
               << " is outside the vocabulary of " << rows << ", by "
               << nodeName(lookup.getOperation());
    return success();
  }
};

} // namespace
