//===- Training.h - Training steps of any stage's program -------*- C++ -*-===//

#ifndef PCC_INTERPRETER_TRAINING_H
#define PCC_INTERPRETER_TRAINING_H

#include "interpreter/Pipeline.h"
#include "interpreter/RuntimeProgram.h"

namespace pcc::interp {

struct StepOutputs {
  double loss = 0, norm = 0;
};

/// Runs training steps: @microbatch for every microbatch and @update, or the
/// schedules of all stages. Inputs are those of a runtime program.
class Training {
public:
  /// `microbatches`: per step, for a program without schedules; 0: one.
  static mlir::FailureOr<std::unique_ptr<Training>>
  create(Machine &machine, int64_t microbatches);

  RuntimeProgram &getProgram() { return *program; }

  /// Runs a step with the inputs that were filled last.
  mlir::FailureOr<StepOutputs> step();

private:
  explicit Training(Machine &machine) : machine(machine) {}

  mlir::FailureOr<mlir::func::FuncOp> addFunction(llvm::StringRef name);
  mlir::LogicalResult addPipelineInputs();
  unsigned addInput(InputInfo info);
  mlir::FailureOr<ValueList> call(mlir::func::FuncOp function,
                                  int64_t microbatch);

  Machine &machine;
  std::vector<InputInfo> inputs;
  /// The inputs of a function's arguments, of a `pipe.input`.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> inputsOf;
  mlir::func::FuncOp microbatch, update;
  std::unique_ptr<Pipeline> pipeline;
  std::unique_ptr<RuntimeProgram> program;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_TRAINING_H
