//===- ElementTypes.cpp - The types of a file's elements ------------------===//

#include "frontend/onnx/ElementTypes.h"
#include "frontend/onnx/Reader.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

Type pcc::frontend::storageType(MLIRContext *context, int32_t dataType) {
  Builder b(context);
  switch (dataType) {
  case onnx::TensorProto::FLOAT:
    return b.getF32Type();
  case onnx::TensorProto::DOUBLE:
    return b.getF64Type();
  case onnx::TensorProto::FLOAT16:
    return b.getF16Type();
  case onnx::TensorProto::BFLOAT16:
    return b.getBF16Type();
  case onnx::TensorProto::INT64:
    return b.getI64Type();
  case onnx::TensorProto::INT32:
    return b.getI32Type();
  case onnx::TensorProto::INT16:
    return b.getIntegerType(16);
  case onnx::TensorProto::INT8:
  case onnx::TensorProto::UINT8:
    return b.getIntegerType(8);
  case onnx::TensorProto::BOOL:
    return b.getI1Type();
  default:
    return nullptr;
  }
}

std::string pcc::frontend::typeName(int32_t dataType) {
  if (!onnx::TensorProto_DataType_IsValid(dataType))
    return std::to_string(dataType);
  return onnx::TensorProto_DataType_Name(
      static_cast<onnx::TensorProto_DataType>(dataType));
}

Type pcc::frontend::elementType(MLIRContext *context, int32_t dataType,
                                bool asStored) {
  Type type = storageType(context, dataType);
  return !asStored && isa_and_present<Float16Type, BFloat16Type>(type)
             ? Float32Type::get(context)
             : type;
}
