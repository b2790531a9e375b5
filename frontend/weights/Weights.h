//===- Weights.h - The weights of a model -----------------------*- C++ -*-===//
//
// What is tied: two tensors are tied if they are one parameter of the module.
// A tied pair is trained by the sum of both gradients, so that taking two
// parameters for one, or one for two, trains another model. Files show it
// badly: folding leaves a tied head as a transposed copy of its table, and
// merging leaves one tensor for two that happen to be equal. So, of two that
// are equal,
//
//   the names that the file proves     decide: two names are two parameters
//   --tie and --untie                  decide as well
//   a table and its head               are tied, with a warning
//   all others                         are not, with a warning
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
  /// The parameter's name, which no other has.
  std::string name;
  const onnx::TensorProto *tensor;
  mlir::RankedTensorType type;
  /// The element type in the file.
  mlir::Type storage;
  FileRange range;
  /// The shape of the file's tensor where it is the parameter again and again,
  /// 1 for dims that they have in common; else empty. `range` is the first.
  llvm::SmallVector<int64_t, 0> expanded;
  Provenance provenance;
  /// What this is an equal or transposed copy of; null if nothing.
  Weight *original = nullptr;
  bool transposed = false;
  /// Whether rows of it are looked up, as those of a table.
  bool isTable = false;
  /// Whether an exporter removed it, so that the file has no such tensor.
  bool isAbsent = false;
  /// Whether an exporter merged it with another, so that the file's tensor is
  /// several parameters.
  bool wasMerged = false;
  /// What reads it: pairs of a node's number in the graph and an operand's.
  llvm::SmallVector<int64_t, 2> uses;
  /// Its nn.read, once something uses it.
  mlir::Value read;
  /// The same of the shape `expanded`.
  mlir::Value wide;
};

/// The shape of what an exporter has expanded, as a class token over a batch:
/// 1 for the first dim and those after it along which a tensor of this shape
/// repeats. The shape itself where nothing repeats, or where it is not known
/// which dims do, as in zeros.
llvm::SmallVector<int64_t> shapeBeforeExpand(const FileRange &range,
                                             llvm::ArrayRef<int64_t> shape,
                                             int64_t width);

/// What is left of a table whose lookup an exporter folded, in words; empty if
/// a tensor of this shape, whose elements are `width` bytes, is none. One table
/// several times is from a lookup by position for a fixed batch, equal
/// diagonals are from one by distance.
std::string foldedLookup(const FileRange &range, llvm::ArrayRef<int64_t> shape,
                         int64_t width);

/// The weights of one model, which know which of them are one.
class Weights {
public:
  /// `choices`, the user's about ties, must outlive this.
  explicit Weights(const TieChoices &choices) : choices(choices) {}

  /// Adds what lies at `range`, under the name of its provenance or, where
  /// that is taken, the same with a number. Errors: its length is not the
  /// type's.
  mlir::FailureOr<Weight *> add(mlir::Location loc, Provenance provenance,
                                const onnx::TensorProto &tensor,
                                mlir::RankedTensorType type, mlir::Type storage,
                                FileRange range);
  /// Finds what is tied among weights; after all are added. Errors: a choice
  /// of the user's that their values rule out.
  mlir::LogicalResult tieCopies(mlir::Location loc);
  /// The parameter of this name that the file has merged with `weight`.
  /// `isProven`: the file says that it is one of its own.
  Weight *separate(Weight *weight, llvm::StringRef name, bool isProven);
  /// The same under the name of `own`, which is what the file tells of it.
  Weight *separate(Weight *weight, Provenance own, bool isProven);
  /// The table that a head, which may be of its own by this name, reads as
  /// well: they are tied unless the user says otherwise.
  Weight *shareTable(Weight *table, llvm::StringRef head);
  /// Tells what the file did not say and how it was taken, and checks that
  /// the user's choices were about something. After all nodes are read.
  mlir::LogicalResult report(mlir::Location loc) const;

  /// In the order of add(), then what was separated; addresses stay.
  std::deque<Weight> &all() { return weights; }
  const std::deque<Weight> &all() const { return weights; }

private:
  Weight *copy(Weight *weight, Provenance provenance);
  std::string unique(llvm::StringRef name);
  /// The weights of the file that go by this name.
  llvm::SmallVector<Weight *, 1> named(llvm::StringRef name);
  mlir::LogicalResult tieAsChosen(mlir::Location loc);
  /// Decides about two weights of the same values.
  bool areTied(Weight &copy, Weight &other, bool areInOnePlace);
  void tie(Weight &copy, Weight &original, bool transposed);

  const TieChoices &choices;
  std::deque<Weight> weights;
  llvm::StringSet<> names;
  /// Pairs of names that were taken as one, or as two, without proof.
  std::vector<std::pair<std::string, std::string>> presumedTied, presumedApart;
  /// Names that parameters went by, and the choices that had an effect.
  llvm::StringSet<> known;
  std::vector<bool> applied;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_WEIGHTS_H
