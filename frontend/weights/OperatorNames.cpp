//===- OperatorNames.cpp - Operators in dynamo's result names -------------===//

#include "frontend/weights/OperatorNames.h"
#include "frontend/weights/Names.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc::frontend;

/// The operator in the name of a result, with dynamo's spelling.
static std::string operatorOf(StringRef result) {
  if (!result.contains('/'))
    return stemOf(result).str();
  // TorchScript's /h.0/ln/Mul_1_output_0.
  StringRef name = result.rsplit('/').second;
  auto [node, number] = name.rsplit("_output_");
  return stemOf(node).lower();
}

/// Operators that move or cast elements, by their names in dynamo.
bool pcc::frontend::isMove(StringRef result) {
  return llvm::StringSwitch<bool>(operatorOf(result))
      .Cases({"_to_copy", "clone", "embedding", "expand", "getitem"}, true)
      .Cases({"convert_element_type_default", "alias", "cast"}, true)
      .Cases({"index", "lift_fresh_copy", "permute", "reshape"}, true)
      .Cases({"select", "slice", "split", "squeeze", "t", "to"}, true)
      .Cases({"transpose", "type_as", "unsqueeze", "view"}, true)
      .Default(false);
}

bool pcc::frontend::isOperatorResult(StringRef name) {
  std::string stem = operatorOf(name);
  return name.contains('/') || isMove(name) ||
         llvm::StringSwitch<bool>(stem)
             .Cases({"abs", "add", "arange", "bmm", "cat", "clamp"}, true)
             .Cases({"cos", "cumsum", "detach", "div", "eq", "exp"}, true)
             .Cases({"full", "full_like", "ge", "gt", "le", "linear"}, true)
             .Cases({"log", "lt", "masked_fill", "matmul", "mean"}, true)
             .Cases({"mm", "mul", "ne", "neg", "ones", "ones_like"}, true)
             .Cases({"pow", "reciprocal", "repeat", "rsqrt", "rsub"}, true)
             .Cases({"scalar_tensor", "scalar_tensor_default"}, true)
             .Cases({"sin", "sqrt", "stack", "sub", "sum", "tril"}, true)
             .Cases({"triu", "where", "zeros", "zeros_like"}, true)
             .Default(false);
}

bool pcc::frontend::isDetachResult(StringRef name) {
  std::string stem = operatorOf(name);
  return stem == "detach" || stem == "detach_";
}

/// Operators that add a constant, by their names in dynamo.
static bool isSum(StringRef stem) {
  return stem == "add" || stem == "sub" || stem == "rsub";
}

bool pcc::frontend::isCount(StringRef result) {
  return operatorOf(result) == "arange";
}

bool pcc::frontend::isMoveOrSum(StringRef result) {
  return isMove(result) || isSum(operatorOf(result));
}

bool pcc::frontend::isAddition(StringRef result) {
  return operatorOf(result) == "add";
}

bool pcc::frontend::changesGradients(StringRef result, bool isOne) {
  std::string stem = operatorOf(result);
  return !isGeneratedName(result) && !isMove(result) &&
         !llvm::StringSwitch<bool>(stem)
              .Cases({"arange", "cat", "constant", "full", "full_like", "ones"},
                     true)
              .Cases({"ones_like", "scalar_tensor", "stack", "zeros"}, true)
              .Cases({"scalar_tensor_default", "zeros_like"}, true)
              .Default(isSum(stem) && isOne);
}
