//===- Tiles.h - Products of small tiles in registers -----------*- C++ -*-===//
//
// What attention is made of on CPUs: products of tiles that a core's caches
// hold. A product keeps a block of its result in registers, some rows of some
// vectors, and adds to it one step of the sum at a time: a vector of one factor
// times numbers of the other, each of which fills a vector.
//
//     c[i, j] = sum over x of a[i, x] * b[x, j]
//
//     for i by rows, j by vectors:
//       for x:  load b[x, j : j + vectors], and for each row
//               c[i + m, j] += broadcast(a[i + m, x]) * b[x, j]
//
// So only one factor needs elements that follow each other along the vectors:
// `a` is read where it lies, in rows or in columns, and tiles that a product
// wants the other way round are transposed once, in registers, when they come
// into private memory.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_TILES_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_TILES_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Kernels/Emit.h"

namespace pcc::codegen {

/// Elements of a flat buffer as rows: (row, column) is at
/// base + row * stride + column.
struct Tile {
  /// Rank 1, of any float.
  mlir::Value buffer;
  mlir::Value base; ///< index; null: 0
  int64_t stride = 0;
  /// Rows behind this one, an index, are read as this one; null: there are
  /// none behind.
  mlir::Value last;
};

/// Builds loops over tiles at the place of its builder. Computes in f32.
class TileBuilder {
public:
  /// `b` must outlive this.
  TileBuilder(ScalarBuilder &b, const KernelChoices &choices)
      : b(b), lanes(choices.vectorLanes), rows(choices.productRows),
        vectors(choices.productVectors) {}

  /// Called with the index of an iteration.
  using Body = llvm::function_ref<void(mlir::Value)>;

  /// Private memory of the unit, rank 1.
  mlir::Value allocate(int64_t elements, mlir::Type element);
  mlir::Value allocate(int64_t elements) {
    return allocate(elements, b.getF32Type());
  }
  mlir::Value index(int64_t value);
  /// a + b, of indices.
  mlir::Value add(mlir::Value a, mlir::Value b);
  /// a * factor, of indices.
  mlir::Value mul(mlir::Value a, int64_t factor);
  /// The smaller index,
  mlir::Value min(mlir::Value a, mlir::Value b);
  /// or number.
  mlir::Value min(mlir::Value a, int64_t bound) { return min(a, index(bound)); }
  /// The element's address, for a column given as a number or as an index.
  mlir::Value at(const Tile &tile, mlir::Value row, mlir::Value column = {});
  /// for i = 0 to `end` by `step`.
  void loop(mlir::Value end, int64_t step, Body body);
  /// A number, as f32.
  mlir::Value load(mlir::Value buffer, mlir::Value at);
  /// Stores one in the buffer's type.
  void store(mlir::Value value, mlir::Value buffer, mlir::Value at);
  /// A vector of elements, floats as f32.
  mlir::Value loadVector(mlir::Value buffer, mlir::Value at);
  /// Stores one in the buffer's type.
  void storeVector(mlir::Value value, mlir::Value buffer, mlir::Value at);
  /// A vector of one scalar.
  mlir::Value splat(mlir::Value scalar);
  /// A vector of one f32 number.
  mlir::Value constant(double value);
  /// The type of a vector.
  mlir::VectorType vectorOf(mlir::Type element) {
    return mlir::VectorType::get({lanes}, element);
  }
  /// Numbers of a vector.
  int64_t getLanes() const { return lanes; }
  /// Rows of a product's block in registers.
  int64_t getProductRows() const { return rows; }
  /// The least multiple of the lanes that is no less.
  int64_t padded(int64_t columns) const {
    return llvm::alignTo(columns, lanes);
  }

  /// c[i, j] = sum over x < depth of a[i, x] * b[x, j], for rows i < end,
  /// rounded up to whole blocks of rows, and j < columns, whole vectors.
  void product(const Tile &a, const Tile &factor, const Tile &c,
               mlir::Value end, mlir::Value depth, int64_t columns);
  /// c[i, j] = c[i, j] * scales[j] + sum over x < depth of a[x, i] * b[x, j],
  /// for i < height; `scales` a buffer, or null: 1.
  void addTransposed(const Tile &a, const Tile &factor, const Tile &c,
                     int64_t height, mlir::Value depth, int64_t columns,
                     mlir::Value scales = {});
  /// to[j, i] = from[i, j] for all `height` rows, whole vectors, of `width`.
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
  /// One block of registers; `acc` holds height x count vectors.
  struct Block {
    int64_t height, count;
  };
  /// Adds up over x < depth; `element(x, m)` gives a's scalars.
  llvm::SmallVector<mlir::Value>
  accumulate(llvm::SmallVector<mlir::Value> acc, Block block, mlir::Value depth,
             const Tile &factor, int64_t column,
             llvm::function_ref<mlir::Value(mlir::Value, int64_t)> element);
  /// Calls body with the first column and the number of each group of vectors.
  void forVectors(int64_t columns,
                  llvm::function_ref<void(int64_t, int64_t)> body);
  /// Calls vectors with the first column of vectors that cover a row of
  /// `width`; with `once` scalars for what is left, else the last vector
  /// overlaps. A row narrower than a vector is scalars.
  void forColumns(int64_t width, bool once, Body vectors, Body scalars);
  /// Transposes lanes x lanes numbers.
  void transpose(llvm::MutableArrayRef<mlir::Value> rows);

  ScalarBuilder &b;
  int64_t lanes, rows, vectors;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_TILES_H
