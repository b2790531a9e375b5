//===- RuntimeProgram.h - What the runtime fills, for a module --*- C++ -*-===//
//
// Compiled programs get their weights and inputs from the runtime library. So
// that the interpreter starts from the same numbers, it describes its module
// to the same code: as a program of one rank that holds everything.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_RUNTIMEPROGRAM_H
#define PCC_INTERPRETER_RUNTIMEPROGRAM_H

#include "analysis/TensorRecords.h"
#include "interpreter/Fill.h"
#include "interpreter/Machine.h"
#include "runtime/data/Inputs.h"
#include "runtime/model/Weights.h"
#include <deque>

namespace pcc::interp {

/// A module as the runtime sees it, with memory of its own for inputs.
class RuntimeProgram {
public:
  /// `microBatch`: samples in a microbatch of all ranks. Fails where an
  /// element type is none of the runtime's.
  static mlir::FailureOr<std::unique_ptr<RuntimeProgram>>
  create(Machine &machine, llvm::ArrayRef<InputInfo> inputs,
         int64_t microbatches, int64_t microBatch);

  /// The description, as compiled programs have one; points into this.
  const pcc_program &get() const { return program; }
  /// Its only stage.
  const pcc_stage &getStage() const { return stage; }

  /// Gives the machine's parameters their first values.
  void fillParameters(Machine &machine, const InitialValues &values,
                      llvm::StringRef model);
  /// Reads the inputs of a step; `input` of `microbatch` after that.
  void fillInputs(const Dataset &data, const DataOrder &order,
                  const StepValues &values);
  /// The value of input number `input` of create(), filled before; a copy.
  TensorRef getInput(unsigned input, int64_t microbatch) const;

private:
  RuntimeProgram() = default;
  mlir::LogicalResult addParam(mlir::Operation *op, llvm::StringRef name,
                               mlir::RankedTensorType type);
  mlir::LogicalResult addInput(mlir::ModuleOp module, const InputInfo &info);
  pcc_layout layoutOf(mlir::RankedTensorType type);
  int64_t allocate(int64_t bytes);
  Tensor read(int64_t offset, mlir::RankedTensorType type) const;

  pcc_program program = {};
  pcc_stage stage = {};
  std::vector<pcc_tensor> tensors;
  std::vector<pcc_input> inputs;
  std::vector<mlir::RankedTensorType> tensorTypes, inputTypes;
  analysis::TensorRecords records;
  std::deque<std::vector<int32_t>> axisLists;
  std::vector<char> arena;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RUNTIMEPROGRAM_H
