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

/// The symbols that tasks are bound to, apart from parameters and state.
class TaskSymbols {
public:
  /// Adds symbols to `module`, which must outlive this.
  explicit TaskSymbols(mlir::ModuleOp module);

  /// The program input that a function's argument is.
  mlir::FlatSymbolRefAttr getInput(mlir::func::FuncOp func, unsigned index);
  /// The program output of this name, added on first use.
  mlir::FlatSymbolRefAttr getOutput(llvm::StringRef name, mlir::Type type);
  /// A new symbol for a value that one task hands to another, which lies so;
  /// null where there is no mesh.
  mlir::FlatSymbolRefAttr addValue(mlir::Type type, mlir::Location loc,
                                   dist::ShardingAttr sharding);

  /// How a symbol lies for a task of this phase; null where there is no mesh.
  /// Of a sum over stages a task that adds to it has its own stage's part.
  dist::ShardingAttr getSharding(llvm::StringRef name, pipe::Phase phase) const;
  /// Where the symbols are.
  mlir::ModuleOp getModule() { return module; }
  /// Whether anything says how it lies.
  bool hasMesh() const { return bool(mesh); }
  /// The symbol of this name if it is an `Op`, else null.
  template <typename Op>
  Op lookup(llvm::StringRef name) const {
    return table.lookup<Op>(name);
  }

private:
  mlir::ModuleOp module;
  mlir::SymbolTable table;
  dist::Mesh mesh;         ///< null where there is none
  mlir::OpBuilder symbols; ///< inserts before the first function
  /// By role and name.
  llvm::StringMap<mlir::FlatSymbolRefAttr> inputs;
  int64_t values = 0;
};

/// One task in the making, with a body of its own. What its ops read of
/// parameters and state are arguments of the body; what they write or add to
/// them are results.
class TaskBuilder {
public:
  /// Begins a task; `finish` puts it at the end of the module.
  TaskBuilder(TaskSymbols &symbols, llvm::StringRef name, int64_t stage,
              pipe::Phase phase, mlir::Location loc);

  /// The body's ops; its last is missing until `close`.
  mlir::Block *getBlock() { return body.getBlock(); }
  /// Inserts at the end of the body.
  mlir::OpBuilder &getBuilder() { return builder; }

  /// The symbol that an argument is bound to.
  llvm::StringRef getSource(mlir::BlockArgument argument) const {
    return llvm::cast<mlir::FlatSymbolRefAttr>(sources[argument.getArgNumber()])
        .getValue();
  }
  /// The argument that is bound to a symbol.
  mlir::Value take(mlir::FlatSymbolRefAttr source, mlir::Type type);
  /// What a parameter or state holds by now.
  mlir::Value read(mlir::FlatSymbolRefAttr symbol, mlir::Type type);
  /// A parameter or state holds `value` from now on.
  void write(mlir::FlatSymbolRefAttr symbol, mlir::Value value);
  /// Adds to a state.
  void accumulate(mlir::FlatSymbolRefAttr symbol, mlir::Value value,
                  mlir::Location loc);
  /// A result that is bound to a symbol. It lies in memory of its own, or takes
  /// the place of a state that the task reads.
  void give(mlir::Value value, mlir::FlatSymbolRefAttr target,
            mlir::FlatSymbolRefAttr place = {});
  /// Clones an op of a function, without what only the phases before this one
  /// need, such as which stage it is in: equal layers become equal ops. Uses of
  /// parameters and state become those of the task.
  void clone(mlir::Operation &op, mlir::IRMapping &mapping);

  /// Ends the body with its results, so that clean-ups may follow.
  void close();
  /// Drops parameters and state of which nothing is left in the body, and adds
  /// the task to the module; returns it.
  pipe::TaskOp finish();

private:
  /// Has the body say how its arguments lie.
  void setArgumentShardings();

  TaskSymbols &symbols;
  std::string name;
  int64_t stage;
  pipe::Phase phase;
  mlir::Location loc;
  pipe::BodyOp body;
  mlir::OpBuilder builder;
  /// By argument, its symbol.
  llvm::SmallVector<mlir::Attribute> sources;
  /// By argument, how it lies; null where there is no mesh.
  llvm::SmallVector<mlir::Attribute> shardings;
  llvm::DenseMap<mlir::Attribute, unsigned> arguments;
  /// What the parameters and state that the task names hold by now.
  llvm::MapVector<mlir::Attribute, mlir::Value> held;
  /// What `give` was called with.
  llvm::SmallVector<mlir::Value> given;
  llvm::SmallVector<mlir::FlatSymbolRefAttr> places;
  llvm::SmallVector<mlir::Attribute> targets;
};

/// Has an op that a pass makes say how its one result lies, where this is
/// known.
void setSharding(mlir::Operation *op, dist::ShardingAttr sharding);

/// Which stages read or write each parameter and state, by symbol.
using StageUses = llvm::MapVector<llvm::StringRef, llvm::SmallVector<int64_t>>;
/// Looks through all tasks; the stages of a symbol ascend, each once.
StageUses findStageUses(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_TASKBUILDER_H
