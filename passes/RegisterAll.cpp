//===- RegisterAll.cpp - Every dialect and pass of the project ------------===//

#include "passes/RegisterAll.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

void pcc::registerAllPccDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, dist::DistDialect, nn::NNDialect,
                  pipe::PipeDialect>();
}

void pcc::registerAllPccPasses() { mlir::registerTransformsPasses(); }
