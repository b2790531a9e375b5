//===- ContractPatterns.cpp - Reduces contractions to labels --------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/Recognition/DimParts.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

static StringAttr spec(ContractOp op, StringRef lhs, StringRef rhs,
                       StringRef result) {
  return StringAttr::get(op.getContext(), lhs + "," + rhs + "->" + result);
}

namespace {

/// contract(transpose(x), y): permutes the operand's labels instead.
struct TransposeOfOperand : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    std::string labels[] = {op.getLhsLabels().str(), op.getRhsLabels().str()};
    Value operands[] = {withoutTransposes(op.getLhs(), labels[0]),
                        withoutTransposes(op.getRhs(), labels[1])};
    if (operands[0] == op.getLhs() && operands[1] == op.getRhs())
      return failure();
    rewriter.replaceOpWithNewOp<ContractOp>(
        op, op.getType(), spec(op, labels[0], labels[1], op.getResultLabels()),
        operands[0], operands[1]);
    return success();
  }
};

/// transpose(contract(x, y)): permutes the result's labels instead.
struct TransposeOfResult : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto contract = op.getInput().getDefiningOp<ContractOp>();
    if (!contract || !contract->hasOneUse())
      return failure();
    std::string labels;
    for (int64_t dim : op.getPermutation())
      labels.push_back(contract.getResultLabels()[dim]);
    rewriter.setInsertionPoint(contract);
    Value result = ContractOp::create(rewriter, contract.getLoc(), op.getType(),
                                      spec(contract, contract.getLhsLabels(),
                                           contract.getRhsLabels(), labels),
                                      contract.getLhs(), contract.getRhs());
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// transpose(transpose(x)): one transpose.
struct TransposeTwice : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getInput(),
                                             permutation);
    return success();
  }
};

/// contract(scale(x), y): scales the result, so that scales can be merged.
struct ScaleOfOperand : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (int i : {0, 1}) {
      auto scale = op->getOperand(i).getDefiningOp<ScaleOp>();
      if (!scale || !scale->hasOneUse())
        continue;
      IRMapping map;
      map.map(scale.getResult(), scale.getInput());
      Operation *product = rewriter.clone(*op, map);
      rewriter.replaceOpWithNewOp<ScaleOp>(
          op, op.getType(), product->getResult(0), scale.getFactorAttr());
      return success();
    }
    return failure();
  }
};

/// transpose(scale(x)): scales the result.
struct ScaleOfTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto scale = op.getInput().getDefiningOp<ScaleOp>();
    if (!scale || !scale->hasOneUse())
      return failure();
    Value moved = TransposeOp::create(rewriter, op.getLoc(), op.getType(),
                                      scale.getInput(), op.getPermutation());
    rewriter.replaceOpWithNewOp<ScaleOp>(op, op.getType(), moved,
                                         scale.getFactorAttr());
    return success();
  }
};

struct ScaleTwice : OpRewritePattern<ScaleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaleOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ScaleOp>();
    if (!inner || !inner->hasOneUse())
      return failure();
    double factor =
        op.getFactor().convertToDouble() * inner.getFactor().convertToDouble();
    rewriter.replaceOpWithNewOp<ScaleOp>(op, op.getType(), inner.getInput(),
                                         rewriter.getF64FloatAttr(factor));
    return success();
  }
};

/// sum(sum(x, y), z), where the inner sum has no other use: one n-ary sum.
struct SumOfSum : OpRewritePattern<SumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SumOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<SumOp>();
      if (inner && inner->hasOneUse())
        llvm::append_range(inputs, inner.getInputs());
      else
        inputs.push_back(input);
    }
    if (inputs.size() == op.getInputs().size())
      return failure();
    rewriter.replaceOpWithNewOp<SumOp>(op, op.getType(), inputs);
    return success();
  }
};

} // namespace

void pcc::recognition::populateContractPatterns(RewritePatternSet &patterns) {
  patterns.add<TransposeOfOperand, TransposeOfResult, TransposeTwice,
               ScaleOfOperand, ScaleOfTranspose, ScaleTwice, SumOfSum>(
      patterns.getContext());
}

void pcc::recognition::renameLabels(ModuleOp module) {
  module.walk([](ContractOp op) {
    if (!op.getRhs().getDefiningOp<ReadOp>())
      return;
    StringRef l = op.getLhsLabels(), r = op.getRhsLabels(),
              out = op.getResultLabels();
    std::string rows, summed, columns;
    for (char label : l)
      (r.contains(label) ? summed : rows).push_back(label);
    for (char label : r)
      if (!l.contains(label))
        columns.push_back(label);
    // A label of both operands and the result (a batch label) has no usual
    // name.
    for (char label : summed)
      if (out.contains(label))
        return;
    static const StringRef rowNames[] = {"", "m", "bs", "bst"};
    static const StringRef summedNames[] = {"", "k", "kl"};
    static const StringRef columnNames[] = {"", "n", "hd", "phd"};
    if (rows.size() > 3 || summed.size() > 2 || columns.size() > 3)
      return;
    llvm::SmallDenseMap<char, char> name;
    auto assign = [&](StringRef labels, StringRef names) {
      for (auto [label, to] : llvm::zip(labels, names))
        name[label] = to;
    };
    assign(rows, rowNames[rows.size()]);
    assign(summed, summedNames[summed.size()]);
    assign(columns, columnNames[columns.size()]);
    auto renamed = [&](StringRef labels) {
      std::string text;
      for (char label : labels)
        text.push_back(name[label]);
      return text;
    };
    op.setSpec(renamed(l) + "," + renamed(r) + "->" + renamed(out));
  });
}
