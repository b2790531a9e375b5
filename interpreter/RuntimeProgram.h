//===- RuntimeProgram.h - A module described to the runtime -----*- C++ -*-===//
//
// Compiled programs get their weights and inputs from the runtime library. The
// interpreter uses the same code, to start from the same numbers: it describes
// its module to the library as a program of one rank that has all data.
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

/// A module's description for the runtime, with memory for parameters and
/// inputs.
class RuntimeProgram {
public:
  /// Describes the module of `machine`. `microBatch` is the number of samples
  /// of a microbatch over all ranks. Fails if the runtime does not support an
  /// element type.
  static mlir::FailureOr<std::unique_ptr<RuntimeProgram>>
  create(Machine &machine, llvm::ArrayRef<InputInfo> inputs,
         int64_t microbatches, int64_t microBatch);

  /// The description, as compiled programs have it; points into this.
  const pcc_program &get() const { return program; }
  /// Its only stage.
  const pcc_stage &getStage() const { return stage; }

  /// Initializes the machine's parameters.
  void fillParameters(Machine &machine, const InitialValues &values,
                      llvm::StringRef model);
  /// Reads the inputs of a step, which getInput() returns afterwards.
  void fillInputs(const Dataset &data, const DataOrder &order,
                  const StepValues &values);
  /// Returns a copy of the value of input `input` of create(), which must be
  /// filled.
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
