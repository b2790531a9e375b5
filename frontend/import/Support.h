//===- Support.h - What of a file is supported ------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_SUPPORT_H
#define PCC_FRONTEND_IMPORT_SUPPORT_H

#include "frontend/import/Import.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace pcc {

/// An operator of a file.
struct OperatorUse {
  /// The operator's name, with its domain unless that is ONNX's own.
  std::string name;
  /// The file's version of its operator set.
  int64_t opset;
  /// The nodes' names, in the file's order, those of subgraphs included.
  std::vector<std::string> nodes;
  bool isSupported;
  /// What a user can do where it is not.
  std::string remedy;
};

/// What pcc --check says of a file.
struct SupportReport {
  /// What is wrong and what a user can do about it; "" where nothing can.
  struct Problem {
    /// In words for a user.
    std::string what, remedy;
  };

  /// (domain, version), ONNX's own domain as "ai.onnx".
  std::vector<std::pair<std::string, int64_t>> opsets;
  /// The operators that the file uses, sorted by name.
  std::vector<OperatorUse> operators;
  /// What else is in the way, and what is taken for granted.
  std::vector<Problem> problems, warnings;
  /// What must be given for the rest to be checked, whose remedy is then "add
  /// --seq N"; or empty.
  Problem missing;
  /// What it compiles to, in lines of a summary, if it does.
  std::string plan;

  /// Whether all operators are supported and there are no problems.
  bool isSupported() const;
};

/// Looks at a file without binding dims or importing.
SupportReport checkSupport(mlir::MLIRContext &context, const ONNXFile &file);

/// Writes the report for people to read. `file` is the path as it was given.
void printReport(const SupportReport &report, llvm::StringRef file,
                 llvm::raw_ostream &os);
/// Writes the same as one JSON object.
void printReportJson(const SupportReport &report, llvm::StringRef file,
                     llvm::raw_ostream &os);

} // namespace pcc

#endif // PCC_FRONTEND_IMPORT_SUPPORT_H
