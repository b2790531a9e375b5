//===- Data.cpp - Constant C structures as LLVM globals -------------------===//

#include "passes/Codegen/Emit/Data.h"

using namespace mlir;
using namespace pcc;

Datum Datum::number(unsigned bits, int64_t value) {
  Datum datum;
  datum.bits = bits;
  datum.integer = value;
  return datum;
}

Datum Datum::f32(double value) {
  Datum datum;
  datum.kind = Kind::Float;
  datum.bits = 32;
  datum.real = value;
  return datum;
}

Datum Datum::f64(double value) {
  Datum datum = f32(value);
  datum.bits = 64;
  return datum;
}

Datum Datum::address(StringRef symbol) {
  Datum datum;
  datum.kind = Kind::Address;
  datum.symbol = symbol.str();
  return datum;
}

Datum Datum::structure(ArrayRef<Datum> fields) {
  Datum datum;
  datum.kind = Kind::Structure;
  datum.parts = fields.vec();
  return datum;
}

Datum Datum::array(ArrayRef<Datum> elements) {
  Datum datum = structure(elements);
  datum.kind = Kind::Array;
  return datum;
}

Type Datum::getType(MLIRContext *context) const {
  switch (kind) {
  case Kind::Integer:
    return IntegerType::get(context, bits);
  case Kind::Float:
    return bits == 32 ? Type(Float32Type::get(context))
                      : Type(Float64Type::get(context));
  case Kind::Address:
    return LLVM::LLVMPointerType::get(context);
  case Kind::Structure: {
    SmallVector<Type> types;
    for (const Datum &part : parts)
      types.push_back(part.getType(context));
    return LLVM::LLVMStructType::getLiteral(context, types);
  }
  case Kind::Array:
    return LLVM::LLVMArrayType::get(parts.front().getType(context),
                                    parts.size());
  }
  llvm_unreachable("all kinds are handled");
}

Value Datum::emit(OpBuilder &builder, Location loc) const {
  Type type = getType(builder.getContext());
  switch (kind) {
  case Kind::Integer:
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getIntegerAttr(type, integer));
  case Kind::Float:
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getFloatAttr(type, real));
  case Kind::Address:
    if (symbol.empty())
      return LLVM::ZeroOp::create(builder, loc, type);
    return LLVM::AddressOfOp::create(builder, loc, type, symbol);
  case Kind::Structure:
  case Kind::Array: {
    Value value = LLVM::UndefOp::create(builder, loc, type);
    for (auto [index, part] : llvm::enumerate(parts))
      value = LLVM::InsertValueOp::create(builder, loc, value,
                                          part.emit(builder, loc), index);
    return value;
  }
  }
  llvm_unreachable("all kinds are handled");
}

DataBuilder::DataBuilder(ModuleOp module)
    : module(module), builder(OpBuilder::atBlockEnd(module.getBody())) {}

LLVM::GlobalOp DataBuilder::create(StringRef name, const Datum &value,
                                   LLVM::Linkage linkage) {
  builder.setInsertionPointToEnd(module.getBody());
  Type type = value.getType(builder.getContext());
  auto global =
      LLVM::GlobalOp::create(builder, module.getLoc(), type,
                             /*isConstant=*/true, linkage, name, Attribute());
  OpBuilder body(builder.getContext());
  body.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(body, module.getLoc(),
                         value.emit(body, module.getLoc()));
  return global;
}

Datum DataBuilder::add(StringRef name, const Datum &value) {
  std::string unique = (name + "." + Twine(numbers[name]++)).str();
  create(unique, value, LLVM::Linkage::Internal);
  return Datum::address(unique);
}

void DataBuilder::addPublic(StringRef name, const Datum &value) {
  create(name, value, LLVM::Linkage::External);
}

Datum DataBuilder::addArray(StringRef name, ArrayRef<Datum> elements) {
  return elements.empty() ? Datum::null() : add(name, Datum::array(elements));
}

Datum DataBuilder::addArray(StringRef name, ArrayRef<int64_t> elements) {
  SmallVector<Datum> data;
  for (int64_t element : elements)
    data.push_back(Datum::i64(element));
  return addArray(name, data);
}

Datum DataBuilder::addArray(StringRef name, ArrayRef<int32_t> elements) {
  SmallVector<Datum> data;
  for (int32_t element : elements)
    data.push_back(Datum::i32(element));
  return addArray(name, data);
}

Datum DataBuilder::addString(StringRef text) {
  std::string &symbol = strings[text];
  if (symbol.empty()) {
    symbol = "pcc.string." + std::to_string(strings.size() - 1);
    std::string zeroTerminated = text.str() + '\0';
    auto type =
        LLVM::LLVMArrayType::get(builder.getI8Type(), zeroTerminated.size());
    builder.setInsertionPointToEnd(module.getBody());
    LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, symbol,
                           builder.getStringAttr(zeroTerminated));
  }
  return Datum::address(symbol);
}
