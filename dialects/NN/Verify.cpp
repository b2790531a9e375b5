//===- Verify.cpp - Verifiers of nn ops -----------------------------------===//

#include "dialects/NN/Verify.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc::nn;

LogicalResult ParamOp::verify() {
  if (!getRecord().getInit())
    return emitOpError("has no initial value, such as 'init normal'");
  SourceAttr source = getSource();
  if (!source)
    return success();
  // A partitioned program declares the local type and has the global type in
  // dist.global.
  auto global = (*this)->getAttrOfType<TypeAttr>("dist.global");
  auto type =
      global ? dyn_cast<RankedTensorType>(global.getValue()) : getTensorType();
  if (!type)
    return emitOpError("has a dist.global that is not a tensor");
  size_t rank = type.getRank();
  if (source.getStrides().size() != static_cast<int64_t>(rank) ||
      source.getValid().size() != static_cast<int64_t>(rank))
    return emitOpError() << "has " << rank << " dims, but its source has "
                         << source.getStrides().size() << " strides and "
                         << source.getValid().size() << " valid extents";
  if (!source.getType().hasStaticShape())
    return emitOpError() << "has a source of unknown shape, "
                         << source.getType();
  // The last element that is read must be one of the source tensor's.
  int64_t last = source.getBase(), first = source.getBase();
  for (auto [stride, valid, extent] :
       llvm::zip(source.getStrides().asArrayRef(),
                 source.getValid().asArrayRef(), type.getShape())) {
    if (valid < 1 || valid > extent)
      return emitOpError() << "has a valid extent of " << valid
                           << " in a dim of " << extent;
    int64_t reach, &end = stride < 0 ? first : last;
    if (llvm::MulOverflow<int64_t>(stride, valid - 1, reach) ||
        llvm::AddOverflow(end, reach, end))
      return emitOpError() << "has a stride of " << stride
                           << ", which overflows the element's index";
  }
  if (first < 0 || last >= source.getType().getNumElements())
    return emitOpError() << "reads elements " << first << " to " << last
                         << " of a source of "
                         << source.getType().getNumElements();
  return success();
}

StringRef ContractOp::getLhsLabels() { return getSpec().split(',').first; }
StringRef ContractOp::getRhsLabels() {
  return getSpec().split(',').second.split("->").first;
}
StringRef ContractOp::getResultLabels() { return getSpec().split("->").second; }

int64_t ContractOp::getLabelSize(char label) {
  size_t at = getLhsLabels().find(label);
  if (at != StringRef::npos)
    return shapeOf(getLhs())[at];
  at = getRhsLabels().find(label);
  return shapeOf(getRhs())[at];
}

LogicalResult ContractOp::verify() {
  StringRef spec = getSpec();
  if (spec.count(',') != 1 || spec.count("->") != 1 ||
      spec.find(',') > spec.find("->"))
    return emitOpError("spec must read \"lhs,rhs->result\"");
  std::pair<StringRef, Value> parts[] = {{getLhsLabels(), getLhs()},
                                         {getRhsLabels(), getRhs()},
                                         {getResultLabels(), getResult()}};
  llvm::SmallDenseMap<char, std::pair<int64_t, int>> seen; // extent, places
  for (auto [labels, value] : parts) {
    ArrayRef<int64_t> shape = shapeOf(value);
    if (labels.size() != shape.size())
      return emitOpError() << "labels \"" << labels << "\" do not name the "
                           << shape.size() << " dims of " << value.getType();
    for (auto [i, label] : llvm::enumerate(labels)) {
      if (!llvm::isAlpha(label))
        return emitOpError() << "label '" << label << "' is not a letter";
      if (labels.find(label, i + 1) != StringRef::npos)
        return emitOpError() << "label '" << label << "' occurs twice in \""
                             << labels << "\"";
      auto [it, isNew] = seen.try_emplace(label, shape[i], 0);
      if (!isNew && it->second.first != shape[i])
        return emitOpError()
               << "label '" << label << "' is " << shape[i] << " here and "
               << it->second.first << " elsewhere";
      ++it->second.second;
    }
  }
  for (auto [labels, value] : parts)
    for (char label : labels)
      if (seen[label].second < 2)
        return emitOpError() << "label '" << label << "' occurs only once";
  if (tensorType(getLhs()).getElementType() !=
      tensorType(getRhs()).getElementType())
    return emitOpError("needs operands of one element type");
  return success();
}

RankedTensorType CompareOp::getResultType(RankedTensorType operands) {
  return operands.clone(IntegerType::get(operands.getContext(), 1));
}

LogicalResult DropoutOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getInput());
  int64_t rank = shape.size(), batch = getBatchDim(), seq = getSeqDim();
  double p = getP().convertToDouble();
  if (!(p >= 0 && p < 1))
    return emitOpError() << "drops with probability " << p << ", not in [0, 1)";
  if (batch < 0 || batch >= rank || seq < 0 || seq >= rank || batch == seq)
    return emitOpError() << "batch_dim " << batch << " and seq_dim " << seq
                         << " must be two different dims of a rank " << rank
                         << " tensor";
  if (shapeOf(getSamples()) != ArrayRef<int64_t>(shape[batch]) ||
      shapeOf(getPositions()) != ArrayRef<int64_t>(shape[seq]))
    return emitOpError("needs one sample per batch row and one position per "
                       "sequence element");
  if (getOrigin() && shapeOf(getOrigin()) != ArrayRef<int64_t>(rank))
    return emitOpError("origin must have one entry per dim");
  if (failed(verifyScalar(*this, getSeed(), "seed")))
    return failure();
  return verifyScalar(*this, getStep(), "step");
}

LogicalResult ReshapeOp::verify() {
  if (tensorType(getInput()).getElementType() != getType().getElementType())
    return emitOpError("must keep the element type");
  int64_t from = tensorType(getInput()).getNumElements();
  if (from != getType().getNumElements())
    return emitOpError() << "reshapes " << from << " elements into "
                         << getType().getNumElements();
  return success();
}

/// Checks that the result has this shape and the input's element type.
static LogicalResult verifyResult(Operation *op, Value input,
                                  ArrayRef<int64_t> shape) {
  auto expected =
      RankedTensorType::get(shape, tensorType(input).getElementType());
  return verifyType(op, op->getResult(0), expected);
}

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getInput());
  SmallVector<bool> seen(shape.size());
  SmallVector<int64_t> result;
  for (int64_t dim : getPermutation()) {
    if (dim < 0 || dim >= static_cast<int64_t>(shape.size()) || seen[dim])
      return emitOpError("permutation must name every dim once");
    seen[dim] = true;
    result.push_back(shape[dim]);
  }
  if (result.size() != shape.size())
    return emitOpError("permutation must name every dim once");
  return verifyResult(*this, getInput(), result);
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getInput()), to = shapeOf(getResult());
  if (getDims().size() != from.size())
    return emitOpError("needs one entry of dims per dim of the input");
  SmallVector<int64_t> shape(to);
  int64_t last = -1;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim <= last || dim >= static_cast<int64_t>(to.size()))
      return emitOpError("dims must ascend and lie within the result");
    shape[dim] = from[i];
    last = dim;
  }
  return verifyResult(*this, getInput(), shape);
}

template <typename Op>
static LogicalResult verifyReduce(Op op) {
  ArrayRef<int64_t> from = shapeOf(op.getInput());
  SmallVector<int64_t> shape;
  int64_t last = -1;
  for (int64_t dim : op.getDims()) {
    if (dim <= last || dim >= static_cast<int64_t>(from.size()))
      return op.emitOpError("dims must ascend and lie within the input");
    last = dim;
  }
  for (auto [i, extent] : llvm::enumerate(from))
    if (!llvm::is_contained(op.getDims(), static_cast<int64_t>(i)))
      shape.push_back(extent);
  return verifyResult(op, op.getInput(), shape);
}

LogicalResult ReduceOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceMaxOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceMinOp::verify() { return verifyReduce(*this); }
LogicalResult ReduceProdOp::verify() { return verifyReduce(*this); }

/// Checks that `small` is a valid strided box of `large`.
static LogicalResult verifyBox(Operation *op, Value small, Value large,
                               ArrayRef<int64_t> starts,
                               ArrayRef<int64_t> steps) {
  if (tensorType(small).getElementType() != tensorType(large).getElementType())
    return op->emitOpError("must keep the element type");
  size_t rank = shapeOf(large).size();
  if (shapeOf(small).size() != rank || starts.size() != rank ||
      steps.size() != rank)
    return op->emitOpError("needs a start and a step for every dim");
  for (auto [n, total, start, step] :
       llvm::zip(shapeOf(small), shapeOf(large), starts, steps))
    if (start < 0 || step < 1 || step > total || n < 1 || start >= total ||
        n - 1 > (total - 1 - start) / step)
      return op->emitOpError() << "box of " << n << " from " << start << " by "
                               << step << " leaves a dim of " << total;
  return success();
}

LogicalResult SliceOp::verify() {
  return verifyBox(*this, getResult(), getInput(), getStarts(), getSteps());
}
LogicalResult PadOp::verify() {
  return verifyBox(*this, getInput(), getResult(), getStarts(), getSteps());
}

LogicalResult ConcatOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one input");
  SmallVector<int64_t> shape(shapeOf(getInputs()[0]));
  int64_t dim = getDim();
  if (dim < 0 || dim >= static_cast<int64_t>(shape.size()))
    return emitOpError() << "has no dim " << dim;
  shape[dim] = 0;
  for (Value input : getInputs()) {
    SmallVector<int64_t> other(shapeOf(input));
    if (other.size() != shape.size() ||
        tensorType(input).getElementType() != getType().getElementType())
      return emitOpError("inputs must agree except in the concatenated dim");
    shape[dim] += other[dim];
    other[dim] = shape[dim];
    if (other != shape)
      return emitOpError("inputs must agree except in the concatenated dim");
  }
  return verifyResult(*this, getInputs()[0], shape);
}

/// Checks that `small` has the type of `large` without `dim`, and that `dim`
/// has the index.
static LogicalResult verifyAt(Operation *op, Value small, Value large,
                              int64_t dim, int64_t index) {
  SmallVector<int64_t> shape(shapeOf(large));
  if (dim < 0 || dim >= static_cast<int64_t>(shape.size()) || index < 0 ||
      index >= shape[dim])
    return op->emitOpError() << "has no index " << index << " of dim " << dim;
  shape.erase(shape.begin() + dim);
  if (shape != shapeOf(small) ||
      tensorType(small).getElementType() != tensorType(large).getElementType())
    return op->emitOpError() << small.getType() << " is not " << large.getType()
                             << " without dim " << dim;
  return success();
}

LogicalResult SelectOp::verify() {
  return verifyAt(*this, getResult(), getInput(), getDim(), getIndex());
}
LogicalResult InsertOp::verify() {
  return verifyAt(*this, getInput(), getResult(), getDim(), getIndex());
}

LogicalResult LayerNormOp::verify() {
  return verifyRows(*this, getInput(), {getScale(), getBias()},
                    {getMean(), getRstd()});
}
LogicalResult RmsNormOp::verify() {
  return verifyRows(*this, getInput(), {getScale()}, {getRstd()});
}

LogicalResult RopeOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getInput());
  if (shape.size() != 4)
    return emitOpError("takes [batch, sequence, head, dim]");
  int64_t dim = getDim();
  if (dim < 2 || dim % 2 || dim > shape[3])
    return emitOpError() << "cannot rotate " << dim << " of " << shape[3]
                         << " elements";
  ArrayRef<int64_t> positions = shapeOf(getPositions());
  if (positions != shape.slice(1, 1) && positions != shape.take_front(2))
    return emitOpError("needs one position per sequence element");
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyAttention(*this)))
    return failure();
  ArrayRef<int64_t> q = shapeOf(getQ()), v = shapeOf(getV());
  if (shapeOf(getResult()) != ArrayRef<int64_t>({q[0], q[1], q[2], v[3]}) ||
      shapeOf(getLse()) != q.take_front(3))
    return emitOpError("results must be [b, s, h, e] and [b, s, h]");
  if (failed(verifySinks(*this, getSinks(), q[2])))
    return failure();
  return verifyMax(*this, getBias(), getLse(), getMax());
}

template <typename Op>
static LogicalResult verifyMaskedSoftmax(Op op) {
  ArrayRef<int64_t> scores = shapeOf(op.getScores());
  if (scores.size() != 4)
    return op.emitOpError("takes scores of [batch, head, query, key]");
  if (shapeOf(op.getQPos()) != scores.slice(2, 1) ||
      shapeOf(op.getKPos()) != scores.slice(3, 1))
    return op.emitOpError("needs one position per query and per key");
  if (failed(verifyMask(op)) ||
      failed(verifyStarts(op, op.getStarts(), op.getCausal(),
                          {scores[0], scores[2]})) ||
      failed(verifyBias(op, op.getBias(), scores)))
    return failure();
  if (shapeOf(op.getLse()) != scores.drop_back())
    return op.emitOpError("lse must be [batch, head, query]");
  if (failed(verifyMax(op, op.getBias(), op.getLse(), op.getMax())))
    return failure();
  RankedTensorType from = tensorType(op.getScores()),
                   to = tensorType(op.getProbs());
  if (to.getShape() != scores || (from != to && !from.getElementType().isF32()))
    return op.emitOpError()
           << "cannot return " << to << " for scores of " << from;
  return verifyDropout(op, scores[0]);
}

LogicalResult MaskedSoftmaxOp::verify() {
  if (failed(verifyMaskedSoftmax(*this)))
    return failure();
  return verifySinks(*this, getSinks(), shapeOf(getScores())[1]);
}
LogicalResult MaskedSoftmaxGradOp::verify() {
  return verifyMaskedSoftmax(*this);
}

LogicalResult EmbeddingOp::verify() {
  ArrayRef<int64_t> table = shapeOf(getTable());
  if (table.size() < 2)
    return emitOpError("table must be [rows, columns...]");
  if (failed(verifyScalar(*this, getOffset(), "offset")))
    return failure();
  SmallVector<int64_t> shape(shapeOf(getIds()));
  llvm::append_range(shape, table.drop_front());
  return verifyResult(*this, getTable(), shape);
}

LogicalResult CrossEntropyOp::verify() {
  if (failed(verifyTargets(*this, getLogits(), getTargets())) ||
      failed(verifyClasses(*this, getClasses(), shapeOf(getLogits()).back())))
    return failure();
  if (shapeOf(getLoss()) != shapeOf(getTargets()))
    return emitOpError("loss and lse must have the targets' shape");
  return success();
}
