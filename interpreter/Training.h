//===- Training.h - Execution of training steps -----------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_TRAINING_H
#define PCC_INTERPRETER_TRAINING_H

#include "interpreter/Pipeline.h"
#include "interpreter/RuntimeProgram.h"

namespace pcc::interp {

/// The scalars that a training step computes.
struct StepOutputs {
  /// The mean loss of the global batch, and the gradient norm before clipping.
  double loss = 0, norm = 0;
  /// The loss scale of the step, if there is one.
  std::optional<double> lossScale;
  /// The mean auxiliary loss and the load of experts, if there are any.
  std::optional<double> aux, load;
};

/// The interface of a program that runs training steps like a compiled program.
class Trainable {
public:
  virtual ~Trainable() = default;

  /// The program's description for the runtime library.
  virtual const pcc_program &getProgram() const = 0;
  /// Initializes the parameters. `model` is the current path of the model file,
  /// or empty.
  virtual void fillParameters(const InitialValues &values,
                              llvm::StringRef model) = 0;
  /// Sets the number of this name on all ranks, if it exists.
  virtual void writeNumber(llvm::StringRef name, double value) = 0;
  /// Reads the inputs of a step.
  virtual void fillInputs(const Dataset &data, const DataOrder &order,
                          const StepValues &values) = 0;
  /// Runs a step with the last filled inputs.
  virtual mlir::FailureOr<StepOutputs> step() = 0;
};

/// Runs training steps: @microbatch for each microbatch and @update, with
/// @gather, @counts and @reduce where the module has them, or the schedules of
/// all stages. Inputs are those of a runtime program. Inputs of
/// role "data" or "shared", which no token file contains, may be given instead;
/// they are then the same in every step.
class Training : public Trainable {
public:
  /// Returns the value of an input of role "data" or "shared" for a microbatch.
  using DataSource = llvm::function_ref<mlir::FailureOr<Tensor>(
      const InputInfo &info, int64_t microbatch)>;
  /// `microbatches` is the number per step; 0: that of the schedules, or one
  /// for a program without schedules. `data` is null if the runtime program's
  /// data contains these inputs, too.
  static mlir::FailureOr<std::unique_ptr<Training>>
  create(Machine &machine, int64_t microbatches, DataSource data);

  const pcc_program &getProgram() const override { return program->get(); }
  void fillParameters(const InitialValues &values,
                      llvm::StringRef model) override {
    program->fillParameters(machine, values, model);
  }
  void writeNumber(llvm::StringRef name, double value) override;
  void fillInputs(const Dataset &data, const DataOrder &order,
                  const StepValues &values) override {
    program->fillInputs(data, order, values);
  }
  mlir::FailureOr<StepOutputs> step() override;

private:
  explicit Training(Machine &machine) : machine(machine) {}

  mlir::FailureOr<mlir::func::FuncOp> addFunction(llvm::StringRef name);
  mlir::LogicalResult addPipelineInputs();
  mlir::LogicalResult readData(int64_t microbatches, DataSource source);
  TensorRef getInput(unsigned input, int64_t microbatch) const;
  unsigned addInput(InputInfo info);
  mlir::FailureOr<ValueList> call(mlir::func::FuncOp function,
                                  int64_t microbatch);

  Machine &machine;
  std::vector<InputInfo> inputs;
  /// An input's index in the runtime program; none for given data.
  llvm::DenseMap<unsigned, unsigned> filled;
  /// The given data, by input and microbatch.
  llvm::DenseMap<std::pair<unsigned, int64_t>, TensorRef> data;
  /// The inputs of a function's arguments, or of a `pipe.input`.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> inputsOf;
  /// `gather`, `counts` and `reduce` may be null.
  mlir::func::FuncOp gather, counts, reduce, microbatch, update;
  std::unique_ptr<Pipeline> pipeline;
  std::unique_ptr<RuntimeProgram> program;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_TRAINING_H
