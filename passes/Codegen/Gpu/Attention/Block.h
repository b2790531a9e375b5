//===- Block.h - What blocks of attention have in common --------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_ATTENTION_BLOCK_H
#define PCC_PASSES_CODEGEN_GPU_ATTENTION_BLOCK_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "passes/Codegen/Gpu/Attention/Product.h"
#include "passes/Codegen/Kernels/Attention/DeviceTiles.h"
#include "passes/Codegen/Kernels/Attention/Unit.h"

namespace pcc::codegen {

/// Rows of one head of a sample in global memory, of a tile.
struct HeadRows {
  /// Row `0` and the next.
  Tile rows;
  /// How many there are, an index; null: all that the tile has.
  mlir::Value left;
  /// Columns, and how many of them an access moves.
  int64_t width, vector;
};

/// The bias of a block's rows, of which columns come by tiles.
struct BiasRows {
  /// Where it lies.
  mlir::Value buffer;
  /// By the lane's rows, where column 0 has its number; one, if all rows have
  /// the same.
  llvm::SmallVector<mlir::Value> bases;
  /// By the lane's rows, what all columns have; empty: they differ.
  llvm::SmallVector<mlir::Value> numbers;
  /// Whether there are numbers of columns that are those of all rows.
  bool isOfColumns = false;
  /// Elements from a column to the next, 0 if all have the same.
  int64_t ofColumn = 0;
  /// Of all tiles.
  int64_t columns = 0;
  /// Columns that an access reads.
  int64_t together = 1;
};

/// Builds one thread's part of a block of attention. The builder is in a
/// gpu.func whose arguments are the kernel's buffers.
class AttentionBlock : public AttentionUnit {
public:
  /// All that is given must outlive this; `outs` are the buffers of the op's
  /// results, null where nobody asks for one.
  AttentionBlock(ScalarBuilder &b, mlir::Operation *op,
                 const KernelChoices &choices, const DeviceTiles &tiles,
                 const OperandMap &operands, llvm::ArrayRef<Operand> outs);

  /// Bytes of shared memory that were allocated.
  int64_t getSharedBytes() const { return sharedBytes; }

protected:
  using Numbers = llvm::SmallVector<mlir::Value>;

  /// New shared memory, of rows with so many elements from one to the next.
  SharedTile allocateTile(int64_t rows, int64_t stride, mlir::Type element);
  /// The same memory for another use, at another time.
  void reuseShared(int64_t from) { nextShared = from; }
  /// A tile's bytes as rows of another type, as many.
  SharedTile viewAs(const SharedTile &tile, mlir::Type element);

  /// Rows of an operand's head from `first` on; `rowCount` are in the tile, of
  /// `all` in the operand.
  HeadRows headRows(mlir::Value operand, mlir::Value sample, mlir::Value first,
                    mlir::Value head, int64_t all, int64_t rowCount);
  /// Has all threads bring rows into shared memory, `count` of `columns`, with
  /// zeros where there are none.
  void bring(const HeadRows &from, const SharedTile &to, int64_t count,
             int64_t columns);
  /// Has threads bring elements of an operand of positions, as i32; behind the
  /// last, its own.
  void bringPositions(mlir::Value operand, mlir::Value first, int64_t all,
                      mlir::Value to, int64_t count, mlir::Value taken = {});
  /// What this thread will bring so: it may be under way while a tile before
  /// is made. Null if a thread brings several. A kernel of which a core has two
  /// blocks has no register for it, and another block to go on with.
  mlir::Value takePosition(mlir::Value operand, mlir::Value first, int64_t all,
                           int64_t count);
  /// A loop over `turns` tiles of positions: body(turn, what this thread has of
  /// the tile's, the values before) gives the next values. `first` says where a
  /// turn's tile begins; of the last one the next may be any.
  Numbers loopWithPositions(
      int64_t turns, mlir::Value operand, int64_t all,
      llvm::function_ref<mlir::Value(mlir::Value turn)> first,
      llvm::ArrayRef<mlir::Value> start,
      llvm::function_ref<Numbers(mlir::Value turn, mlir::Value taken,
                                 llvm::ArrayRef<mlir::Value> before)>
          body);
  /// And elements (sample, row, head) of an operand [b, s, h], as `made` of
  /// them, with zeros.
  void bringNumbers(mlir::Value operand, mlir::Value sample, mlir::Value first,
                    mlir::Value head, int64_t all, mlir::Value to,
                    int64_t count,
                    llvm::function_ref<mlir::Value(mlir::Value)> made);
  /// The bias of a block's rows; of an attention without one, nothing.
  /// `haveKeys`: rows are keys, columns queries.
  BiasRows biasRows(mlir::Value sample, mlir::Value head, mlir::Value firstRow,
                    bool haveKeys);
  /// Shared memory for what bringBias() brings.
  void allocateBias();
  /// Has threads bring the numbers of a tile's columns, where those are of all
  /// rows.
  void bringBias(const BiasRows &from, mlir::Value firstColumn);
  /// scale * scores + bias, of a tile. What bringBias() brings is there.
  Numbers addBias(llvm::ArrayRef<mlir::Value> scores, const BiasRows &bias,
                  mlir::Value firstColumn);
  /// This thread's share of rows in memory for bringDots(), so that they are
  /// under way while it waits for others; none if it has too many.
  Numbers takeRows(const HeadRows &other, int64_t count);
  /// to[i] = the sum of products of rows i of a tile and of memory, of which
  /// takeRows() has `taken` some.
  void bringDots(const SharedTile &tile, const HeadRows &other,
                 llvm::ArrayRef<mlir::Value> taken, mlir::Value to,
                 int64_t count);
  /// The warp's rows of a result from column `chunk` on: sums, times `factors`
  /// by row (empty: 1), go through `stage`, in which others have no use for
  /// these rows. `form`: which columns a lane has.
  void give(llvm::ArrayRef<mlir::Value> sums,
            llvm::ArrayRef<mlir::Value> factors, const SharedTile &stage,
            const HeadRows &to, mlir::Value chunk,
            RightForm form = RightForm::Columns);
  /// Where a result's rows go.
  HeadRows resultRows(const Operand &out, int64_t rows, int64_t width,
                      mlir::Value sample, mlir::Value first, mlir::Value head,
                      int64_t rowCount);

  /// The least or largest of `count` words in shared memory.
  mlir::Value extreme(mlir::Value words, int64_t count, bool isLeast);
  /// What the key of a row of scores, and the position of a column, have of
  /// dropout's words.
  mlir::Value wordOfKey(mlir::Value key);
  mlir::Value wordOfPosition(mlir::Value position);
  /// Has threads make the words of positions that they have brought.
  void bringWords(mlir::Value positions, mlir::Value to, int64_t count);
  /// Whether these say that a score is dropped.
  mlir::Value isDropped(mlir::Value ofKey, mlir::Value ofPosition);
  /// What the lanes of a row have, joined.
  mlir::Value joinRow(mlir::Value x, bool isSum);
  /// Threads of the block, or of the warp, wait for each other.
  void wait();
  void waitForWarp();
  /// Done by the threads whose number is below `count`.
  void byFirst(int64_t count, llvm::function_ref<void()> body);
  /// body(i) for the numbers i below `count` that are this thread's.
  void forShare(int64_t count, Body body);
  /// Rows that are there from `first` on, null: all `rowCount`.
  mlir::Value leftOf(mlir::Value first, int64_t all, int64_t rowCount);
  /// Runs a body that gives new values, where a condition holds; else they
  /// stay. Null: always.
  Numbers where(mlir::Value condition, llvm::ArrayRef<mlir::Value> before,
                llvm::function_ref<Numbers()> body);
  /// A loop over [0, end) by `step` whose body gives the next values.
  Numbers
  loopWith(int64_t end, int64_t step, llvm::ArrayRef<mlir::Value> start,
           llvm::function_ref<Numbers(mlir::Value, mlir::ValueRange)> body);

  mlir::Value number(double value);
  mlir::Value exp2(mlir::Value x);
  mlir::Value addf(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  /// Whether two conditions hold, of which the first may be null: always.
  mlir::Value both(mlir::Value x, mlir::Value y);
  mlir::Value choose(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value loadWordAt(mlir::Value words, mlir::Value at);
  /// Row r of the lane, in the block's tile.
  mlir::Value rowInBlock(int64_t r);

  const DeviceTiles &tiles;
  mlir::Type element; ///< of the operands
  mlir::Value thread, lane, warp, warpRow;
  std::unique_ptr<WarpProduct> product;
  int64_t nextShared = 0;

private:
  /// How threads share rows of so many vectors: a row has a team of threads,
  /// each of which has some parts of it, and a team a row at every turn.
  struct DotShare {
    int64_t vectors, team, parts, teams, turns;
  };
  DotShare dotShare(const HeadRows &other, int64_t count);
  /// What `take` gives of each of the thread's vectors of a turn, the i-th, or
  /// where there is none the i-th of `otherwise`.
  Numbers
  takeParts(const HeadRows &other, int64_t count, mlir::Value turn,
            llvm::function_ref<mlir::Value(mlir::Value row, mlir::Value column,
                                           int64_t i)>
                take,
            llvm::ArrayRef<mlir::Value> otherwise);
  /// A vector of a row.
  mlir::Value loadPart(const HeadRows &rows, mlir::Value row,
                       mlir::Value column);
  int64_t vectorOf(llvm::ArrayRef<int64_t> divisors, mlir::Type element);
  /// A vector as f32.
  mlir::Value widen(mlir::Value x);
  mlir::Value loadPacked(mlir::Value buffer, mlir::Value at, int64_t count);
  void storePacked(mlir::Value value, mlir::Value buffer, mlir::Value at);
  mlir::Value shuffle(mlir::Value x, int64_t distance);
  mlir::Attribute workgroup();

  mlir::Value shared;
  mlir::Value columnBias; ///< f32 by column, in shared memory
  int64_t sharedBytes = 0;
};

/// Builds a block of nn.attention; returns bytes of its shared memory.
int64_t emitForwardBlock(ScalarBuilder &b, nn::AttentionOp op,
                         const KernelChoices &choices, const DeviceTiles &tiles,
                         mlir::Value block, const OperandMap &operands,
                         llvm::ArrayRef<Operand> outs);
/// The same of nn.attention_grad.
int64_t emitBackwardBlock(ScalarBuilder &b, nn::AttentionGradOp op,
                          const KernelChoices &choices,
                          const DeviceTiles &tiles, mlir::Value block,
                          const OperandMap &operands,
                          llvm::ArrayRef<Operand> outs);
/// Blocks of the forward kernel.
int64_t countForwardBlocks(const AttentionSizes &sizes,
                           const DeviceTiles &tiles);
/// Blocks of the backward kernel.
int64_t countBackwardBlocks(const AttentionSizes &sizes,
                            const DeviceTiles &tiles,
                            llvm::ArrayRef<Operand> outs);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_ATTENTION_BLOCK_H
