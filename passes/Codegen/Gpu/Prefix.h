//===- Prefix.h - The headers that files of device code include -*- C++ -*-===//
//
// Precompiled, for these and for tools that use them. Apart from Codegen's
// others, most of which need no dialect for devices.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Kernels/Prefix.h"
