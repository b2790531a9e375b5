//===- Support.h - The supported parts of a file ----------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_SUPPORT_H
#define PCC_FRONTEND_IMPORT_SUPPORT_H

#include "frontend/import/Import.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace pcc {

/// An operator that a file uses.
struct OperatorUse {
  /// The operator's name, with its domain unless that is ONNX's own.
  std::string name;
  /// The file's version of its operator set.
  int64_t opset;
  /// The nodes' names in the file's order, including subgraphs.
  std::vector<std::string> nodes;
  bool isSupported;
  /// The user's remedy if it is not supported.
  std::string remedy;
};

/// The report of pcc --check.
struct SupportReport {
  /// A problem and its remedy; the remedy is "" if there is none.
  struct Problem {
    /// Phrases for the user.
    std::string what, remedy;
  };

  /// (domain, version), ONNX's own domain as "ai.onnx".
  std::vector<std::pair<std::string, int64_t>> opsets;
  /// The operators that the file uses, sorted by name.
  std::vector<OperatorUse> operators;
  /// Further problems, and warnings about assumptions.
  std::vector<Problem> problems, warnings;
  /// The flag that must be given before the rest can be checked, with the
  /// remedy "add --seq N"; or empty.
  Problem missing;
  /// A summary of the compiled program, in lines, if it compiles.
  std::string plan;

  /// Whether all operators are supported and there are no problems.
  bool isSupported() const;
};

/// Checks a file's operators and types, without binding dims or importing.
SupportReport checkSupport(mlir::MLIRContext &context, const ONNXFile &file);

/// Prints the report as text. `file` is the path as it was given.
void printReport(const SupportReport &report, llvm::StringRef file,
                 llvm::raw_ostream &os);
/// Prints the report as one JSON object.
void printReportJson(const SupportReport &report, llvm::StringRef file,
                     llvm::raw_ostream &os);

} // namespace pcc

#endif // PCC_FRONTEND_IMPORT_SUPPORT_H
