//===- NN.cpp - Registration of the nn dialect ----------------------------===//

#include "dialects/NN/NN.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/NN/Dialect.cpp.inc"
#include "dialects/NN/Enums.cpp.inc"
#include "dialects/NN/Interfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/NN/Attrs.cpp.inc"

namespace pcc::nn {

void NNDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/NN/Attrs.cpp.inc"
      >();
  registerNNDialectOperations(this);
}

Operation *NNDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

} // namespace pcc::nn
