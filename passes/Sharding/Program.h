//===- Program.h - A module as sharding passes see it -----------*- C++ -*-===//
//
// Values and ops by number, in program order, so that every decision is taken
// in an order that depends on the program alone.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_SHARDING_PROGRAM_H
#define PCC_PASSES_SHARDING_PROGRAM_H

#include "dialects/Dist/Layout.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <vector>

namespace pcc {

/// A tensor: a parameter, a state, a function's argument or an op's result.
/// The reads of a parameter or state are that parameter or state.
struct ShardedValue {
  /// What it is; Inner: an op's result.
  enum class Kind { Param, State, Input, Inner };
  /// Tells which of the fields below are there.
  Kind kind;
  mlir::Value value;                ///< null for parameters and states
  mlir::Operation *owner = nullptr; ///< symbol, function or defining op
  mlir::RankedTensorType type;
  /// Of each dim the axes that split it, major to minor.
  llvm::SmallVector<dist::AxisList, 4> dims;
  /// A closed dim takes no more axes.
  llvm::SmallVector<bool, 4> open;
  /// Per axis of the mesh: the level it came with, and why.
  struct Origin {
    /// The SeedLevel.
    int64_t level = 0;
    /// What seeded it, in words, for remarks and errors.
    std::string reason;
  };
  /// By axis; empty where it splits nothing here.
  llvm::SmallVector<Origin, 4> origins;
  /// What a diagnostic calls it: its layer, or its name as an input.
  std::string name;

  /// Whether an axis splits one of its dims.
  bool uses(dist::Axis axis) const {
    return llvm::any_of(dims, [&](const dist::AxisList &dim) {
      return llvm::is_contained(dim, axis);
    });
  }
};

/// An op with a sharding rule, or one that stores to a symbol (whose dims are
/// the stored value's).
struct ShardedOp {
  /// The op itself.
  mlir::Operation *op;
  /// Its sharding rule; of a store one loop per dim.
  nn::ShardingRule rule;
  /// Numbers of values. A store has the symbol as its result.
  llvm::SmallVector<unsigned> operands, results;
  /// In a function that writes parameters or states.
  bool inUpdate = false;
  /// Whether it makes a constant or, in the forward pass, a value of
  /// parameters: what it needs whole it has whole, on every rank, at no
  /// message.
  bool isWhole = false;

  /// Calls `visit(value number, its factors, position)` for the operands and
  /// then the results; the position counts through both.
  void
  forEach(llvm::function_ref<void(unsigned, const nn::ValueFactors &, unsigned)>
              visit) const;
};

/// The values and ops of a module.
class Program {
public:
  /// Reads a module; `mesh` may be null. An error names the first op or type
  /// that is none of a training program's: functions are one block of nn ops
  /// and reshards on ranked tensors.
  static mlir::FailureOr<Program> read(mlir::ModuleOp module,
                                       dist::MeshOp mesh);

  /// How every value lies by its attributes, by number; an error names the
  /// first without one and `pass`, which leaves them.
  mlir::FailureOr<std::vector<dist::Layout>>
  readLayouts(llvm::StringRef pass) const;

  /// The module that was read; it must outlive this.
  mlir::ModuleOp module;
  /// Its mesh; null for one rank.
  dist::Mesh mesh;
  /// All values, by number.
  std::vector<ShardedValue> values;
  /// All ops, in the order of the module.
  std::vector<ShardedOp> ops;

  /// The number of a value, which must be one of the program's; of a symbol
  /// nothing if it is neither parameter nor state.
  unsigned numberOf(mlir::Value value) const { return numbers.lookup(value); }
  std::optional<unsigned> numberOf(llvm::StringRef symbol) const;
  ShardedValue &operator[](unsigned number) { return values[number]; }
  const ShardedValue &operator[](unsigned number) const {
    return values[number];
  }

private:
  Program(mlir::ModuleOp module, dist::MeshOp mesh);
  unsigned add(ShardedValue value);
  void addFunction(mlir::func::FuncOp function);
  void closeWhole(const ShardedOp &op);

  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::StringMap<unsigned> symbols;
};

/// The layer an op belongs to: the innermost name of its location, else the
/// op's own name.
std::string layerName(mlir::Operation *op);

/// Whether an op belongs to the forward pass: it is in a function that reads
/// inputs of the model and autodiff did not make it.
bool isForward(mlir::Operation *op);

/// Whether an op is a constant of floating-point zeros.
bool isZero(mlir::Operation *op);

/// Whether a value is made of nothing but constants, such as the distances of
/// queries and keys.
bool isOfConstants(mlir::Value value);

/// Whether a value is a parameter, or made of nothing but parameters and
/// constants, such as the weights of heads that are parameters each, joined.
bool isOfParams(mlir::Value value);

/// The operand of a contraction that is a parameter, else one that is made of
/// such, the rhs before the lhs; none where activations are multiplied.
std::optional<unsigned> weightOf(nn::ContractOp op);

/// Whether a parameter is looked up by what a user feeds (tokens), as opposed
/// to positions: its rows are a vocabulary.
bool isTokenLookup(nn::EmbeddingOp op);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_PROGRAM_H
