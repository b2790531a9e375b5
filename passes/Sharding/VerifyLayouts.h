//===- VerifyLayouts.h - Verifies the shardings of ops ----------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_VERIFYLAYOUTS_H
#define PCC_PASSES_SHARDING_VERIFYLAYOUTS_H

#include "dialects/Dist/Layout.h"
#include "dialects/NN/NN.h"

namespace pcc {

/// The tensor whose elements an op numbers by their global index, and the dims
/// that are numbered.
struct Numbered {
  mlir::Value counter; ///< this rank's start; null: 0
  mlir::Value tensor;
  llvm::SmallVector<unsigned, 4> dims;

  /// Returns the numbered tensor of an op, if it has one.
  static std::optional<Numbered> of(mlir::Operation *op);
};

/// Whether a value is a constant of zeros.
bool isUniformZero(mlir::Value value);

/// Rechecks ops on local tensors, in functions and in bodies of tasks: the
/// sharding of each result must follow from those of the operands. Results have
/// it in `dist.shardings`, arguments where `dist::getSharding` finds it.
class LayoutVerifier {
public:
  /// For ops of the module with this mesh.
  explicit LayoutVerifier(dist::MeshOp mesh) : mesh(mesh) {}

  /// Checks an op of nn or dist that does not access a symbol.
  mlir::LogicalResult verify(mlir::Operation *op);
  /// Returns the sharding of a value; without one emits an error at `op`, which
  /// begins with `what`.
  mlir::FailureOr<dist::Layout> layoutOf(mlir::Operation *op, mlir::Value value,
                                         const llvm::Twine &what);
  /// Clears the cache of shardings.
  void clear() { layouts.clear(); }
  const dist::Mesh &getMesh() const { return mesh; }
  /// Returns the names of axes, for messages.
  mlir::ArrayAttr names(dist::AxisSet axes) const {
    return mesh.names(axes.list());
  }

private:
  mlir::LogicalResult verifyConstant(nn::ConstantOp op);
  mlir::LogicalResult verifyCollective(mlir::Operation *op);
  mlir::LogicalResult verifyRuled(mlir::Operation *op);

  mlir::FailureOr<nn::ShardingRule>
  globalRule(mlir::Operation *op, llvm::ArrayRef<dist::Layout> operands,
             llvm::ArrayRef<dist::Layout> results);
  mlir::LogicalResult
  findFactors(mlir::Operation *op, const nn::ShardingRule &rule,
              llvm::ArrayRef<dist::Layout> values,
              llvm::SmallVectorImpl<dist::AxisList> &factors);
  mlir::LogicalResult checkPartial(mlir::Operation *op,
                                   const nn::ShardingRule &rule,
                                   llvm::ArrayRef<dist::Layout> operands,
                                   dist::AxisSet split, dist::AxisSet &passed);
  mlir::LogicalResult checkResult(mlir::Operation *op,
                                  const nn::ShardingRule &rule, unsigned result,
                                  llvm::ArrayRef<dist::AxisList> factors,
                                  dist::AxisSet passed,
                                  const dist::Layout &said);
  bool mayBecomePartial(mlir::Operation *op, dist::AxisSet made);
  mlir::LogicalResult checkCounter(mlir::Operation *op,
                                   const Numbered &numbered);
  bool startsAt(mlir::Value counter,
                llvm::ArrayRef<std::pair<dist::AxisList, int64_t>> starts);

  dist::Mesh mesh;
  llvm::DenseMap<mlir::Value, dist::Layout> layouts;
};

} // namespace pcc

#endif // PCC_PASSES_SHARDING_VERIFYLAYOUTS_H
