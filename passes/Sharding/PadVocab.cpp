//===- PadVocab.cpp - Pads vocabularies that do not divide ----------------===//

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

/// Analyzes the values of the elements that padding adds.
class Padding {
public:
  Padding(const Program &program, const Components &components,
          const llvm::DenseSet<unsigned> &padded, int64_t multiple,
          bool saysWhy)
      : program(program), components(components), padded(padded),
        multiple(multiple), saysWhy(saysWhy) {}

  /// Fails where padding would change an op's result: the op sums over elements
  /// that are not zero, or reshapes the dim. Also fails where an input, a state
  /// or a constant would have to be padded.
  LogicalResult check();

private:
  bool isPadded(ValueDim dim) const {
    return padded.contains(components.find(dim));
  }
  LogicalResult checkOp(const ShardedOp &op);
  LogicalResult checkValue(const ShardedValue &value, unsigned number);
  LogicalResult checkFactor(const ShardedOp &op, int factor);
  /// Starts an error about an op with a padded dim of this size; the caller
  /// appends what the op does.
  InFlightDiagnostic refuse(const ShardedOp &op, int64_t size);

  const Program &program;
  const Components &components;
  const llvm::DenseSet<unsigned> &padded;
  const int64_t multiple;
  /// Whether to emit errors.
  const bool saysWhy;
  /// Padded dims whose padding is zero.
  llvm::DenseSet<ValueDim> zero;
};

struct NNPadVocabPass : pcc::impl::NNPadVocabPassBase<NNPadVocabPass> {
  using NNPadVocabPassBase::NNPadVocabPassBase;

  void runOnOperation() override {
    if (multiple < 1) {
      getOperation().emitError() << "cannot pad to a multiple of " << multiple;
      return signalPassFailure();
    }
    FailureOr<Program> program = Program::read(getOperation(), nullptr);
    if (failed(program))
      return signalPassFailure();
    Components components(*program);
    llvm::DenseSet<unsigned> padded = choose(*program, components);
    Padding padding(*program, components, padded, multiple, !ifPossible);
    if (succeeded(padding.check()))
      resize(*program, components, padded);
    else if (!ifPossible)
      signalPassFailure();
  }

  llvm::DenseSet<unsigned> choose(const Program &program,
                                  const Components &components);
  void resize(Program &program, const Components &components,
              const llvm::DenseSet<unsigned> &padded);
};

} // namespace

InFlightDiagnostic Padding::refuse(const ShardedOp &op, int64_t size) {
  InFlightDiagnostic diag = mlir::emitError(op.op->getLoc())
                            << "cannot pad " << size
                            << " classes to a multiple of " << multiple << ": '"
                            << layerName(op.op) << "' ";
  diag.attachNote(op.op->getLoc())
      << "use a --tp that divides the number of classes";
  if (!saysWhy)
    diag.abandon();
  return diag;
}

/// Checks that a padded value is computed here: inputs, states and constants
/// have fixed sizes.
LogicalResult Padding::checkValue(const ShardedValue &value, unsigned number) {
  bool isPaddedHere = false;
  for (unsigned dim = 0; dim < value.type.getRank(); ++dim)
    isPaddedHere |= isPadded({number, dim});
  bool isGiven = value.kind == ShardedValue::Kind::Input ||
                 value.kind == ShardedValue::Kind::State;
  if (!isPaddedHere || (!isGiven && !isa<ConstantOp>(value.owner)))
    return success();
  if (!saysWhy)
    return failure();
  InFlightDiagnostic diag = mlir::emitError(value.owner->getLoc());
  if (isGiven)
    diag << "cannot pad " << value.type << " of '" << value.name
         << "': it is not computed here";
  else
    diag << "cannot pad " << value.type << " of '" << layerName(value.owner)
         << "': it is a constant";
  diag.attachNote() << "use a --tp that divides the number of classes";
  return diag;
}

/// Checks one padded loop of an op: whether its results' padding is zero, and
/// whether the op sums over padding that is not.
LogicalResult Padding::checkFactor(const ShardedOp &op, int factor) {
  const ShardingRule &rule = op.rule;
  using Kind = ShardingRule::Kind;
  unsigned present = 0, zeros = 0;
  for (auto [value, dims, linear] :
       llvm::zip_equal(op.operands, rule.operands, rule.linear))
    for (auto [i, dim] : llvm::enumerate(dims)) {
      if (!llvm::is_contained(dim, factor))
        continue;
      ++present;
      bool counts = linear || op.op->hasTrait<KeepsZero>();
      zeros += counts && zero.contains({value, static_cast<unsigned>(i)});
    }
  bool isZero =
      rule.kind == Kind::Additive ? zeros == op.operands.size() : zeros > 0;
  bool survives = false;
  for (auto [value, dims] : llvm::zip_equal(op.results, rule.results))
    for (auto [i, dim] : llvm::enumerate(dims))
      if (llvm::is_contained(dim, factor)) {
        survives = true;
        if (isZero)
          zero.insert({value, static_cast<unsigned>(i)});
      }
  // No id selects a padding row, and no target a padding class.
  if (survives || isZero || !present ||
      isa<EmbeddingOp, PickOp, CrossEntropyOp>(op.op))
    return success();
  return refuse(op, rule.factors[factor].size)
         << "adds over them, and the padding would not be zero";
}

LogicalResult Padding::checkOp(const ShardedOp &op) {
  llvm::SmallSetVector<int, 2> factors;
  op.forEach([&](unsigned value, const ValueFactors &dims, unsigned) {
    for (auto [i, dim] : llvm::enumerate(dims))
      if (isPadded({value, static_cast<unsigned>(i)}))
        factors.insert(majorFactor(op.rule, dim));
  });
  LogicalResult result = success();
  op.forEach([&](unsigned, const ValueFactors &dims, unsigned) {
    for (const DimFactors &dim : dims) {
      int64_t others = 1, size = 0;
      for (int factor : dim)
        if (factors.contains(factor))
          size = op.rule.factors[factor].size;
        else
          others *= op.rule.factors[factor].size;
      if (size && others > 1 && succeeded(result))
        result = refuse(op, size) << "makes them part of another dim";
    }
  });
  if (failed(result))
    return failure();
  for (int factor : factors)
    if (failed(checkFactor(op, factor)))
      return failure();
  return success();
}

LogicalResult Padding::check() {
  for (unsigned i = 0; i < program.values.size(); ++i)
    if (program[i].kind == ShardedValue::Kind::Param)
      for (unsigned dim = 0; dim < program[i].type.getRank(); ++dim)
        if (isPadded({i, dim}))
          zero.insert({i, dim});
  for (const ShardedOp &op : program.ops)
    if (isForward(op.op) && !isa<AccumulateOp, WriteOp>(op.op) &&
        failed(checkOp(op)))
      return failure();
  for (unsigned i = 0; i < program.values.size(); ++i)
    if (failed(checkValue(program[i], i)))
      return failure();
  return success();
}

/// Creates a row-major source without a file, for a parameter without a source:
/// it records the valid extents.
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

/// Returns the components of class dims and of rows of token tables whose size
/// is no multiple. Components that some op needs whole are left out: they will
/// not be split.
llvm::DenseSet<unsigned> NNPadVocabPass::choose(const Program &program,
                                                const Components &components) {
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
    if (program[dim.first].type.getDimSize(dim.second) % multiple &&
        !components.isUnsplittable(dim))
      padded.insert(components.find(dim));
  }
  return padded;
}

void NNPadVocabPass::resize(Program &program, const Components &components,
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
    if (auto param = dyn_cast<ParamOp>(value.owner)) {
      if (!param.getSource())
        param.setRecordAttr(param.getRecord().withSource(emptySource(param)));
      param.setType(type);
      param.emitRemark() << "'" << value.name << "' " << value.type
                         << " is padded with zeros to " << type;
      continue;
    }
    cast<OpResult>(value.value).setType(type);
  }
  getOperation().walk([&](ReadOp read) {
    if (auto number = program.numberOf(read.getSymbol()))
      if (auto param = dyn_cast<ParamOp>(program[*number].owner))
        read.getResult().setType(param.getTensorType());
  });
}
