//===- TaskBuilder.h - Makes bodies, and the tasks that call them -*- C++ -*-=//

#ifndef PCC_PASSES_PIPELINE_TASKBUILDER_H
#define PCC_PASSES_PIPELINE_TASKBUILDER_H

#include "dialects/Dist/Layout.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc {

/// The symbols that tasks are bound to, except parameters and state.
class TaskSymbols {
public:
  /// Adds symbols to `module`, which must outlive this.
  explicit TaskSymbols(mlir::ModuleOp module);

  /// Returns the program input of a function's argument.
  mlir::FlatSymbolRefAttr getInput(mlir::func::FuncOp func, unsigned index);
  /// Returns the program output of this name, adding it on first use.
  mlir::FlatSymbolRefAttr getOutput(llvm::StringRef name, mlir::Type type);
  /// Adds a symbol for a value between tasks. `sharding` is null without a
  /// mesh.
  mlir::FlatSymbolRefAttr addValue(mlir::Type type, mlir::Location loc,
                                   dist::ShardingAttr sharding);

  /// Returns the sharding of a symbol for a task of this phase; null without a
  /// mesh. A task that adds to a sum over stages sees its own stage's partial
  /// sum.
  dist::ShardingAttr getSharding(llvm::StringRef name, pipe::Phase phase) const;
  mlir::ModuleOp getModule() { return module; }
  /// Whether there is a mesh, and so shardings.
  bool hasMesh() const { return bool(mesh); }
  /// Returns the symbol of this name if it is an `Op`, else null.
  template <typename Op>
  Op lookup(llvm::StringRef name) const {
    return table.lookup<Op>(name);
  }

private:
  mlir::ModuleOp module;
  mlir::SymbolTable table;
  dist::Mesh mesh;         ///< null if there is none
  mlir::OpBuilder symbols; ///< inserts before the first function
  /// By role and name.
  llvm::StringMap<mlir::FlatSymbolRefAttr> inputs;
  int64_t values = 0;
};

/// Builds one task with a body of its own. Parameters and states that its ops
/// read are arguments of the body; new values of them are results.
class TaskBuilder {
public:
  /// Begins a task; `finish` adds it at the end of the module.
  TaskBuilder(TaskSymbols &symbols, llvm::StringRef name, int64_t stage,
              pipe::Phase phase, mlir::Location loc);

  /// Returns the body's block; it has no terminator until `close`.
  mlir::Block *getBlock() { return body.getBlock(); }
  /// Inserts at the end of the body.
  mlir::OpBuilder &getBuilder() { return builder; }

  /// Returns the symbol that an argument is bound to.
  llvm::StringRef getSource(mlir::BlockArgument argument) const {
    return llvm::cast<mlir::FlatSymbolRefAttr>(sources[argument.getArgNumber()])
        .getValue();
  }
  /// Returns the argument that is bound to a symbol, adding it on first use.
  mlir::Value take(mlir::FlatSymbolRefAttr source, mlir::Type type);
  /// Returns the current value of a parameter or state.
  mlir::Value read(mlir::FlatSymbolRefAttr symbol, mlir::Type type);
  /// Sets the current value of a parameter or state.
  void write(mlir::FlatSymbolRefAttr symbol, mlir::Value value);
  /// Adds a value to the current value of a state.
  void accumulate(mlir::FlatSymbolRefAttr symbol, mlir::Value value,
                  mlir::Location loc);
  /// Adds a result that is bound to a symbol. It has memory of its own or takes
  /// the buffer of `place`, a state that the task reads.
  void addResult(mlir::Value value, mlir::FlatSymbolRefAttr target,
                 mlir::FlatSymbolRefAttr place = {});
  /// Clones an op of a function, without attributes that only earlier phases
  /// need, such as its stage: equal layers become equal ops. Accesses of
  /// parameters and state become those of the task.
  void clone(mlir::Operation &op, mlir::IRMapping &mapping);

  /// Terminates the body with its results, so that clean-ups may follow.
  void close();
  /// Drops parameters and states that the body does not use, adds the task to
  /// the module and returns it.
  pipe::TaskOp finish();

private:
  /// Sets the shardings of the body's arguments.
  void setArgumentShardings();

  TaskSymbols &symbols;
  std::string name;
  int64_t stage;
  pipe::Phase phase;
  mlir::Location loc;
  pipe::BodyOp body;
  mlir::OpBuilder builder;
  /// By argument: its symbol.
  llvm::SmallVector<mlir::Attribute> sources;
  /// By argument: its sharding; null without a mesh.
  llvm::SmallVector<mlir::Attribute> shardings;
  llvm::DenseMap<mlir::Attribute, unsigned> arguments;
  /// The current values of the parameters and states of the task.
  llvm::MapVector<mlir::Attribute, mlir::Value> held;
  /// The arguments of calls of `addResult`.
  llvm::SmallVector<mlir::Value> given;
  llvm::SmallVector<mlir::FlatSymbolRefAttr> places;
  llvm::SmallVector<mlir::Attribute> targets;
};

/// Sets the sharding of an op's only result, if it is known.
void setSharding(mlir::Operation *op, dist::ShardingAttr sharding);

/// By parameter or state: the stages whose tasks use it.
using StageUses = llvm::MapVector<llvm::StringRef, llvm::SmallVector<int64_t>>;
/// Collects the uses of all tasks; the stages of a symbol are ascending and
/// unique.
StageUses findStageUses(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_TASKBUILDER_H
