//===- Pipeline.h - Schedules of all stages, run together -------*- C++ -*-===//

#ifndef PCC_INTERPRETER_PIPELINE_H
#define PCC_INTERPRETER_PIPELINE_H

#include "dialects/Pipe/Pipe.h"
#include "interpreter/BlockRun.h"

namespace pcc::interp {

/// Runs one entry point of a scheduled program: every stage goes through its
/// list, one stage after the other as far as each can. A transfer is done when
/// both sides have come to it (rendezvous, no buffer); a collective over
/// stages when all have.
class Pipeline {
public:
  /// Of a scheduled program: its training step, evaluation or forward pass.
  /// `machine` must outlive this.
  Pipeline(Machine &machine, pipe::Entry entry);
  ~Pipeline();

  /// An error unless there is one schedule for every stage of the mesh.
  mlir::LogicalResult check();
  /// The microbatches of a step, as the schedules say; at least 1.
  int64_t getMicrobatches() const;
  /// The global type of an input, of one microbatch, and where it lies.
  Placement placement(pipe::InputOp input);

  /// Gives the global value of an input, of one microbatch or (-1) of the
  /// whole step.
  using InputSource =
      llvm::function_ref<TensorRef(pipe::InputOp input, int64_t microbatch)>;
  /// Runs one step and gives the outputs by name. Stages that wait for each
  /// other forever are an error that says for each what it waits for.
  mlir::FailureOr<llvm::StringMap<TensorRef>> run(InputSource inputs);

private:
  struct Stage;
  enum class Progress { Moved, Waiting, Done, Failed };

  Progress step(Stage &stage, InputSource inputs);
  mlir::LogicalResult begin(Stage &stage, pipe::RunOp run, InputSource inputs);
  void finish(Stage &stage, pipe::RunOp run);
  /// Nobody may use what a stage holds of a symbol any more.
  void forget(Stage &stage, llvm::StringRef symbol, int64_t microbatch);
  void forgetGradients(Stage &stage);
  /// Does the half of `stage`'s transfer that its peer is ready for.
  Progress transfer(Stage &stage);
  /// Does the collective that all stages have come to, if they have.
  Progress meet();
  mlir::LogicalResult reportDeadlock();
  mlir::FailureOr<llvm::StringMap<TensorRef>> collectOutputs();

  Machine &machine;
  mlir::SymbolTable symbols;
  pipe::Entry entry;
  std::vector<Stage> stages;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_PIPELINE_H
