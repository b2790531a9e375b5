//===- ElementTypes.cpp - Element types as the runtime has them -----------===//

#include "analysis/ElementTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/Program.h"

using namespace mlir;
using namespace pcc;

Type analysis::typeOf(MLIRContext *context, int32_t dtype) {
  switch (static_cast<pcc_dtype>(dtype)) {
  case PCC_F32:
    return Float32Type::get(context);
  case PCC_F64:
    return Float64Type::get(context);
  case PCC_BF16:
    return BFloat16Type::get(context);
  case PCC_F16:
    return Float16Type::get(context);
  case PCC_I64:
    return IntegerType::get(context, 64);
  case PCC_I32:
    return IntegerType::get(context, 32);
  case PCC_I16:
    return IntegerType::get(context, 16);
  case PCC_I8:
    return IntegerType::get(context, 8);
  case PCC_BOOL:
    return IntegerType::get(context, 1);
  }
  llvm_unreachable("all element types are handled");
}

int32_t analysis::dtypeOf(Type element) {
  // `si32`, which nn does not have, means the same numbers as `i32`.
  if (auto integer = dyn_cast<IntegerType>(element))
    if (integer.isSigned())
      element = IntegerType::get(element.getContext(), integer.getWidth());
  for (int32_t dtype = 0; dtype < PCC_DTYPES; ++dtype)
    if (typeOf(element.getContext(), dtype) == element)
      return dtype;
  return -1;
}
