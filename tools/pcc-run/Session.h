//===- Session.h - One run of pcc-run ---------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_RUN_SESSION_H
#define PCC_TOOLS_PCC_RUN_SESSION_H

#include "interpreter/Fill.h"
#include "interpreter/Machine.h"
#include "interpreter/NamedValues.h"
#include "interpreter/rt/ArenaMachine.h"
#include "tools/pcc-run/CommandLine.h"

namespace pcc {

/// Prints an error in the command line or in a file that it names; returns the
/// exit code.
int usage(const llvm::Twine &message);

/// A program, and the one that it is compared with, if any.
class Session {
public:
  /// `other`: the module of --against or --loss-from, or null.
  Session(CommandLine &options, mlir::ModuleOp module, mlir::ModuleOp other);

  /// Runs the session; returns the tool's exit code.
  int run();

private:
  using Machine = interp::Machine;

  bool fills() const { return options.fill.getNumOccurrences(); }
  /// Sets the parameters and states of a machine to the values of the command
  /// line. With --fill, generates the parameters that it does not give.
  mlir::LogicalResult setSymbols(Machine &machine);
  mlir::LogicalResult setSymbols(interp::ArenaMachine &machine);
  /// Sets the symbols of the program, and of the one that it is compared with.
  mlir::LogicalResult setAllSymbols();
  /// Returns the global values of a function's arguments.
  mlir::FailureOr<interp::ValueList> makeArguments(Machine &machine,
                                                   mlir::func::FuncOp function);
  /// Returns the value of an argument or input: as given by name (with "#" and
  /// the microbatch or without), role or index; otherwise generated with
  /// --fill, or an error.
  mlir::FailureOr<interp::Tensor> makeInput(mlir::Operation *op,
                                            const interp::InputInfo &info,
                                            int64_t index, int64_t microbatch);
  int listMissing();
  int checkGradients();
  int runEntries();
  int runSchedules();
  int runArenas();
  int train();
  /// Prints, saves and compares the results and symbols that the command line
  /// asks for.
  int report();
  int show();
  int compare();
  /// Returns a result or symbol; null if there is none.
  interp::TensorRef lookup(llvm::StringRef key);

  CommandLine &options;
  mlir::ModuleOp module;
  Machine machine;
  std::optional<Machine> other;
  /// The state of an rt program, which is only in its ranks' arenas.
  std::unique_ptr<interp::ArenaMachine> arenas;
  interp::Fill fill;
  interp::NamedValues given, wanted;
  /// The results of the last entry point, with their names if they have any.
  interp::ValueList results;
  std::vector<std::string> resultNames;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_RUN_SESSION_H
