//===- RegisterAll.cpp - All dialects and passes of the project -----------===//

#include "passes/RegisterAll.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Codegen/Gpu/Passes.h"
#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Passes.h"
#include "passes/Pipeline/Passes.h"
#include "passes/Pipelines.h"
#include "passes/Recognition/Passes.h"
#include "passes/Sharding/Passes.h"
#include "passes/Training/Passes.h"

void pcc::registerAllPccDialects(mlir::DialectRegistry &registry) {
  registry.insert<dist::DistDialect, mlir::LLVM::LLVMDialect,
                  mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::gpu::GPUDialect,
                  mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::nvgpu::NVGPUDialect,
                  mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect, nn::NNDialect, pipe::PipeDialect,
                  rt::RTDialect>();
}

void pcc::registerAllPccPasses() {
  mlir::registerTransformsPasses();
  registerCodegenPasses();
  registerPccGpuPasses();
  registerPccKernelsPasses();
  registerRecognitionPasses();
  registerPipelinePasses();
  registerShardingPasses();
  registerTrainingPasses();
  registerPhaseChecks();
}
