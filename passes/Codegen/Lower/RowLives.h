//===- RowLives.h - Rows that lie elsewhere each time -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_ROWLIVES_H
#define PCC_PASSES_CODEGEN_LOWER_ROWLIVES_H

#include "dialects/RT/RT.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace pcc {

/// Has every row of a stage lie in one place.
void forgetPlaces(rt::StageOp stage);

/// Rows of a stage that hold nothing again and again, and the places that they
/// may have: as many as the text tells apart.
class RowLives {
public:
  /// `renewed`: what holds nothing as an entry point begins. Rows have one
  /// slot.
  RowLives(rt::StageOp stage, const llvm::DenseSet<mlir::Operation *> &renewed);

  /// Whether a buffer is one of these rows.
  bool contains(rt::BufferOp buffer) const { return rows.contains(buffer); }
  /// How many places a row may have.
  unsigned countPlaces(rt::BufferOp row) const;
  /// Which of them an address of a row, or of what lies in it, names where the
  /// loop around is at `variable`.
  unsigned placeOf(rt::AddressOp address, int64_t variable) const;
  /// After how many turns of a loop its addresses name the same places.
  int64_t getTurns(rt::ForOp loop) const { return turns.lookup(loop); }

  /// Gives a row a slot for each place, or for several at one offset. What lies
  /// in it has the same ones.
  void assign(rt::BufferOp row, llvm::ArrayRef<int64_t> offsets);

private:
  /// Of an address in one of the turns of a loop until they repeat themselves.
  using Name = std::pair<mlir::Operation *, int64_t>;
  struct Row {
    unsigned places = 0;
    /// In the order of the text: addresses of it and of what lies in it.
    llvm::SmallSetVector<mlir::Operation *, 8> addresses;
  };

  void follow(mlir::Block &ops, int64_t variable);
  void follow(mlir::Operation &op, int64_t variable);
  Name nameOf(rt::AddressOp address, int64_t variable) const;
  /// The row that a value lies in, or null.
  mlir::Operation *rowOf(mlir::Value value) const;
  bool givesUp(mlir::Operation &op, mlir::OpOperand &operand) const;

  mlir::SymbolTable symbols;
  llvm::MapVector<mlir::Operation *, Row> rows;
  llvm::DenseMap<mlir::Operation *, int64_t> turns;
  /// Names of one place lead to the first of them.
  llvm::MapVector<Name, unsigned> numbers;
  llvm::SmallVector<unsigned> leaders;
  unsigned leaderOf(unsigned number);
  /// By number, the place.
  llvm::SmallVector<unsigned> places;
  /// Rows that hold something, and the number of a name of it.
  llvm::DenseMap<mlir::Operation *, unsigned> held;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_ROWLIVES_H
