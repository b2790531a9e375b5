//===- LoopTracker.h - Where a loop of the inputs goes ----------*- C++ -*-===//
//
// The samples of a batch are one loop of the inputs. Op by op this follows the
// dim of each value along which it runs, by the same correspondence of dims
// that says how ops are split over ranks:
//
//   %h = nn.embedding %tokens, %wte    [LOOP, seq] -> [LOOP, seq, hidden]
//   %f = nn.contract "bsk,kn->bsn"     apart still: [LOOP, seq, n]
//   %r = nn.reduce %f [0, 1, 2]        a sum over the loop
//   %l = nn.log %r                     neither: elements of the loop meet
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_LOOPTRACKER_H
#define PCC_PASSES_TRAINING_LOOPTRACKER_H

#include "dialects/NN/NN.h"

namespace pcc {

/// Follows one loop, such as the samples of a batch, through a program: where
/// its elements lie in each value, and which op, if any, computes with several
/// of them.
class LoopTracker {
public:
  /// How a value depends on the elements of the loop.
  struct Place {
    /// Where the loop's elements are in it.
    enum Kind {
      Apart, ///< index i of `dim` belongs to element i / inner % extent
      Added, ///< it is a sum with a summand for each
      Mixed, ///< it is neither
    } kind;
    /// Of Apart: the dim, and how many neighbouring indices belong to one
    /// element.
    int64_t dim = 0, inner = 1;

    bool operator==(const Place &other) const {
      return kind == other.kind && dim == other.dim && inner == other.inner;
    }
    /// Whether each element of the loop is one index of this dim.
    bool isApart(int64_t wanted) const {
      return kind == Apart && dim == wanted && inner == 1;
    }
  };

  /// `noun`: what its elements are called. What is computed may not depend on
  /// an element's number.
  LoopTracker(llvm::StringRef noun, int64_t extent)
      : noun(noun), extent(extent) {}

  /// The loop runs along a dim of an input.
  void start(mlir::Value input, int64_t dim) {
    places[input] = {Place::Apart, dim, 1};
  }
  /// Places the results of an op whose operands are placed. Returns what it
  /// does to the elements where a result is Mixed and no operand is, else
  /// nothing.
  std::string visit(mlir::Operation *op);
  /// Whether the op that visit() found something about surely computes with
  /// several elements, where others may only move them.
  bool joinsSurely() const { return isSure; }
  /// Null: the value does not depend on the loop.
  const Place *find(mlir::Value value) const {
    auto it = places.find(value);
    return it == places.end() ? nullptr : &it->second;
  }

private:
  void place(mlir::Value value, Place where) { places[value] = where; }
  std::string visitApart(mlir::Operation *op);
  bool visitNumber(nn::SumOp op);
  std::optional<Place> ownRows(mlir::Value ids, int64_t rows);
  bool visitLookup(nn::EmbeddingOp op);
  bool visitScatter(nn::EmbeddingGradOp op);
  bool visitBox(mlir::Operation *op);
  std::string visitReshape(mlir::Operation *op, const Place &from);
  std::string visitByRule(mlir::Operation *op);
  std::string visitLinear(mlir::Operation *op, const nn::ShardingRule &rule);

  std::string noun;
  int64_t extent;
  bool isSure = false;
  llvm::DenseMap<mlir::Value, Place> places;
  /// Whole numbers that grow by so many from an element to the next, besides
  /// what they are for each: where its rows begin in a table of all rows.
  llvm::DenseMap<mlir::Value, int64_t> numbered;
  /// Values whose place may be another, or that most likely are the same for
  /// all elements.
  llvm::DenseSet<mlir::Value> doubtful;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_LOOPTRACKER_H
