//===- pcc-opt.cpp - Runs passes by name ----------------------------------===//

#include "TestAnalyses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/RegisterAll.h"
#include "tools/Tools.h"

int pccOptMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  pcc::registerAllPccDialects(registry);
  pcc::registerAllPccPasses();
  pcc::registerTestPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "pcc's pass driver\n", registry));
}
