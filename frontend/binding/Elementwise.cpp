//===- Elementwise.cpp - Elementwise operators ----------------------------===//

#include "frontend/binding/Elementwise.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

LogicalResult pcc::frontend::foldWith(Binder &b, Type element,
                                      double (*floats)(In),
                                      int64_t (*ints)(In)) {
  SmallVector<Tensor, 3> operands;
  SmallVector<Shape> shapes;
  for (unsigned i = 0; i < b.numInputs(); ++i) {
    if (!b.has(i))
      return b.error() << "lacks operand " << i;
    operands.push_back(*b.tensor(i));
    shapes.push_back(b.shape(i));
  }
  // The last operand decides between floats and integers: Where begins with its
  // condition.
  bool isFloat = operands.back().isFloat();
  if (!element)
    element = operands.back().element();
  if (!broadcastShapes(shapes))
    return b.error() << "the shapes of its operands do not fit";
  if (isFloat ? !floats && !ints : !ints)
    return b.error() << "does not take elements of this type";
  b.set(0, Tensor::map(element, operands, [&](In in) {
          if (isFloat && floats)
            return ofFloat(floats(in));
          return ofInt(ints(in));
        }));
  return success();
}

FailureOr<SmallVector<Value>> pcc::frontend::broadcastAll(Binder &b,
                                                          unsigned first) {
  SmallVector<Shape> shapes;
  for (unsigned i = 0; i < b.numInputs(); ++i) {
    if (!b.has(i))
      return b.error() << "lacks operand " << i;
    shapes.push_back(b.shape(i));
  }
  auto shape = broadcastShapes(shapes);
  if (!shape)
    return b.error() << "the shapes of its operands do not fit";
  SmallVector<Value> values;
  for (unsigned i = 0; i < b.numInputs(); ++i) {
    if (i >= first && b.element(i) != b.element(first))
      return b.error() << "its operands differ in type";
    if (b.isConstant(i))
      values.push_back(b.constant(b.item(i).tensor->expand(*shape)));
    else
      values.push_back(b.broadcast(b.value(i), *shape));
  }
  return values;
}
