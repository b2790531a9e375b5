//===- RegisterAll.cpp - Every dialect and pass of the project ------------===//

#include "passes/RegisterAll.h"
#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

void pcc::registerAllPccDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, nn::NNDialect>();
}

void pcc::registerAllPccPasses() { mlir::registerTransformsPasses(); }
