//===- Pipeline.h - Execution of the schedules of all stages ----*- C++ -*-===//

#ifndef PCC_INTERPRETER_PIPELINE_H
#define PCC_INTERPRETER_PIPELINE_H

#include "dialects/Pipe/Pipe.h"
#include "interpreter/BlockRun.h"

namespace pcc::interp {

/// Runs one entry point of a scheduled program. Stages run their schedules in
/// turn, each as far as it can. A transfer completes when both sides have
/// reached it (rendezvous, unbuffered); a collective over stages when all
/// stages have.
class Pipeline {
public:
  /// Runs `entry` of a scheduled program: the training step, the evaluation or
  /// the forward pass. `machine` must outlive this.
  Pipeline(Machine &machine, pipe::Entry entry);
  ~Pipeline();

  /// Fails with an error unless there is one schedule for each stage of the
  /// mesh.
  mlir::LogicalResult check();
  /// The number of microbatches of a step; at least 1.
  int64_t getMicrobatches() const;
  /// The global type of an input, of one microbatch, and its sharding.
  Placement placement(pipe::InputOp input);

  /// Returns the global value of an input, for one microbatch, or (-1) for the
  /// whole step.
  using InputSource =
      llvm::function_ref<TensorRef(pipe::InputOp input, int64_t microbatch)>;
  /// Runs one step and returns the outputs by name. A deadlock is an error that
  /// lists what each stage waits for.
  mlir::FailureOr<llvm::StringMap<TensorRef>> run(InputSource inputs);

private:
  struct Stage;
  enum class Progress { Moved, Waiting, Done, Failed };

  Progress step(Stage &stage, InputSource inputs);
  mlir::LogicalResult begin(Stage &stage, pipe::RunOp run, InputSource inputs);
  void finish(Stage &stage, pipe::RunOp run);
  /// Drops a stage's value of a symbol, so that later uses are errors.
  void forget(Stage &stage, llvm::StringRef symbol, int64_t microbatch);
  void forgetGradients(Stage &stage);
  /// Sends the value of `stage`'s transfer if the peer is ready to receive it,
  /// and moves on once both halves are done.
  Progress transfer(Stage &stage);
  /// Executes the collective that all stages have reached, if they have.
  Progress matchCollective();
  mlir::LogicalResult reportDeadlock();
  mlir::FailureOr<llvm::StringMap<TensorRef>> collectOutputs();

  Machine &machine;
  mlir::SymbolTable symbols;
  pipe::Entry entry;
  std::vector<Stage> stages;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_PIPELINE_H
