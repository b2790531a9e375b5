//===- Lines.h - Values line by line ----------------------------*- C++ -*-===//
//
// A mask of scores [s, t] is computed from positions: j <= i, i - j < 1000. It
// is never needed whole to say what it is. A line of it, all keys of one query,
// is few runs of equal or evenly rising values, and the runs of an elementwise
// op follow from those of its operands:
//
//   j           0 1 2 3 4 5 6 7      one run, rising by 1
//   i - j       3 2 1 0 -1 -2 -3 -4  one run, falling by 1     (line i = 3)
//   i - j >= 0  1 1 1 1 0 0 0 0      two runs
//
// So a mask costs the time of its lines and the memory of one. What depends on
// inputs is a run that is not known; `and` with false is known all the same.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_ANALYSIS_LINES_H
#define PCC_ANALYSIS_LINES_H

#include "analysis/Tensor.h"
#include "dialects/NN/NN.h"

namespace pcc::analysis {

/// Elements from where the run before ends up to `end`: first, first + slope,
/// first + 2 slope, ...
struct Run {
  /// The index along the line behind the run's last element.
  int64_t end;
  /// Whether the elements are known; the fields below say nothing otherwise.
  bool isKnown = false;
  /// The element at the run's start, as the value's element type has it.
  Scalar first = ofInt(0);
  /// By how much an integer rises from one element to the next; 0 for floats.
  int64_t slope = 0;
};
/// All elements of a line as runs, each of which begins where the one before
/// ends.
using Line = llvm::SmallVector<Run, 4>;

/// A value by lines along its last dim.
class Lines {
public:
  /// What is taken for known of values that follow from inputs or from what is
  /// trained.
  enum Unknown {
    /// Nothing.
    Anything,
    /// That they are finite, and no mask: 0 times one is 0, a very negative
    /// number stays one when one is added, and becomes 0 by softmax.
    Finite
  };

  /// Reads nothing yet. The ops above `value` must outlive this.
  explicit Lines(mlir::Value value);
  /// Lines along another dim: `shape` and indices have it last, in exchange for
  /// the last. Trained parameters are unknown.
  Lines(mlir::Value value, int64_t along, Unknown unknown);
  ~Lines();
  Lines(Lines &&);

  /// Whether nothing in it depends on the function's arguments. Lines know of
  /// these what positions are.
  bool isKnown() const { return known; }
  /// Whether a parameter's elements are among what it is computed from.
  bool isStored() const { return stored; }
  /// Whether elements are floats, not integers.
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type); }
  /// The extents of its dims; the lines run along the last.
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  /// Whether lines with another index of `dim` may differ.
  bool varies(int64_t dim) const;

  /// The line at an index of all dims; that of the last is not looked at.
  llvm::ArrayRef<Run> line(llvm::ArrayRef<int64_t> index);

  /// Values of equal keys are equal; empty if that cannot be told.
  std::string key() const;

private:
  struct Step;
  /// The index along a dim of an operand, or the number of an element: `base`
  /// plus the index of each dim of the value times its factor.
  struct AffineIndex {
    int64_t base = 0;
    Shape factors;
    bool operator==(const AffineIndex &other) const {
      return base == other.base && factors == other.factors;
    }
  };
  /// The index along each dim of an operand.
  using IndexMap = llvm::SmallVector<AffineIndex, 4>;

  unsigned add(mlir::Value value, IndexMap map);
  unsigned addLeaf(mlir::Value value, const IndexMap &map);
  unsigned addOp(mlir::Operation *op, const IndexMap &map);
  std::optional<IndexMap> throughReshape(nn::ReshapeOp op, const IndexMap &map);
  AffineIndex numbered(const IndexMap &map, llvm::ArrayRef<int64_t> strides,
                       int64_t base) const;
  bool isAlongLine(mlir::Value value, const IndexMap &map) const;
  void readLeaf(Step &step, llvm::ArrayRef<int64_t> index);

  mlir::Type type;
  Shape extents;
  Unknown unknown = Anything;
  bool known = true, stored = false, isKeyed = true;
  std::vector<Step> steps;
  Shape last;
};

/// Calls fn with an index of every line that may differ from the others, those
/// of all `values`, which have one shape; stops where it returns false.
void forEachLine(llvm::MutableArrayRef<Lines> values,
                 llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> fn);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_LINES_H
