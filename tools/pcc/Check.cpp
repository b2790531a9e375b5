//===- Check.cpp - pcc --check --------------------------------------------===//

#include "tools/pcc/Check.h"
#include "frontend/Support.h"

using namespace mlir;
using namespace pcc;

int pcc::runCheck(MLIRContext &context, const Arguments &arguments) {
  auto report = checkSupport(context, arguments.input);
  if (failed(report))
    return 1;
  if (arguments.report == Report::JSON)
    printReportJson(*report, arguments.input, llvm::outs());
  else
    printReport(*report, arguments.input, llvm::outs());
  return report->isSupported() ? 0 : 1;
}
