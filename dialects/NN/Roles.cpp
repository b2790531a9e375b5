//===- Roles.cpp - Roles of a program's inputs ----------------------------===//

#include "dialects/NN/Roles.h"
#include "dialects/NN/AttrNames.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pcc::nn;

bool pcc::nn::isSequence(InputRole role) {
  return role == InputRole::Tokens || role == InputRole::Targets ||
         role == InputRole::Labels;
}

bool pcc::nn::hasBatchDim(InputRole role) {
  return isSequence(role) || role == InputRole::Samples ||
         role == InputRole::Data || role == InputRole::DocumentStarts;
}

bool pcc::nn::isModelData(InputRole role) {
  return role == InputRole::Tokens || role == InputRole::Data;
}

bool pcc::nn::isFromDataset(InputRole role) {
  return isSequence(role) || isNamed(role);
}

bool pcc::nn::isNamed(InputRole role) {
  return role == InputRole::Data || role == InputRole::Shared;
}

bool pcc::nn::mayRepeat(InputRole role) {
  return isNamed(role) || role == InputRole::Positions;
}

bool pcc::nn::isScalar(InputRole role) {
  return !isFromDataset(role) && role != InputRole::Positions &&
         role != InputRole::Samples && role != InputRole::DocumentStarts;
}

std::optional<InputRole> pcc::nn::roleOf(FunctionOpInterface function,
                                         unsigned index) {
  auto attr = function.getArgAttrOfType<InputRoleAttr>(index, kRoleAttr);
  return attr ? std::optional(attr.getValue()) : std::nullopt;
}

std::optional<InputRole> pcc::nn::roleOf(BlockArgument argument) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function ? roleOf(function, argument.getArgNumber()) : std::nullopt;
}

InputDims pcc::nn::dimsOf(InputRole role, int64_t rank, Attribute stated) {
  InputDims dims;
  if (auto attr = dyn_cast_or_null<InputDimsAttr>(stated)) {
    if (attr.getBatch() >= 0)
      dims.batch = attr.getBatch();
    if (attr.getSequence() >= 0)
      dims.sequence = attr.getSequence();
    return dims;
  }
  if (hasBatchDim(role) && rank > 0)
    dims.batch = 0;
  if ((isSequence(role) || role == InputRole::DocumentStarts) && rank > 1)
    dims.sequence = 1;
  if (role == InputRole::Positions && rank > 0)
    dims.sequence = 0;
  return dims;
}

InputDims pcc::nn::dimsOf(FunctionOpInterface function, unsigned index) {
  std::optional<InputRole> role = roleOf(function, index);
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
  if (!role || !type)
    return {};
  return dimsOf(*role, type.getRank(), function.getArgAttr(index, kDimsAttr));
}

InputDims pcc::nn::dimsOf(BlockArgument argument) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function ? dimsOf(function, argument.getArgNumber()) : InputDims();
}

StringRef pcc::nn::inputName(FunctionOpInterface function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttr);
  return name ? name.getValue() : StringRef();
}

BlockArgument pcc::nn::findInput(FunctionOpInterface function, InputRole role,
                                 StringRef name) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (roleOf(function, i) == role &&
        (name.empty() || inputName(function, i) == name))
      return argument;
  }
  return nullptr;
}

BlockArgument pcc::nn::findModelData(FunctionOpInterface function) {
  BlockArgument tokens = findInput(function, InputRole::Tokens);
  return tokens ? tokens : findInput(function, InputRole::Data);
}

int64_t pcc::nn::batchOf(FunctionOpInterface function) {
  for (bool isData : {false, true})
    for (BlockArgument argument : function.getArguments()) {
      std::optional<InputRole> role = roleOf(argument);
      InputDims dims = dimsOf(argument);
      if (dims.batch && (role == InputRole::Data) == isData)
        return cast<RankedTensorType>(argument.getType())
            .getDimSize(*dims.batch);
    }
  return 0;
}

BlockArgument pcc::nn::insertInput(FunctionOpInterface function, unsigned index,
                                   InputRole role, StringRef name, Type type,
                                   Location loc) {
  Builder builder(function.getContext());
  NamedAttribute attrs[] = {
      builder.getNamedAttr(kNameAttr, builder.getStringAttr(name)),
      builder.getNamedAttr(kRoleAttr,
                           InputRoleAttr::get(function.getContext(), role))};
  LogicalResult inserted = function.insertArgument(
      index, type, builder.getDictionaryAttr(attrs), loc);
  // Only an existing attribute or result name can make this fail.
  assert(succeeded(inserted));
  (void)inserted;
  return function.getArgument(index);
}

void pcc::nn::setRole(FunctionOpInterface function, unsigned index,
                      InputRole role) {
  function.setArgAttr(index, kRoleAttr,
                      InputRoleAttr::get(function.getContext(), role));
}
