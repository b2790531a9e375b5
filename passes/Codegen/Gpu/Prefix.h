//===- Prefix.h - The headers that files of device code include -*- C++ -*-===//
//
// Precompiled, as Codegen's others are: those of the dialects for devices take
// three times as long to read as all of these.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Kernels/Prefix.h"
