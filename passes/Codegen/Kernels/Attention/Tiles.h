//===- Tiles.h - Products of small tiles in registers -----------*- C++ -*-===//
//
// The building blocks of attention on CPUs: matrix products of tiles that fit
// in a core's caches. A product keeps a block of its result in registers, some
// rows of some vectors. Each step of the sum adds a vector of one factor times
// scalars of the other, each broadcast to a vector:
//
//     c[i, j] = sum over x of a[i, x] * b[x, j]
//
//     for i by rows, j by vectors:
//       for x:  load b[x, j : j + vectors], and for each row
//               c[i + m, j] += broadcast(a[i + m, x]) * b[x, j]
//
// So only `b` needs elements that are contiguous along vectors. `a` is read in
// place, by rows or by columns. Tiles that a product needs transposed are
// transposed once, in registers, when they are loaded into private memory.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_TILES_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_TILES_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Kernels/Emit.h"

namespace pcc::codegen {

/// Elements of a flat buffer as rows: (row, column) is at base + row * stride +
/// column.
struct Tile {
  /// Rank 1, of any float.
  mlir::Value buffer;
  mlir::Value base; ///< index; null: 0
  int64_t stride = 0;
  /// The last valid row, an index: rows after it are read as this one. Null:
  /// all rows are valid.
  mlir::Value last;
};

/// Builds loops over tiles at its builder's insertion point. Computes in f32.
class TileBuilder {
public:
  /// `b` must outlive this.
  TileBuilder(ScalarBuilder &b, const KernelChoices &choices)
      : b(b), lanes(choices.vectorLanes), rows(choices.productRows),
        vectors(choices.productVectors) {}

  /// Called with the loop's index.
  using Body = llvm::function_ref<void(mlir::Value)>;

  /// Private memory of the work item, rank 1.
  mlir::Value allocate(int64_t elements, mlir::Type element);
  mlir::Value allocate(int64_t elements) {
    return allocate(elements, b.getF32Type());
  }
  mlir::Value index(int64_t value);
  /// a + b, of indices.
  mlir::Value add(mlir::Value a, mlir::Value b);
  /// a * factor, of indices.
  mlir::Value mul(mlir::Value a, int64_t factor);
  /// The minimum of indices.
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, int64_t bound) { return min(a, index(bound)); }
  /// The index of an element in the buffer; without `column`, of the row's
  /// first.
  mlir::Value at(const Tile &tile, mlir::Value row, mlir::Value column = {});
  /// for i = 0 to `end` by `step`.
  void loop(mlir::Value end, int64_t step, Body body);
  /// An element, as f32.
  mlir::Value load(mlir::Value buffer, mlir::Value at);
  /// Stores an element in the buffer's type.
  void store(mlir::Value value, mlir::Value buffer, mlir::Value at);
  /// A vector of elements, floats as f32.
  mlir::Value loadVector(mlir::Value buffer, mlir::Value at);
  /// Stores a vector in the buffer's type.
  void storeVector(mlir::Value value, mlir::Value buffer, mlir::Value at);
  /// Broadcasts a scalar to a vector.
  mlir::Value splat(mlir::Value scalar);
  /// A vector of one f32 constant.
  mlir::Value constant(double value);
  mlir::VectorType vectorOf(mlir::Type element) {
    return mlir::VectorType::get({lanes}, element);
  }
  /// Elements of a vector.
  int64_t getLanes() const { return lanes; }
  /// Rows of a product's register block.
  int64_t getProductRows() const { return rows; }
  /// `columns` rounded up to whole vectors.
  int64_t padded(int64_t columns) const {
    return llvm::alignTo(columns, lanes);
  }

  /// c[i, j] = sum over x < depth of a[i, x] * b[x, j], for rows i < end,
  /// rounded up to whole blocks of rows, and j < columns, whole vectors.
  void product(const Tile &a, const Tile &factor, const Tile &c,
               mlir::Value end, mlir::Value depth, int64_t columns);
  /// c[i, j] = c[i, j] * scales[j] + sum over x < depth of a[x, i] * b[x, j],
  /// for i < height. `scales` is a buffer, or null: 1.
  void addTransposed(const Tile &a, const Tile &factor, const Tile &c,
                     int64_t height, mlir::Value depth, int64_t columns,
                     mlir::Value scales = {});
  /// to[j, i] = from[i, j] for `height` rows, whole vectors, of `width`.
  void transposeIn(const Tile &from, const Tile &to, int64_t height,
                   int64_t width);
  /// to[i, j] = from[j, i] * scales[i] for i < end; scales of whole vectors.
  void transposeOut(const Tile &from, const Tile &to, mlir::Value end,
                    int64_t width, mlir::Value scales = {});
  /// to[i, j] = from[i, j] for i < end, j < width.
  void copy(const Tile &from, const Tile &to, mlir::Value end, int64_t width);
  /// to[i, j] += from[i, j]
  void add(const Tile &from, const Tile &to, mlir::Value end, int64_t width);
  /// to[i, j] = 0
  void clear(const Tile &to, mlir::Value end, int64_t width);
  /// The sum over j < width of a[i, j] * b[i, j].
  mlir::Value dot(const Tile &a, const Tile &b, mlir::Value row, int64_t width);

private:
  /// A register block of height x count vectors.
  struct Block {
    int64_t height, count;
  };
  /// Accumulates over x < depth; `element(x, m)` returns a's scalars.
  llvm::SmallVector<mlir::Value>
  accumulate(llvm::SmallVector<mlir::Value> acc, Block block, mlir::Value depth,
             const Tile &factor, int64_t column,
             llvm::function_ref<mlir::Value(mlir::Value, int64_t)> element);
  /// Calls body with the first column and the number of each group of vectors.
  void forVectors(int64_t columns,
                  llvm::function_ref<void(int64_t, int64_t)> body);
  /// Calls `vectors` with the first column of vectors that cover a row of
  /// `width`. With `once`, the remaining columns go to `scalars`; else the last
  /// vector overlaps. A row narrower than a vector goes to `scalars`.
  void forColumns(int64_t width, bool once, Body vectors, Body scalars);
  /// Transposes lanes x lanes elements.
  void transpose(llvm::MutableArrayRef<mlir::Value> rows);

  ScalarBuilder &b;
  int64_t lanes, rows, vectors;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_TILES_H
