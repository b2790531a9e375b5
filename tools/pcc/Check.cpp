//===- Check.cpp - pcc --check --------------------------------------------===//

#include "tools/pcc/Check.h"
#include "dialects/NN/DiagnosticCode.h"
#include "dialects/NN/Location.h"
#include "frontend/import/Support.h"
#include "passes/Pipelines.h"
#include "tools/pcc/Fit.h"
#include "tools/pcc/Input.h"
#include "tools/pcc/Run.h"

using namespace mlir;
using namespace pcc;

/// Adds a diagnostic to the report.
static void note(Diagnostic &diagnostic, SupportReport &report) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error &&
      diagnostic.getSeverity() != DiagnosticSeverity::Warning)
    return;
  nn::DiagnosticCode code = nn::getCode(diagnostic);
  std::string what = diagnostic.str(), remedy;
  StringRef node = nn::sourceNode(diagnostic.getLocation());
  if (!node.empty() && !StringRef(what).contains(node))
    what = ("'" + node + "': " + what).str();
  for (Diagnostic &note : diagnostic.getNotes())
    remedy += (remedy.empty() ? "" : "; ") + note.str();
  auto add = [&](std::vector<SupportReport::Problem> &list) {
    if (llvm::none_of(list,
                      [&](const auto &known) { return known.what == what; }))
      list.push_back({what, remedy});
  };
  if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    add(report.warnings);
  else if (code == nn::DiagnosticCode::MissingFlag)
    report.missing = {what, remedy};
  else if (code != nn::DiagnosticCode::UnsupportedOperators)
    add(report.problems);
}

/// Compiles the model up to phase rt, after which nothing can fail that depends
/// on it, and adds the problems to the report. `arguments` is a copy, since
/// reading completes it.
static void tryCompile(MLIRContext &context, const ONNXFile &file,
                       Arguments arguments, SupportReport &report) {
  bool isTold = false;
  ScopedDiagnosticHandler collect(&context, [&](Diagnostic &diagnostic) {
    isTold |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    note(diagnostic, report);
  });
  Input input;
  input.onnx = file;
  if (failed(readInput(context, arguments, input)))
    return;
  ModuleOp module = *input.module;
  Summary summary(arguments.options);
  for (int phase = input.phase + 1, last = findPhase("rt"); phase <= last;
       ++phase) {
    StringRef name = getPhases()[phase].name;
    auto verify = [&](PassManager &manager) {
      manager.enableVerifier(arguments.verifyEach);
      return success();
    };
    if (failed(runPhase(module, phase, arguments.options, verify))) {
      if (!isTold)
        report.problems.push_back(
            {("internal error in phase '" + name + "'").str(),
             "compile the model, and report the error"});
      return;
    }
    summary.collect(module, name);
  }
  if (failed(checkMemory(module.getLoc(), summary, arguments, file)))
    return;
  llvm::raw_string_ostream os(report.plan);
  if (!arguments.options.forward)
    summary.printStep(os);
}

int pcc::runCheck(MLIRContext &context, const Arguments &arguments) {
  auto file = readONNX(context, arguments.input);
  if (failed(file))
    return 1;
  SupportReport report = checkSupport(context, *file);
  tryCompile(context, *file, arguments, report);
  if (arguments.report == Report::JSON)
    printReportJson(report, arguments.input, llvm::outs());
  else
    printReport(report, arguments.input, llvm::outs());
  return report.isSupported() ? 0 : 1;
}
