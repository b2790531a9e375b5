//===- Program.h - A module as sharding passes see it -----------*- C++ -*-===//
//
// Values and ops are numbered in program order, so that the order of all
// decisions depends on the program alone.
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
/// Reads of a parameter or state are represented by the symbol.
struct ShardedValue {
  /// Its kind; Inner: an op's result.
  enum class Kind { Param, State, Input, Inner };
  /// Determines which of the fields below are set.
  Kind kind;
  mlir::Value value;                ///< null for parameters and states
  mlir::Operation *owner = nullptr; ///< symbol, function or defining op
  mlir::RankedTensorType type;
  /// By dim: the axes that shard it, major to minor.
  llvm::SmallVector<dist::AxisList, 4> dims;
  /// By dim: whether it takes more axes.
  llvm::SmallVector<bool, 4> open;
  /// The origin of an axis: the level and the reason.
  struct Origin {
    int64_t level = 0;
    /// The reason as text, for remarks and errors.
    std::string reason;
  };
  /// By mesh axis; unset for axes that shard no dim.
  llvm::SmallVector<Origin, 4> origins;
  /// Its name in diagnostics: its layer, or its name as an input.
  std::string name;

  /// Whether an axis shards one of its dims.
  bool uses(dist::Axis axis) const {
    return llvm::any_of(dims, [&](const dist::AxisList &dim) {
      return llvm::is_contained(dim, axis);
    });
  }
};

/// An op with a sharding rule, or an op that stores to a symbol, whose dims are
/// the stored value's.
struct ShardedOp {
  mlir::Operation *op;
  /// Its sharding rule; for a store one loop per dim.
  nn::ShardingRule rule;
  /// Numbers of values. The result of a store is its symbol.
  llvm::SmallVector<unsigned> operands, results;
  /// Whether its function has an nn.write, as @update does.
  bool inUpdate = false;
  /// Whether its result is replicated for free: a constant or, in the forward
  /// pass, a value derived from parameters. A dim that it needs whole costs no
  /// collective.
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
  /// Analyzes a module; `mesh` may be null. Fails at the first op or type that
  /// a training program may not have: functions are one block of nn ops and
  /// reshards on ranked tensors.
  static mlir::FailureOr<Program> read(mlir::ModuleOp module,
                                       dist::MeshOp mesh);

  /// Returns the shardings of all values by number, from their attributes.
  /// Fails at the first value without one and names `pass`, which creates them.
  mlir::FailureOr<std::vector<dist::Layout>>
  readLayouts(llvm::StringRef pass) const;

  /// The module; it must outlive this.
  mlir::ModuleOp module;
  /// Its mesh; null for one rank.
  dist::Mesh mesh;
  /// All values, by number.
  std::vector<ShardedValue> values;
  /// All ops, in the order of the module.
  std::vector<ShardedOp> ops;

  /// Returns the number of a value, which must be of this program; for a symbol
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

/// Returns the layer of an op: the first name in its location, else the
/// symbol's name or the name of the op's kind.
std::string layerName(mlir::Operation *op);

/// Whether an op belongs to the forward pass: its function has inputs of the
/// model, and autodiff did not create it.
bool isForward(mlir::Operation *op);

/// Whether an op is a constant of floating-point zeros.
bool isZero(mlir::Operation *op);

/// Whether a value is derived from constants only, such as the distances of
/// queries and keys.
bool isOfConstants(mlir::Value value);

/// Whether a value is a parameter, or derived from parameters and constants
/// only, such as concatenated weights of single heads.
bool isOfParams(mlir::Value value);

/// Returns the operand of a contraction that is a parameter, else one that is
/// derived from parameters; the rhs before the lhs. Returns nothing if both are
/// activations.
std::optional<unsigned> weightOf(nn::ContractOp op);

/// Returns the operand with the weights whose dims decide the sharding of an
/// op: that of a contraction, or the last weights of experts. Returns nothing
/// for other ops.
std::optional<unsigned> weightOf(const ShardedOp &op);

/// Whether a parameter is indexed by user inputs (tokens), not by positions:
/// its rows are a vocabulary.
bool isTokenLookup(nn::EmbeddingOp op);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_PROGRAM_H
