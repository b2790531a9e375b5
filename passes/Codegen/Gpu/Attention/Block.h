//===- Block.h - Base class of attention blocks -----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_ATTENTION_BLOCK_H
#define PCC_PASSES_CODEGEN_GPU_ATTENTION_BLOCK_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "passes/Codegen/Gpu/Attention/Product.h"
#include "passes/Codegen/Kernels/Attention/DeviceTiles.h"
#include "passes/Codegen/Kernels/Attention/WorkItem.h"

namespace pcc::codegen {

/// A tile of rows of one head of a sample, in global memory.
struct HeadRows {
  /// The address of row 0, and the stride.
  Tile rows;
  /// The number of valid rows, an index; null if all rows of the tile are
  /// valid.
  mlir::Value left;
  /// The number of columns, and the columns of one vector access.
  int64_t width, vector;
};

/// The tiles that a loop visits: `count` tiles from `begin` on, indices. Null:
/// all.
struct TileSpan {
  mlir::Value begin, count;
};

/// The bias of a block's rows; its columns are processed tile by tile.
struct BiasRows {
  /// The bias in global memory.
  mlir::Value buffer;
  /// For each row of the lane, the index of column 0. A single index if
  /// `isOfColumns`.
  llvm::SmallVector<mlir::Value> bases;
  /// For each row of the lane, the bias of all columns; empty if columns
  /// differ.
  llvm::SmallVector<mlir::Value> numbers;
  /// Whether columns differ but all rows have the same bias.
  bool isOfColumns = false;
  /// The stride between columns; 0 if all columns have the same bias.
  int64_t ofColumn = 0;
  /// The number of columns of all tiles.
  int64_t columns = 0;
  /// Consecutive columns that one access reads.
  int64_t together = 1;
};

/// Builds one thread's code of an attention block. The builder is in a gpu.func
/// whose arguments are the kernel's buffers.
class AttentionBlock : public AttentionUnit {
public:
  /// References to the arguments are kept. `outs` are the buffers of the op's
  /// results; null if a result is unused.
  AttentionBlock(ScalarBuilder &b, mlir::Operation *op,
                 const KernelChoices &choices, const DeviceTiles &tiles,
                 const OperandMap &operands, llvm::ArrayRef<Operand> outs);

  /// The allocated shared memory, in bytes.
  int64_t getSharedBytes() const { return sharedBytes; }

protected:
  using Numbers = llvm::SmallVector<mlir::Value>;

  /// Allocates a tile in shared memory with a row stride of `stride` elements.
  SharedTile allocateTile(int64_t rows, int64_t stride, mlir::Type element);
  /// Lets later tiles reuse the shared memory from offset `from` on.
  void reuseShared(int64_t from) { nextShared = from; }
  /// Views a tile's memory as the same number of rows of another element type.
  SharedTile viewAs(const SharedTile &tile, mlir::Type element);

  /// Returns the rows of an operand's head from `first` on. The tile has
  /// `rowCount` rows, the operand `all`.
  HeadRows headRows(mlir::Value operand, mlir::Value sample, mlir::Value first,
                    mlir::Value head, int64_t all, int64_t rowCount);
  /// Emits the loads of `count` rows of `columns` elements into shared memory
  /// by all threads; missing elements become zero.
  void loadTile(const HeadRows &from, const SharedTile &to, int64_t count,
                int64_t columns);
  /// Emits the loads of `count` positions as i32 into shared memory. Positions
  /// past the last are copies of it. `taken` is this thread's position if it
  /// was prefetched.
  void loadPositions(mlir::Value operand, mlir::Value first, int64_t all,
                     mlir::Value to, int64_t count, mlir::Value taken = {});
  /// The same of the starts of the documents of a sample's queries.
  void loadStarts(mlir::Value sample, mlir::Value first, mlir::Value to,
                  int64_t count);
  /// Prefetches this thread's position while the previous tile is computed.
  /// Returns null if a thread loads several positions. The forward kernel, of
  /// which a multiprocessor usually runs two blocks, does not prefetch: it has
  /// no free register, and the other block hides the latency.
  mlir::Value prefetchPosition(mlir::Value operand, mlir::Value first,
                               int64_t all, int64_t count);
  /// Finds the tiles of an operand of `all` positions that some row of the
  /// block may see, by maySee(positions of a tile). All tiles, without a
  /// window, chunks or documents. Tiles of queries have the starts of their
  /// documents in `sample`, which is null for keys.
  TileSpan findTiles(mlir::Value operand, int64_t all, mlir::Value sample,
                     llvm::function_ref<mlir::Value(PositionRange)> maySee);
  /// Emits a loop over `iterations` tiles of positions. body(iteration,
  /// this thread's prefetched position, previous values) returns the next
  /// values. first(iteration) is the first position of a tile; it must also be
  /// valid for the iteration after the last one.
  Numbers loopWithPositions(
      mlir::Value iterations, mlir::Value operand, int64_t all,
      llvm::function_ref<mlir::Value(mlir::Value iteration)> first,
      llvm::ArrayRef<mlir::Value> start,
      llvm::function_ref<Numbers(mlir::Value iteration, mlir::Value taken,
                                 llvm::ArrayRef<mlir::Value> before)>
          body);
  /// Loads `count` elements (sample, row, head) of an operand [b, s, h] into
  /// shared memory, transformed by `made`; missing rows become zero.
  void loadNumbers(mlir::Value operand, mlir::Value sample, mlir::Value first,
                   mlir::Value head, int64_t all, mlir::Value to, int64_t count,
                   llvm::function_ref<mlir::Value(mlir::Value)> made);
  /// Returns the bias of a block's rows; empty if the attention has none.
  /// `haveKeys`: rows are keys, columns queries.
  BiasRows biasRows(mlir::Value sample, mlir::Value head, mlir::Value firstRow,
                    bool haveKeys);
  /// Allocates the shared memory for loadTileBias().
  void allocateBias();
  /// Loads the bias of a tile's columns into shared memory if all rows have the
  /// same.
  void loadTileBias(const BiasRows &from, mlir::Value firstColumn);
  /// Returns scale * scores + bias of a tile; scores + bias with a soft cap,
  /// which is already applied. The values that loadTileBias()
  /// loads must be in shared memory.
  Numbers addBias(llvm::ArrayRef<mlir::Value> scores, const BiasRows &bias,
                  mlir::Value firstColumn);
  /// Prefetches this thread's share of rows for computeDots(), so that the
  /// loads are outstanding during a barrier. Returns nothing if the share is
  /// too large.
  Numbers prefetchRows(const HeadRows &other, int64_t count);
  /// Computes to[i] = the dot product of row i of a tile and row i of `other`.
  /// `taken` are the vectors that prefetchRows() prefetched, or empty.
  void computeDots(const SharedTile &tile, const HeadRows &other,
                   llvm::ArrayRef<mlir::Value> taken, mlir::Value to,
                   int64_t count);
  /// Stores the warp's rows of a result from column `chunk` on. The
  /// accumulators are multiplied by `factors` of their rows (empty: 1). They
  /// are staged in the warp's rows of `stage`, which other warps must not use.
  /// `form` tells the columns of a lane.
  void storeResult(llvm::ArrayRef<mlir::Value> sums,
                   llvm::ArrayRef<mlir::Value> factors, const SharedTile &stage,
                   const HeadRows &to, mlir::Value chunk,
                   RightForm form = RightForm::Columns);
  /// Returns the rows of a result in global memory.
  HeadRows resultRows(const Operand &out, int64_t rows, int64_t width,
                      mlir::Value sample, mlir::Value first, mlir::Value head,
                      int64_t rowCount);

  /// Returns the minimum and maximum of `count` positions in shared memory, and
  /// those of the starts of documents (null: none).
  PositionRange rangeOf(mlir::Value positions, int64_t count,
                        mlir::Value starts = {});
  /// The halves of dropout's hash that depend only on the key of a row of
  /// scores, or only on the position of a column.
  mlir::Value wordOfKey(mlir::Value key);
  mlir::Value wordOfPosition(mlir::Value position);
  /// Computes the dropout words of positions; each thread those of the
  /// positions that it loaded itself.
  void computeWords(mlir::Value positions, mlir::Value to, int64_t count);
  /// Whether a score is dropped, from the words of its row and its column.
  mlir::Value isDropped(mlir::Value ofKey, mlir::Value ofPosition);
  /// Reduces a value over the lanes of a row, by a sum or a maximum.
  mlir::Value reduceRow(mlir::Value x, bool isSum);
  /// Barriers for the block and for the warp.
  void wait();
  void waitForWarp();
  /// Emits a body that the threads with a number below `count` execute.
  void byFirst(int64_t count, llvm::function_ref<void()> body);
  /// Emits body(i) for this thread's share of the numbers below `count`.
  void forShare(int64_t count, Body body);
  /// The number of valid rows from `first` on; null if all tiles are full.
  mlir::Value leftOf(mlir::Value first, int64_t all, int64_t rowCount);
  /// Emits a body that returns new values under a condition, and `before`
  /// otherwise. A null condition is always true.
  Numbers where(mlir::Value condition, llvm::ArrayRef<mlir::Value> before,
                llvm::function_ref<Numbers()> body);
  /// Emits a loop over [begin, end) by `step` whose body returns the next
  /// values.
  Numbers
  loopWith(mlir::Value begin, mlir::Value end, int64_t step,
           llvm::ArrayRef<mlir::Value> start,
           llvm::function_ref<Numbers(mlir::Value, mlir::ValueRange)> body);
  /// The same from 0 on.
  Numbers
  loopWith(int64_t end, int64_t step, llvm::ArrayRef<mlir::Value> start,
           llvm::function_ref<Numbers(mlir::Value, mlir::ValueRange)> body);

  mlir::Value number(double value);
  mlir::Value exp2(mlir::Value x);
  mlir::Value addf(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  /// The conjunction of two conditions; the first may be null (true).
  mlir::Value both(mlir::Value x, mlir::Value y);
  mlir::Value choose(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value loadWordAt(mlir::Value words, mlir::Value at);
  /// The index in the block's tile of row r of the lane.
  mlir::Value rowInBlock(int64_t r);

  const DeviceTiles &tiles;
  mlir::Type element; ///< of the operands
  mlir::Value thread, lane, warp, warpRow;
  std::unique_ptr<WarpProduct> product;
  int64_t nextShared = 0;

private:
  /// How threads share rows of `vectors` vectors. A thread group of `groupSize`
  /// threads processes one row per iteration, `parts` vectors per thread.
  /// `groups` groups work in parallel for `iterations` iterations.
  struct DotShare {
    int64_t vectors, groupSize, parts, groups, iterations;
  };
  DotShare dotShare(const HeadRows &other, int64_t count);
  /// Returns take(row, column, i) for each vector i of this thread in an
  /// iteration, or otherwise[i] if that vector does not exist.
  Numbers
  takeParts(const HeadRows &other, int64_t count, mlir::Value iteration,
            llvm::function_ref<mlir::Value(mlir::Value row, mlir::Value column,
                                           int64_t i)>
                take,
            llvm::ArrayRef<mlir::Value> otherwise);
  /// Loads a vector of a row.
  mlir::Value loadPart(const HeadRows &rows, mlir::Value row,
                       mlir::Value column);
  int64_t vectorOf(llvm::ArrayRef<int64_t> divisors, mlir::Type element);
  /// Converts a vector to f32.
  mlir::Value widen(mlir::Value x);
  mlir::Value loadPacked(mlir::Value buffer, mlir::Value at, int64_t count);
  void storePacked(mlir::Value value, mlir::Value buffer, mlir::Value at);
  mlir::Value shuffle(mlir::Value x, int64_t distance);
  /// The minimum and maximum of `count` of `all` words from `first` on, in
  /// global memory; each warp its own.
  std::pair<mlir::Value, mlir::Value>
  extremesOfTile(mlir::Value first, int64_t all, int64_t count,
                 llvm::function_ref<mlir::Value(mlir::Value)> load);
  /// Those of positions, and of the starts of a sample's documents (null:
  /// none).
  PositionRange rangeOfTile(mlir::Value operand, mlir::Value sample,
                            mlir::Value first, int64_t all, int64_t count);
  /// The minimum or maximum of a word of each lane.
  mlir::Value reduceWarp(mlir::Value x, bool isLeast);
  /// The minimum or maximum of `count` words in shared memory.
  mlir::Value extreme(mlir::Value words, int64_t count, bool isLeast);
  mlir::Attribute workgroup();

  mlir::Value shared;
  mlir::Value columnBias; ///< f32 by column, in shared memory
  int64_t sharedBytes = 0;
};

/// Emits a block of nn.attention; returns the bytes of its shared memory.
int64_t emitForwardBlock(ScalarBuilder &b, nn::AttentionOp op,
                         const KernelChoices &choices, const DeviceTiles &tiles,
                         mlir::Value block, const OperandMap &operands,
                         llvm::ArrayRef<Operand> outs);
/// Emits a block of nn.attention_grad; returns the bytes of its shared memory.
int64_t emitBackwardBlock(ScalarBuilder &b, nn::AttentionGradOp op,
                          const KernelChoices &choices,
                          const DeviceTiles &tiles, mlir::Value block,
                          const OperandMap &operands,
                          llvm::ArrayRef<Operand> outs);
/// The number of blocks of the forward kernel.
int64_t countForwardBlocks(const AttentionSizes &sizes,
                           const DeviceTiles &tiles);
/// The number of blocks of the backward kernel.
int64_t countBackwardBlocks(const AttentionSizes &sizes,
                            const DeviceTiles &tiles,
                            llvm::ArrayRef<Operand> outs);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_ATTENTION_BLOCK_H
