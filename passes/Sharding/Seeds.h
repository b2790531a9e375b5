//===- Seeds.h - Seeds of sharding propagation ------------------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_SEEDS_H
#define PCC_PASSES_SHARDING_SEEDS_H

#include "passes/Sharding/Program.h"

namespace pcc {

/// Levels are propagated one after the other; lower ones win.
enum SeedLevel : int64_t { TensorLevel = 0, DataLevel = 1, SequenceLevel = 2 };

/// Requests to shard dims of a value over more axes. Propagation may extend
/// dims that stay open.
struct Seed {
  /// The SeedLevel at which it is propagated.
  int64_t level;
  /// By dim: the axes to add, major to minor; empty for none.
  llvm::SmallVector<dist::AxisList, 4> dims;
  /// Whether the dims stay open.
  bool open;
  /// The reason as text, for remarks and errors.
  std::string reason;
};

/// Adds a seed to the attributes of a value's op, argument or symbol.
void addSeed(const Program &program, unsigned value, const Seed &seed);
/// As above, for one dim.
void addSeed(const Program &program, unsigned value, unsigned dim,
             dist::AxisSet axes, int64_t level, llvm::StringRef reason);

/// Returns the seeds of a value.
llvm::SmallVector<dist::SeedAttr> getSeeds(const ShardedValue &value);

/// Whether a tensor seed makes an op a row-parallel contraction: the dim of its
/// weight that tensor axes split is summed over. Experts are one, too.
bool isRowParallel(const Program &program, const ShardedOp &op);

/// Returns the user's name for axes of one role: the flag of pcc that declares
/// them, such as "tp" or "dp", or the first one's name.
llvm::StringRef userName(const dist::Mesh &mesh, dist::AxisSet axes);

/// Whether a seed splits a value over one of the axes.
bool isSeededOver(const ShardedValue &value, const dist::Mesh &mesh,
                  dist::AxisSet axes);

/// Starts the error "cannot split 'NODE' N ways over mesh axis "tp": "; the
/// caller appends the reason.
mlir::InFlightDiagnostic cannotSplit(mlir::Operation *op, llvm::StringRef node,
                                     const dist::Mesh &mesh,
                                     dist::AxisSet axes);
/// As above, with the user's name for the axes.
mlir::InFlightDiagnostic cannotSplit(mlir::Operation *op, llvm::StringRef node,
                                     int64_t ways, llvm::StringRef axes);

/// Adds the note "valid values for --FLAG are ..." with the divisors of `size`,
/// for the flag that declares axes of this role.
void noteValidValues(mlir::InFlightDiagnostic &diag, mlir::Location loc,
                     dist::AxisRole role, int64_t size);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_SEEDS_H
