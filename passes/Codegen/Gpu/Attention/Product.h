//===- Product.h - GEMMs of a warp ------------------------------*- C++ -*-===//
//
// The GEMMs of an attention block: a warp multiplies its 16 rows by a tile in
// shared memory and accumulates in the registers of its lanes. The kind of GEMM
// determines the rows and columns of a lane:
//
//     f32, by FMAs         rows 4 r + lane / 8; of scores columns
//                          8 c + lane % 8, of results four at a time,
//                          32 c + 4 (lane % 8)
//     bf16/fp16, by tensor rows lane / 4 and 8 more; two columns at a time,
//     cores (m16n8k16)     8 c + 2 (lane % 4)
//
// The lanes of a row are neighbours. The code that processes scores queries the
// rows and columns, so that it is the same for both kinds.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_ATTENTION_PRODUCT_H
#define PCC_PASSES_CODEGEN_GPU_ATTENTION_PRODUCT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <memory>

namespace pcc::codegen {

/// A tile in a block's shared memory: element (row, column) is at row * stride
/// + column.
struct SharedTile {
  mlir::Value buffer; ///< rank 1
  int64_t stride = 0; ///< in elements; of GEMM operands a multiple of 16 bytes
};

/// The left operand of a GEMM: rows of the warp, in shared memory or in
/// registers.
struct LeftFactor {
  /// The rows in shared memory, if `held` is empty.
  SharedTile tile;
  /// The warp's first row in the tile.
  mlir::Value first;
  /// Each lane's elements in registers, by steps; empty if the rows are in the
  /// tile.
  llvm::SmallVector<mlir::Value> held;
};

/// The layout of the right operand's tile.
enum class RightForm {
  Rows,   ///< a column of the result is a row of the tile (transposed)
  Columns ///< a column of the result is a column of the tile
};

/// Emits GEMMs at its builder's insertion point.
class WarpProduct {
public:
  /// Returns an emitter of FMAs for f32, and of tensor core instructions for
  /// bf16 and fp16.
  static std::unique_ptr<WarpProduct>
  create(mlir::ImplicitLocOpBuilder &b, mlir::Type element, mlir::Value lane);
  virtual ~WarpProduct() = default;

  /// The number of rows of a lane, and of lanes of a row.
  int64_t rows() const { return rowCount; }
  int64_t lanesOfRow() const { return 32 / (16 / rowCount); }
  /// The number of columns of a lane, of `columns`.
  int64_t columnsOf(int64_t columns) const { return columns / lanesOfRow(); }
  /// The number of consecutive columns of a lane.
  int64_t neighbours(RightForm form) const;
  /// The index of the lane's row r among the warp's 16.
  virtual mlir::Value row(int64_t r) = 0;
  /// The index of the lane's column c.
  virtual mlir::Value column(int64_t c, RightForm form) = 0;

  /// Emits sums += left * right for as many columns from `first` on (null: 0)
  /// as `sums` has. `sums` are ordered by rows, then columns.
  virtual void multiply(llvm::MutableArrayRef<mlir::Value> sums,
                        const LeftFactor &left, int64_t depth,
                        const SharedTile &right, RightForm form,
                        mlir::Value first) = 0;
  /// Converts scores, computed with RightForm::Rows, to a left operand. `stage`
  /// is a tile of shared memory that may be used for it.
  virtual LeftFactor takeScores(llvm::ArrayRef<mlir::Value> scores,
                                const LeftFactor &stage) = 0;

  /// Emits x * y + sum as an FMA.
  static mlir::Value addProduct(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                                mlir::Value y, mlir::Value sum);

protected:
  WarpProduct(mlir::ImplicitLocOpBuilder &b, mlir::Value lane, int64_t rows)
      : b(b), lane(lane), rowCount(rows) {}
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y) { return y ? add(x, index(y)) : x; }
  mlir::Value mul(mlir::Value x, int64_t factor);
  mlir::Value divide(mlir::Value x, int64_t by);
  mlir::Value remainder(mlir::Value x, int64_t by);
  /// The index of an element of a tile.
  mlir::Value at(const SharedTile &tile, mlir::Value row, mlir::Value column) {
    return add(mul(row, tile.stride), column);
  }

  mlir::ImplicitLocOpBuilder &b;
  mlir::Value lane;

private:
  int64_t rowCount;
};

/// An emitter of FMAs, for f32.
std::unique_ptr<WarpProduct> makeFmaProduct(mlir::ImplicitLocOpBuilder &b,
                                            mlir::Value lane);
/// An emitter of tensor core instructions, for f16 or bf16.
std::unique_ptr<WarpProduct> makeMmaProduct(mlir::ImplicitLocOpBuilder &b,
                                            mlir::Type element,
                                            mlir::Value lane);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_ATTENTION_PRODUCT_H
