//===- Weights.h - The weights of a model -----------------------*- C++ -*-===//
//
// Two tensors are tied if they are one parameter of the module, which is
// trained with the sum of both gradients. Taking two parameters for one, or one
// for two, trains another model. Files hide ties: folding turns a tied head
// into a transposed copy of its table, and merging leaves one tensor for two
// that happen to be equal. The first line that applies decides about two equal
// tensors:
//
//   --tie and --untie             the user's choice
//   names that the file proves    two names are two parameters
//   the same bytes of the file    tied
//   a table and its head          tied, with a warning
//   all others                    not tied, with a warning
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_WEIGHTS_H
#define PCC_FRONTEND_WEIGHTS_WEIGHTS_H

#include "frontend/onnx/Reader.h"
#include "frontend/weights/Provenance.h"
#include "frontend/weights/Ties.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

namespace pcc::frontend {

/// An initializer that may be trained.
struct Weight {
  /// The parameter's name, unique in the model.
  std::string name;
  const onnx::TensorProto *tensor;
  mlir::RankedTensorType type;
  /// The element type in the file.
  mlir::Type storage;
  FileRange range;
  /// If the file's tensor repeats the parameter, the shape of the file's
  /// tensor; else empty. `range` is then the first repetition.
  llvm::SmallVector<int64_t, 0> expanded;
  Provenance provenance;
  /// The weight that this is an equal or transposed copy of; null if there is
  /// none.
  Weight *original = nullptr;
  bool transposed = false;
  /// Whether its rows are looked up.
  bool isTable = false;
  /// Whether an exporter removed it, so the file has no such tensor.
  bool isAbsent = false;
  /// Whether an exporter merged it with another parameter, whose tensor in the
  /// file it shares (see separate()). False for the parameter that the tensor
  /// is named after.
  bool wasMerged = false;
  /// The readers: pairs of a node's number in the graph and an operand's.
  llvm::SmallVector<int64_t, 2> uses;
  /// Its nn.read op, created on first use.
  mlir::Value read;
  /// Its broadcast to the shape `expanded`, created on first use.
  mlir::Value wide;
};

/// The shape before an exporter expanded it, as a class token over a batch: 1
/// for the leading dims along which a tensor of this shape repeats. The shape
/// itself if nothing repeats, or if the expanded dims are ambiguous, as in
/// zeros.
llvm::SmallVector<int64_t> shapeBeforeExpand(const FileRange &range,
                                             llvm::ArrayRef<int64_t> shape,
                                             int64_t width);

/// A description of a table whose lookup an exporter folded; empty if a tensor
/// of this shape, with elements of `width` bytes, is no such table. Several
/// repetitions of one table come from a lookup by position for a fixed batch,
/// equal diagonals from a lookup by distance.
std::string foldedLookup(const FileRange &range, llvm::ArrayRef<int64_t> shape,
                         int64_t width);

/// The weights of one model and their ties.
class Weights {
public:
  /// `choices` are the user's ties; it must outlive this.
  explicit Weights(const TieChoices &choices) : choices(choices) {}

  /// Adds the weight at `range` under the name of its provenance, with a number
  /// if the name is taken. Errors: the length does not match the type.
  mlir::FailureOr<Weight *> add(mlir::Location loc, Provenance provenance,
                                const onnx::TensorProto &tensor,
                                mlir::RankedTensorType type, mlir::Type storage,
                                FileRange range);
  /// Finds the ties among weights; call it after all are added. Errors: a
  /// choice of the user's that the values contradict.
  mlir::LogicalResult tieCopies(mlir::Location loc);
  /// The parameter of this name that the file merged with `weight`. `isProven`:
  /// the file states that it is a separate parameter.
  Weight *separate(Weight *weight, llvm::StringRef name, bool isProven);
  /// The same with the name and provenance of `own`.
  Weight *separate(Weight *weight, Provenance own, bool isProven);
  /// The weight for a head named `head` that reads `table`: the table itself,
  /// tied, unless the user separates them.
  Weight *shareTable(Weight *table, llvm::StringRef head);
  /// Warns of ties and separations that were presumed, and checks that each of
  /// the user's choices applied to something. Call it after all nodes are read.
  mlir::LogicalResult report(mlir::Location loc) const;

  /// In the order of add(), then separated parameters; addresses are stable.
  std::deque<Weight> &all() { return weights; }
  const std::deque<Weight> &all() const { return weights; }

private:
  Weight *copy(Weight *weight, Provenance provenance);
  std::string unique(llvm::StringRef name);
  /// The weights of the file with this name.
  llvm::SmallVector<Weight *, 1> named(llvm::StringRef name);
  mlir::LogicalResult tieAsChosen(mlir::Location loc);
  /// Decides whether two weights of equal values are tied.
  bool areTied(Weight &copy, Weight &other, bool areSameRange);
  void tie(Weight &copy, Weight &original, bool transposed);

  const TieChoices &choices;
  std::deque<Weight> weights;
  llvm::StringSet<> names;
  /// Pairs of names that were presumed tied, or separate, without proof.
  std::vector<std::pair<std::string, std::string>> presumedTied,
      presumedSeparate;
  /// Names that --untie applied to, and for each --tie whether it applied.
  llvm::StringSet<> known;
  std::vector<bool> applied;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_WEIGHTS_H
