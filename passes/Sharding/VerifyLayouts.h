//===- VerifyLayouts.h - Do ops' layouts follow from each other? -*- C++
//-*-===//

#ifndef PCC_PASSES_SHARDING_VERIFYLAYOUTS_H
#define PCC_PASSES_SHARDING_VERIFYLAYOUTS_H

#include "dialects/Dist/Layout.h"
#include "dialects/NN/NN.h"

namespace pcc {

/// A tensor by the global index of whose dims an op numbers elements, and the
/// dims that are numbered.
struct Numbered {
  mlir::Value counter; ///< where this rank starts; null: with 0
  mlir::Value tensor;
  llvm::SmallVector<unsigned, 4> dims;

  /// What an op numbers, if it does.
  static std::optional<Numbered> of(mlir::Operation *op);
};

/// Whether a value is a constant that is zero wherever one looks.
bool isUniformZero(mlir::Value value);

/// Rechecks ops on a rank's parts of tensors, wherever they stand: what each
/// says of how its results lie must follow from how its operands do. Results
/// say so by `dist.shardings`, arguments as `dist::getSharding` finds it.
class LayoutVerifier {
public:
  /// For ops of the module that has this mesh.
  explicit LayoutVerifier(dist::MeshOp mesh) : mesh(mesh) {}

  /// Checks an op of nn or dist that is no access to a symbol.
  mlir::LogicalResult verify(mlir::Operation *op);
  /// How a value lies; an error of `op`, which begins with `what`, if it does
  /// not say so.
  mlir::FailureOr<dist::Layout> layoutOf(mlir::Operation *op, mlir::Value value,
                                         const llvm::Twine &what);
  /// Forgets the values that were asked for.
  void clear() { layouts.clear(); }
  /// The mesh that layouts name axes of.
  const dist::Mesh &getMesh() const { return mesh; }
  /// Names of axes, for messages.
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
