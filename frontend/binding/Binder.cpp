//===- Binder.cpp - A node as an import function sees it ------------------===//

#include "frontend/binding/Binder.h"
#include "analysis/Evaluate.h"
#include "analysis/Expressions.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

std::optional<int64_t> pcc::frontend::normalizeAxis(int64_t axis,
                                                    int64_t rank) {
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis >= rank)
    return std::nullopt;
  return axis;
}

InFlightDiagnostic Binder::error() const {
  const std::string &name =
      node.name().empty() && node.output_size() ? node.output(0) : node.name();
  return emitError(loc) << node.op_type() << " '" << name << "': ";
}

LogicalResult Binder::checkConstant(ArrayRef<int64_t> shape) const {
  std::optional<int64_t> size = countElements(shape);
  if (size && *size <= int64_t(1) << 28)
    return success();
  InFlightDiagnostic diag = error() << "a constant of shape ";
  llvm::interleave(
      shape, [&](int64_t extent) { diag << extent; }, [&] { diag << " x "; });
  diag << " has a negative dim or more than 2^28 elements";
  diag.attachNote(loc) << "if its shape follows from the input's, reduce "
                          "--micro-batch-size or --seq";
  return diag;
}

bool Binder::has(unsigned i) const {
  return i < inputs.size() && !node.input(i).empty();
}

Type Binder::element(unsigned i) const {
  if (inputs[i].tensor)
    return inputs[i].tensor->element();
  return tensorType(inputs[i].value).getElementType();
}

Shape Binder::shape(unsigned i) const {
  if (inputs[i].tensor)
    return Shape(inputs[i].tensor->shape());
  return Shape(tensorType(inputs[i].value).getShape());
}

std::optional<Tensor> Binder::tensor(unsigned i) const {
  if (inputs[i].tensor)
    return inputs[i].tensor;
  return evaluate(inputs[i].value);
}

Value Binder::value(unsigned i) {
  if (inputs[i].tensor)
    return constant(*inputs[i].tensor);
  return inputs[i].value;
}

std::optional<double> Binder::uniform(unsigned i) const {
  if (!inputs[i].tensor || !inputs[i].tensor->isUniform())
    return std::nullopt;
  Scalar s = inputs[i].tensor->at(int64_t(0));
  return inputs[i].tensor->isFloat() ? s.f : static_cast<double>(s.i);
}

int64_t Binder::intAttr(StringRef name, int64_t otherwise) const {
  const onnx::AttributeProto *attribute = findAttribute(node, name);
  return attribute && attribute->has_i() ? attribute->i() : otherwise;
}

double Binder::floatAttr(StringRef name, double otherwise) const {
  const onnx::AttributeProto *attribute = findAttribute(node, name);
  return attribute && attribute->has_f() ? attribute->f() : otherwise;
}

std::string Binder::stringAttr(StringRef name, StringRef otherwise) const {
  const onnx::AttributeProto *attribute = findAttribute(node, name);
  return attribute && attribute->has_s() ? attribute->s() : otherwise.str();
}

std::optional<SmallVector<int64_t>> Binder::ints(StringRef name) const {
  const onnx::AttributeProto *attribute = findAttribute(node, name);
  if (!attribute)
    return std::nullopt;
  return SmallVector<int64_t>(attribute->ints().begin(),
                              attribute->ints().end());
}

FailureOr<std::optional<SmallVector<int64_t>>>
Binder::ints(unsigned i, StringRef name) const {
  if (auto values = ints(name))
    return values;
  if (!has(i))
    return std::optional<SmallVector<int64_t>>();
  std::optional<Tensor> values = tensor(i);
  if (!values || values->isFloat())
    return error() << name << " must be known at compile time";
  return std::optional<SmallVector<int64_t>>(values->ints());
}

void Binder::set(unsigned i, Tensor tensor) {
  if (i < results.size())
    results[i].tensor = std::move(tensor);
}
void Binder::set(unsigned i, Value value) {
  if (i < results.size())
    results[i].value = value;
}

RankedTensorType Binder::typeOf(ArrayRef<int64_t> shape, Type element) const {
  return RankedTensorType::get(shape, element);
}

Value Binder::reshape(Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(value);
  if (type.getShape() == shape)
    return value;
  return ReshapeOp::create(builder, loc, typeOf(shape, type.getElementType()),
                           value);
}

Value Binder::transpose(Value value, ArrayRef<int64_t> permutation) {
  RankedTensorType type = tensorType(value);
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getShape()[dim]);
  if (llvm::is_sorted(permutation))
    return value;
  return TransposeOp::create(builder, loc, typeOf(shape, type.getElementType()),
                             value, permutation);
}

Value Binder::broadcast(Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(value);
  if (type.getShape() == shape)
    return value;
  // Dims of extent 1 that are repeated are dropped and broadcast as new dims.
  Shape kept;
  SmallVector<int64_t> dims;
  size_t lead = shape.size() - type.getRank();
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    if (extent == shape[lead + i]) {
      kept.push_back(extent);
      dims.push_back(lead + i);
    }
  return BroadcastOp::create(builder, loc, typeOf(shape, type.getElementType()),
                             reshape(value, kept), dims);
}

Value Binder::constant(const Tensor &tensor) {
  auto make = [&](const Tensor &t) {
    return ConstantOp::create(builder, loc, typeOf(t.shape(), t.element()),
                              t.attr());
  };
  if (tensor.isUniform())
    return make(tensor);
  // Leaves out constant dims of the tensor, so they can be sharded.
  Tensor stored = tensor.compact().core();
  bool isWhole = tensor.size() == stored.size();
  // Small constants are created at each use, which is easier to read.
  if (stored.size() < 256)
    return isWhole ? make(tensor) : broadcast(make(stored), tensor.shape());
  Value &value = translation.constantFor(tensor);
  if (value)
    return value;
  Value made;
  if (stored.isByDistance() && stored.size() > kLargestFolded)
    made = buildSteps(builder, loc, stored);
  if (!made)
    made = make(stored);
  return value = isWhole ? made : broadcast(made, tensor.shape());
}

Value Binder::scale(Value value, double factor) {
  if (factor == 1.0)
    return value;
  return ScaleOp::create(builder, loc, value.getType(), value,
                         builder.getF64FloatAttr(factor));
}

Value Binder::sum(ValueRange values) {
  return SumOp::create(builder, loc, values.front().getType(), values);
}

Value Binder::contract(const Twine &spec, Value lhs, Value rhs,
                       ArrayRef<int64_t> shape) {
  return ContractOp::create(builder, loc,
                            typeOf(shape, tensorType(lhs).getElementType()),
                            builder.getStringAttr(spec), lhs, rhs);
}

Value Binder::slice(Value value, int64_t dim, int64_t start, int64_t size) {
  RankedTensorType type = tensorType(value);
  Shape starts(type.getRank(), 0), shape(type.getShape());
  if (shape[dim] == size)
    return value;
  starts[dim] = start;
  shape[dim] = size;
  return SliceOp::create(builder, loc, typeOf(shape, type.getElementType()),
                         value, starts, Shape(type.getRank(), 1));
}

Value Binder::concat(ValueRange values, int64_t dim) {
  Shape shape(tensorType(values.front()).getShape());
  for (Value value : values.drop_front())
    shape[dim] += tensorType(value).getShape()[dim];
  Type element = tensorType(values.front()).getElementType();
  return ConcatOp::create(builder, loc, typeOf(shape, element), values, dim);
}
