//===- PlanMemory.h - The memory of other plans -----------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_PLANMEMORY_H
#define PCC_TOOLS_PCC_PLANMEMORY_H

#include "frontend/import/Import.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/pcc/Arguments.h"
#include <map>
#include <optional>
#include <string>

namespace pcc {

/// Compiles other plans of a model up to rt, each once, to learn their memory.
class PlanMemory {
public:
  /// `file` is null if the input is a text.
  PlanMemory(const Arguments &arguments, const ONNXFile &file);

  /// Returns the largest memory of a rank of a plan, in bytes; nothing if the
  /// model cannot be compiled with this plan.
  std::optional<int64_t> of(const Options &plan);
  /// Returns the flags of a plan that differ from the given ones.
  std::string describe(const Options &plan) const;

private:
  const Arguments &arguments;
  const ONNXFile &file;
  mlir::MLIRContext context;
  /// Errors are expected: not every plan is valid for the model.
  mlir::ScopedDiagnosticHandler quiet;
  /// By flags.
  std::map<std::string, std::optional<int64_t>> known;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_PLANMEMORY_H
