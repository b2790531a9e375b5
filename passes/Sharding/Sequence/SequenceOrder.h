//===- SequenceOrder.h - Dims in another order than the data ----*- C++ -*-===//
//
// If the elements of all inputs are reordered along a sequence, in the same
// way, the values that depend on them are, too:
//
//     %x = nn.embedding %tokens, %table     [b, s*, h]    * reordered
//     %y = nn.sum %x, %positional           [s*, h] broadcast along b
//     %m = nn.reduce %y [1]                 [b, h]: sums have no order
//
// An op that numbers the elements of such a dim by their place in it, or that
// joins it with a dim that has the data's order, computes something else.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_SHARDING_SEQUENCEORDER_H
#define PCC_PASSES_SHARDING_SEQUENCEORDER_H

#include "passes/Sharding/Program.h"

namespace pcc {

/// Finds the dims of a program's values that are reordered.
class SequenceOrder {
public:
  /// The order of a dim of an input or a constant. Open: that which the ops
  /// need, which is the same for all inputs of a name and role.
  enum class Order { Data, Reordered, Open };
  /// Returns the order of a dim of an input or of a constant whose elements
  /// differ along it, by its number as a value.
  using OrderOf = llvm::function_ref<Order(unsigned, unsigned)>;
  /// `program` must outlive this.
  SequenceOrder(const Program &program, OrderOf orderOf);

  /// The first op that does not compute the same; null if all do.
  mlir::Operation *getCounter() const { return counter; }
  /// Whether a dim of a value is reordered; false for dims that merge a
  /// sequence with others.
  bool isReordered(unsigned value, unsigned dim) const;

private:
  /// A part of a dim with an order: that of the data, another, or as yet
  /// unknown. Uniform parts have equal elements, which have no order.
  struct Piece {
    int64_t size;
    int order;
    bool isUniform() const { return order < 0; }
  };
  /// A dim is a product of pieces, major to minor.
  using Pieces = llvm::SmallVector<Piece, 2>;
  using Dims = llvm::SmallVector<Pieces, 4>;

  Dims ofInput(unsigned number, OrderOf orderOf);
  Dims ofConstant(nn::ConstantOp op, unsigned number, OrderOf orderOf);
  int startOrder(Order order, llvm::StringRef key);
  const Dims &dimsOf(unsigned number);
  bool visit(const ShardedOp &op, OrderOf orderOf);
  bool takeDim(const Pieces &dim, const nn::DimFactors &factors,
               const nn::ShardingRule &rule,
               llvm::MutableArrayRef<Pieces> found);
  bool join(Pieces &to, const Pieces &from);
  bool unify(int a, int b);
  bool needDataOrder(const Pieces &pieces);
  int find(int order) const;

  const Program &program;
  mlir::Operation *counter = nullptr;
  std::vector<int> parents; ///< union-find of orders
  llvm::StringMap<int> openOrders;
  std::vector<Dims> dims; ///< by value number
};

} // namespace pcc

#endif // PCC_PASSES_SHARDING_SEQUENCEORDER_H
