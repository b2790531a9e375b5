//===- RegisterAll.cpp - Every dialect and pass of the project ------------===//

#include "passes/RegisterAll.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "passes/Codegen/Passes.h"
#include "frontend/Passes.h"
#include "passes/Pipeline/Passes.h"
#include "passes/Training/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

void pcc::registerAllPccDialects(mlir::DialectRegistry &registry) {
  registry.insert<
      dist::DistDialect,
      mlir::LLVM::LLVMDialect,
      mlir::func::FuncDialect,
      mlir::memref::MemRefDialect,
      nn::NNDialect,
      pipe::PipeDialect,
      rt::RTDialect>();
}

void pcc::registerAllPccPasses() {
  mlir::registerTransformsPasses();
  registerCodegenPasses();
  registerPipelinePasses();
  registerFrontendPasses();
  registerTrainingPasses();
}
