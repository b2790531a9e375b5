//===- OperatorNames.cpp - What dynamo's names of results tell ------------===//

#include "frontend/OperatorNames.h"
#include "frontend/Names.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc::frontend;

/// Operators that leave elements as they are, by their names in dynamo.
static bool isMove(StringRef stem) {
  return llvm::StringSwitch<bool>(stem)
      .Cases({"_to_copy", "clone", "embedding", "expand", "getitem"}, true)
      .Cases({"index", "lift_fresh_copy", "permute", "reshape"}, true)
      .Cases({"select", "slice", "split", "squeeze", "t", "to"}, true)
      .Cases({"transpose", "type_as", "unsqueeze", "view"}, true)
      .Default(false);
}

bool pcc::frontend::isOperatorResult(StringRef name) {
  StringRef stem = stemOf(name);
  return isMove(stem) ||
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

/// Operators that add a constant, by their names in dynamo.
static bool isSum(StringRef stem) {
  return stem == "add" || stem == "sub" || stem == "rsub";
}

bool pcc::frontend::isMoveOrSum(StringRef result) {
  return isMove(stemOf(result)) || isSum(stemOf(result));
}

bool pcc::frontend::changesGradients(StringRef result, bool isOne) {
  StringRef stem = stemOf(result);
  return !isInvented(result) && !isMove(stem) &&
         !llvm::StringSwitch<bool>(stem)
              .Cases({"arange", "cat", "full", "full_like", "ones"}, true)
              .Cases({"ones_like", "scalar_tensor", "stack", "zeros"}, true)
              .Cases({"scalar_tensor_default", "zeros_like"}, true)
              .Default(isSum(stem) && isOne);
}
