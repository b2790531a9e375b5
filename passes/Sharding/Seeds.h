//===- Seeds.h - What propagation starts from -------------------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_SEEDS_H
#define PCC_PASSES_SHARDING_SEEDS_H

#include "passes/Sharding/Program.h"

namespace pcc {

/// Levels are propagated one after the other; lower ones win.
enum SeedLevel : int64_t { TensorLevel = 0, DataLevel = 1, SequenceLevel = 2 };

/// Asks for a dim of a value to be split over more axes, in this order. Dims
/// that stay open may be split further by propagation.
struct Seed {
  /// When it is propagated.
  int64_t level;
  /// By dim the axes to be added, major to minor; empty for none.
  llvm::SmallVector<dist::AxisList, 4> dims;
  /// Whether dims stay open.
  bool open;
  /// Why, in words, for remarks and errors.
  std::string reason;
};

/// Adds a seed to the attributes of what a value stands for.
void addSeed(const Program &program, unsigned value, const Seed &seed);
/// As above, for one dim.
void addSeed(const Program &program, unsigned value, unsigned dim,
             dist::AxisSet axes, int64_t level, llvm::StringRef reason);

/// The seeds a value has.
llvm::SmallVector<dist::SeedAttr> getSeeds(const ShardedValue &value);

/// The contractions a tensor seed has made row parallel: the seeded dim of
/// their weight is summed over.
bool isRowParallel(const Program &program, const ShardedOp &op);

/// What users call axes of one role: as the flag of pcc that made them, "tp"
/// or "dp", or by the first one's name where none did.
llvm::StringRef userName(const dist::Mesh &mesh, dist::AxisSet axes);

/// "cannot split 'NODE' N ways over mesh axis "tp": ", to be continued with
/// the reason.
mlir::InFlightDiagnostic cannotSplit(mlir::Operation *op, llvm::StringRef node,
                                     const dist::Mesh &mesh,
                                     dist::AxisSet axes);

/// Adds "valid values for --FLAG are ...", of the flag that asks for axes of
/// this role: the numbers that divide `size`.
void noteValidValues(mlir::InFlightDiagnostic &diag, mlir::Location loc,
                     dist::AxisRole role, int64_t size);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_SEEDS_H
