//===- Check.cpp - pcc --check --------------------------------------------===//

#include "tools/pcc/Check.h"
#include "frontend/Support.h"
#include "tools/pcc/Input.h"

using namespace mlir;
using namespace pcc;

/// Imports the model, and adds what is in the way to the report. `arguments` is
/// a copy: reading completes it.
static void tryImport(MLIRContext &context, Arguments arguments,
                      SupportReport &report) {
  ScopedDiagnosticHandler collect(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    std::string what = diagnostic.str(), remedy;
    for (Diagnostic &note : diagnostic.getNotes())
      remedy += (remedy.empty() ? "" : "; ") + note.str();
    if (StringRef(remedy).starts_with("add --"))
      report.missing = remedy;
    else if (!StringRef(what).contains("not supported at opset") &&
             llvm::none_of(report.problems, [&](const auto &known) {
               return known.what == what;
             }))
      report.problems.push_back({what, remedy});
  });
  Input input;
  (void)readInput(context, arguments, input);
}

int pcc::runCheck(MLIRContext &context, const Arguments &arguments) {
  auto report = checkSupport(context, arguments.input);
  if (failed(report))
    return 1;
  tryImport(context, arguments, *report);
  if (arguments.report == Report::JSON)
    printReportJson(*report, arguments.input, llvm::outs());
  else
    printReport(*report, arguments.input, llvm::outs());
  return report->isSupported() ? 0 : 1;
}
