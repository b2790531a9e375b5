//===- Prefix.h - Precompiled headers of device code ------------*- C++ -*-===//
//
// The precompiled header of this library and of tools that use it. It is
// separate from the other libraries of Codegen, most of which need no GPU
// dialects.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Kernels/Prefix.h"
