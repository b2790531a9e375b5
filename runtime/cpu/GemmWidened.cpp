//===- GemmWidened.cpp - GEMMs of bf16 and f16 in f32 ---------------------===//
//
// The result is divided into tiles, and the sum over k into blocks, such that
// the f32 copies of a block of A and of B fit a thread's cache. A thread
// computes one tile after another, each by single-threaded f32 GEMMs:
//
//            block of k                        tile
//   A  . . . . [####] . .      B  . . . . .   C . . . . .
//      . . . . [####] . .         [###] . .     [###] . .
//
// A tile of bf16 or f16 results is accumulated in scratch memory, so that it is
// rounded once.
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/Gemm.h"
#include "runtime/host/Threads.h"
#include "runtime/support/DType.h"

#include <algorithm>
#include <cblas.h>
#include <vector>

using namespace pcc;

namespace {
/// The maximum rows and columns of a tile, and the maximum extent of a block of
/// k.
const int64_t tileExtent = 768, blockExtent = 384;

/// A piece of a matrix.
struct Piece {
  const char *data;
  int32_t dtype;
  int64_t stride; ///< elements from row to row
  int64_t rows, columns;
};

/// The division of a batch of GEMMs into tiles, which threads share.
class Tiles {
public:
  Tiles(const pcc_gemm_desc &d, const Matrices &first, int threads);

  void run();

private:
  int64_t rowTiles() const { return (d.m + rows - 1) / rows; }
  int64_t columnTiles() const { return (d.n + columns - 1) / columns; }
  int64_t count() const {
    return d.batch0 * d.batch1 * rowTiles() * columnTiles();
  }
  void runPart(int part) const;
  void runTile(int64_t index) const;

  const pcc_gemm_desc &d;
  Matrices first;
  int64_t rows, columns; ///< of a tile that is not the last one
  int parts;
};

/// The buffers of a thread for the current tile, reused for the next one.
struct Scratch {
  std::vector<float> a, b, c;
};
} // namespace

/// The extent of equal pieces of `whole` that are at most `greatest`, rounded
/// up to whole f32 vectors for the kernels.
static int64_t evenPiece(int64_t whole, int64_t greatest) {
  const int64_t vector = 16;
  int64_t pieces = (whole + greatest - 1) / greatest;
  int64_t extent = (whole + pieces - 1) / pieces;
  return std::min(whole, (extent + vector - 1) / vector * vector);
}

Tiles::Tiles(const pcc_gemm_desc &d, const Matrices &first, int threads)
    : d(d), first(first), rows(evenPiece(d.m, tileExtent)),
      columns(evenPiece(d.n, tileExtent)) {
  // Smaller tiles divide more evenly, but convert more elements per
  // multiplication.
  auto isUneven = [&] {
    return count() < threads ||
           (count() % threads != 0 && count() < 4 * threads);
  };
  const int64_t least = 128;
  while (isUneven() && std::max(rows, columns) > least) {
    int64_t &greater = rows > columns ? rows : columns;
    greater = evenPiece(greater, (greater + 1) / 2);
  }
  parts = static_cast<int>(std::min<int64_t>(threads, count()));
}

void Tiles::run() {
  if (parts == 1)
    return runPart(0);
  runParts(
      parts,
      [](void *tiles, int part) { static_cast<Tiles *>(tiles)->runPart(part); },
      this);
}

void Tiles::runPart(int part) const {
  for (int64_t i = count() * part / parts; i < count() * (part + 1) / parts;
       ++i)
    runTile(i);
}

/// Copies a piece as f32, row after row, into `copy`.
static const float *widened(const Piece &piece, std::vector<float> &copy) {
  copy.resize(std::max<size_t>(copy.size(), piece.rows * piece.columns));
  for (int64_t row = 0; row < piece.rows; ++row)
    widen(copy.data() + row * piece.columns,
          piece.data + row * piece.stride * sizeOf(piece.dtype), piece.dtype,
          piece.columns);
  return copy.data();
}

/// The piece of an operand that is [rows, columns] in the GEMM.
static Piece pieceOf(const char *matrix, int32_t dtype, int64_t stride,
                     bool transposed, int64_t row, int64_t column, int64_t rows,
                     int64_t columns) {
  if (transposed)
    std::swap(row, column), std::swap(rows, columns);
  return {matrix + (row * stride + column) * sizeOf(dtype), dtype, stride, rows,
          columns};
}

void Tiles::runTile(int64_t index) const {
  static thread_local Scratch scratch;
  // Successive tiles use the same columns.
  int64_t row = index % rowTiles() * rows;
  int64_t column = index / rowTiles() % columnTiles() * columns;
  Matrices at = matricesAt(d, first, index / (rowTiles() * columnTiles()));
  int64_t m = std::min(rows, d.m - row), n = std::min(columns, d.n - column);

  char *result = at.c + (row * d.ldc + column) * sizeOf(d.c_dtype);
  bool inPlace = d.c_dtype == PCC_F32;
  float *sum = reinterpret_cast<float *>(result);
  int64_t sumStride = d.ldc;
  if (!inPlace) {
    scratch.c.resize(std::max<size_t>(scratch.c.size(), m * n));
    sum = scratch.c.data();
    sumStride = n;
    if (d.beta != 0)
      widened({result, d.c_dtype, d.ldc, m, n}, scratch.c);
  }
  int64_t k = 0;
  float beta = d.beta;
  do {
    int64_t depth = std::min(blockExtent, d.k - k);
    Piece a = pieceOf(at.a, d.a_dtype, d.lda, d.trans_a, row, k, m, depth);
    Piece b = pieceOf(at.b, d.b_dtype, d.ldb, d.trans_b, k, column, depth, n);
    cblas_sgemm(CblasRowMajor, d.trans_a ? CblasTrans : CblasNoTrans,
                d.trans_b ? CblasTrans : CblasNoTrans, m, n, depth, d.alpha,
                widened(a, scratch.a), std::max<int64_t>(a.columns, 1),
                widened(b, scratch.b), std::max<int64_t>(b.columns, 1), beta,
                sum, sumStride);
    beta = 1;
    k += depth;
  } while (k < d.k);
  if (inPlace)
    return;
  for (int64_t i = 0; i < m; ++i)
    narrow(result + i * d.ldc * sizeOf(d.c_dtype), d.c_dtype,
           sum + i * sumStride, n);
}

void pcc::multiplyWidened(const pcc_gemm_desc &desc, const Matrices &matrices,
                          int threads) {
  Tiles(desc, matrices, threads).run();
}
