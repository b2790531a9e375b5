//===- ElementTypes.cpp - Element types of ONNX tensors -------------------===//

#include "frontend/onnx/ElementTypes.h"
#include "analysis/ElementTypes.h"
#include "frontend/onnx/Reader.h"
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/support/DType.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

Type pcc::frontend::storageType(MLIRContext *context, int32_t dataType) {
  // nn has no unsigned integers.
  bool isByte = dataType == onnx::TensorProto::UINT8;
  int32_t dtype = isByte ? int32_t(PCC_I8) : dtypeOfONNX(dataType);
  return dtype < 0 ? Type() : analysis::typeOf(context, dtype);
}

std::string pcc::frontend::typeName(int32_t dataType) {
  if (!onnx::TensorProto_DataType_IsValid(dataType))
    return std::to_string(dataType);
  return onnx::TensorProto_DataType_Name(
      static_cast<onnx::TensorProto_DataType>(dataType));
}

Type pcc::frontend::elementType(MLIRContext *context, int32_t dataType,
                                bool asStored) {
  // As a signed integer, an unsigned byte needs nine bits.
  if (dataType == onnx::TensorProto::UINT8)
    return IntegerType::get(context, 16);
  Type type = storageType(context, dataType);
  return !asStored && isa_and_present<Float16Type, BFloat16Type>(type)
             ? Float32Type::get(context)
             : type;
}
