//===- IdBound.cpp - The range of an input's ids --------------------------===//

#include "analysis/IdBound.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pcc::nn;

DictionaryAttr IdBound::toAttr(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList fields;
  fields.set("below", builder.getI64IntegerAttr(below));
  fields.set("node", builder.getStringAttr(node));
  if (isOfLoss)
    fields.set("of_loss", builder.getUnitAttr());
  return fields.getDictionary(context);
}

std::optional<IdBound> IdBound::from(Attribute attribute) {
  auto fields = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!fields)
    return std::nullopt;
  auto below = fields.getAs<IntegerAttr>("below");
  auto node = fields.getAs<StringAttr>("node");
  if (!below || !node)
    return std::nullopt;
  return IdBound{below.getInt(), node.getValue(), fields.contains("of_loss")};
}
