//===- ElementTypes.cpp - The runtime's element types ---------------------===//

#include "analysis/ElementTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/Program.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// The pcc_dtype of an integer type. `si32`, which nn does not have, counts as
/// `i32`.
static int32_t integerOf(IntegerType type) {
  if (type.isUnsigned())
    return -1;
  switch (type.getWidth()) {
  case 64:
    return PCC_I64;
  case 32:
    return PCC_I32;
  case 16:
    return PCC_I16;
  case 8:
    return PCC_I8;
  case 1:
    return PCC_BOOL;
  }
  return -1;
}

int32_t analysis::dtypeOf(Type element) {
  return llvm::TypeSwitch<Type, int32_t>(element)
      .Case([](Float32Type) { return PCC_F32; })
      .Case([](Float64Type) { return PCC_F64; })
      .Case([](BFloat16Type) { return PCC_BF16; })
      .Case([](Float16Type) { return PCC_F16; })
      .Case(integerOf)
      .Default(-1);
}
