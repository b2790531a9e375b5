//===- Mma.cpp - Tensor core instructions ---------------------------------===//

#include "passes/Codegen/Gpu/Mma.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pcc;

Value codegen::packFactor(ImplicitLocOpBuilder &b, Value two) {
  if (cast<VectorType>(two.getType()).getElementType().isF16())
    return two;
  return LLVM::BitcastOp::create(b, b.getI32Type(), two);
}

SmallVector<Value> codegen::loadMatrices(ImplicitLocOpBuilder &b, Value buffer,
                                         Value at, bool isTransposed) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value all = nvgpu::LdMatrixOp::create(
      b, VectorType::get({4, 2}, element), buffer, ValueRange{at},
      b.getBoolAttr(isTransposed), b.getI32IntegerAttr(4));
  SmallVector<Value> matrices;
  for (int64_t i = 0; i < 4; ++i)
    matrices.push_back(
        packFactor(b, vector::ExtractOp::create(b, all, i).getResult()));
  return matrices;
}

void codegen::multiplyMatrices(ImplicitLocOpBuilder &b, bool isF16,
                               ArrayRef<Value> left, ArrayRef<Value> right,
                               const std::array<Value *, 4> &sums) {
  Type f32 = b.getF32Type();
  auto type = isF16 ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  Type result =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  SmallVector<Value> before;
  for (Value *sum : sums)
    before.push_back(*sum);
  Value all = NVVM::MmaOp::create(
      b, result, left, right, before,
      ArrayRef<int64_t>{16, kMmaColumns, kMmaDepth}, std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  for (auto [i, sum] : llvm::enumerate(sums))
    *sum = LLVM::ExtractValueOp::create(b, all, i);
}
