//===- PadVocab.cpp - --nn-pad-vocab --------------------------------------===//

#include "passes/Sharding/Components.h"
#include "passes/Sharding/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace pcc {
#define GEN_PASS_DEF_NNPADVOCABPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

struct NNPadVocabPass : pcc::impl::NNPadVocabPassBase<NNPadVocabPass> {
  using NNPadVocabPassBase::NNPadVocabPassBase;

  void runOnOperation() override {
    if (multiple < 1) {
      getOperation().emitError() << "cannot pad to a multiple of " << multiple;
      return signalPassFailure();
    }
    Program program(getOperation(), nullptr);
    if (failed(pad(program)))
      signalPassFailure();
  }

  LogicalResult pad(Program &program);
  LogicalResult resize(Program &program, const Components &components,
                       const llvm::DenseSet<unsigned> &padded);
};

} // namespace

/// A row-major source of no file, for a parameter that has none: it says how
/// far the elements go.
static SourceAttr emptySource(ParamOp param) {
  RankedTensorType type = param.getTensorType();
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t i = type.getRank() - 1; i > 0; --i)
    strides[i - 1] = strides[i] * type.getDimSize(i);
  Builder builder(param.getContext());
  return SourceAttr::get(param.getContext(), param.getSymName(), "", 0, type, 0,
                         0, 0, builder.getDenseI64ArrayAttr(strides),
                         builder.getDenseI64ArrayAttr(type.getShape()));
}

LogicalResult NNPadVocabPass::pad(Program &program) {
  Components components(program);
  // The components of class dims and of the rows of token tables.
  llvm::DenseSet<unsigned> padded;
  for (const ShardedOp &op : program.ops) {
    ValueDim dim;
    auto lookup = dyn_cast<EmbeddingOp>(op.op);
    if (isa<CrossEntropyOp>(op.op))
      dim = {op.operands[0], program[op.operands[0]].type.getRank() - 1};
    else if (lookup && isTokenLookup(lookup))
      dim = {op.operands[1], 0};
    else
      continue;
    if (program[dim.first].type.getDimSize(dim.second) % multiple == 0)
      continue;
    if (components.isDead(dim)) {
      InFlightDiagnostic diag =
          mlir::emitError(op.op->getLoc())
          << "cannot pad the " << program[dim.first].type.getDimSize(dim.second)
          << " classes of '" << layerName(op.op)
          << "': another op needs exactly these";
      diag.attachNote(op.op->getLoc())
          << "use a --tp that divides their number";
      return diag;
    }
    padded.insert(components.find(dim));
  }
  return resize(program, components, padded);
}

LogicalResult NNPadVocabPass::resize(Program &program,
                                     const Components &components,
                                     const llvm::DenseSet<unsigned> &padded) {
  for (unsigned number = 0; number < program.values.size(); ++number) {
    const ShardedValue &value = program[number];
    SmallVector<int64_t> shape(value.type.getShape());
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      if (padded.contains(components.find({number, dim})))
        shape[dim] += (multiple - shape[dim] % multiple) % multiple;
    auto type = RankedTensorType::get(shape, value.type.getElementType());
    if (type == value.type)
      continue;
    if (value.kind == ShardedValue::Kind::Input ||
        value.kind == ShardedValue::Kind::State) {
      InFlightDiagnostic diag = mlir::emitError(value.owner->getLoc());
      diag << "cannot pad " << value.type << " of '" << value.name
           << "': it is not computed here";
      diag.attachNote() << "use a --tp that divides the number of classes";
      return diag;
    }
    if (auto param = dyn_cast<ParamOp>(value.owner)) {
      if (!param.getSource())
        param.setSourceAttr(emptySource(param));
      param.setType(type);
      param.emitRemark() << "'" << value.name << "' " << value.type
                         << " is padded with zeros to " << type;
      continue;
    }
    if (isa<ConstantOp>(value.owner))
      return value.owner->emitError("cannot pad a constant to ") << type;
    cast<OpResult>(value.value).setType(type);
  }
  getOperation().walk([&](ReadOp read) {
    if (auto number = program.numberOf(read.getSymbol()))
      if (auto param = dyn_cast<ParamOp>(program[*number].owner))
        read.getResult().setType(param.getTensorType());
  });
  return success();
}
