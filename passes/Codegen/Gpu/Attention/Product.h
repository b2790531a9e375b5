//===- Product.h - Products of a warp's rows --------------------*- C++ -*-===//
//
// What a block of attention is made of: a warp multiplies its 16 rows by a tile
// in shared memory, and adds to numbers that its lanes hold in registers. Which
// rows and columns a lane holds is the product's to say:
//
//     f32, by FMAs         rows 4 r + lane / 8; of scores columns
//                          8 c + lane % 8, of results four at a time,
//                          32 c + 4 (lane % 8)
//     16 bit, by tensor    rows lane / 4 and 8 more; two columns at a time,
//     cores (m16n8k16)     8 c + 2 (lane % 4)
//
// The lanes of a row are neighbours. What is done with scores asks for the rows
// and columns, and is the same for both.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_ATTENTION_PRODUCT_H
#define PCC_PASSES_CODEGEN_GPU_ATTENTION_PRODUCT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <memory>

namespace pcc::codegen {

/// A tile in a block's shared memory: (row, column) is at row * stride +
/// column.
struct SharedTile {
  mlir::Value buffer; ///< rank 1
  int64_t stride = 0; ///< a multiple of 16 bytes
};

/// The left factor of a product: rows of the warp, in shared memory or held.
struct LeftFactor {
  /// Where they lie if none are held.
  SharedTile tile;
  /// The warp's first row in the tile.
  mlir::Value first;
  /// What each lane has of it, by steps; empty: all is in the tile.
  llvm::SmallVector<mlir::Value> held;
};

/// How the columns of a product lie in the tile of its right factor.
enum class RightForm {
  Rows,   ///< each is a row of the tile
  Columns ///< each is a column
};

/// Builds products at the place of its builder.
class WarpProduct {
public:
  /// FMAs for f32, the tensor cores' instructions for factors of 16 bits.
  static std::unique_ptr<WarpProduct>
  create(mlir::ImplicitLocOpBuilder &b, mlir::Type element, mlir::Value lane);
  virtual ~WarpProduct() = default;

  /// Rows and lanes of a row.
  int64_t rows() const { return rowCount; }
  int64_t lanesOfRow() const { return 32 / (16 / rowCount); }
  /// How many of `columns` a lane has.
  int64_t columnsOf(int64_t columns) const { return columns / lanesOfRow(); }
  /// Columns next to each other that a lane has of a right factor's columns.
  int64_t neighbours(RightForm form) const;
  /// Row r of the lane, of the warp's 16.
  virtual mlir::Value row(int64_t r) = 0;
  /// Its column c.
  virtual mlir::Value column(int64_t c, RightForm form) = 0;

  /// sums += left * right, for columns from `first` on (null: 0), as many as
  /// sums have; `sums` are by rows, then columns.
  virtual void multiply(llvm::MutableArrayRef<mlir::Value> sums,
                        const LeftFactor &left, int64_t depth,
                        const SharedTile &right, RightForm form,
                        mlir::Value first) = 0;
  /// Scores, whose columns were rows of a right factor, as a left factor;
  /// `stage` is a tile of theirs in which it may be put.
  virtual LeftFactor takeScores(llvm::ArrayRef<mlir::Value> scores,
                                const LeftFactor &stage) = 0;

  /// x * y + sum, by one instruction.
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
  /// Where an element of a tile is.
  mlir::Value at(const SharedTile &tile, mlir::Value row, mlir::Value column) {
    return add(mul(row, tile.stride), column);
  }

  mlir::ImplicitLocOpBuilder &b;
  mlir::Value lane;

private:
  int64_t rowCount;
};

/// By FMAs, of f32.
std::unique_ptr<WarpProduct> makeFmaProduct(mlir::ImplicitLocOpBuilder &b,
                                            mlir::Value lane);
/// By tensor cores, of f16 or bf16.
std::unique_ptr<WarpProduct> makeMmaProduct(mlir::ImplicitLocOpBuilder &b,
                                            mlir::Type element,
                                            mlir::Value lane);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_ATTENTION_PRODUCT_H
