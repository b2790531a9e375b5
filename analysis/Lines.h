//===- Lines.h - Run-length encoding of values, line by line ----*- C++ -*-===//
//
// A mask of scores [s, t] is computed from positions: j <= i, i - j < 1000. To
// recognize it, its elements need not be stored. Each line of it, all keys of
// one query, is run-length encoded: a few runs of equal or evenly rising
// values. The runs of an elementwise op follow from the runs of its operands:
//
//   j           0 1 2 3 4 5 6 7      one run, rising by 1
//   i - j       3 2 1 0 -1 -2 -3 -4  one run, falling by 1     (line i = 3)
//   i - j >= 0  1 1 1 1 0 0 0 0      two runs
//
// So a mask takes the time of all its lines but the memory of one. Elements
// that depend on inputs are runs that are not known; `and` with false is known
// nevertheless.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_ANALYSIS_LINES_H
#define PCC_ANALYSIS_LINES_H

#include "analysis/Tensor.h"
#include "dialects/NN/NN.h"

namespace pcc::analysis {

/// A run: the elements from the end of the previous run to `end`, which are
/// first, first + slope, first + 2 slope, ...
struct Run {
  /// The index along the line after the run's last element.
  int64_t end;
  /// Whether the elements are known; otherwise the fields below are
  /// meaningless.
  bool isKnown = false;
  /// The first element, in the element type's representation.
  Scalar first = ofInt(0);
  /// The difference between consecutive elements.
  int64_t slope = 0;
};
/// The run-length encoding of a line. Each run begins at the end of the
/// previous run.
using Line = llvm::SmallVector<Run, 4>;

/// The lines of a value along its last dim.
class Lines {
public:
  /// The assumption about values that are not known.
  enum Unknown {
    /// They may have any value. Parameters, also trained ones, are known: they
    /// have their values in the file.
    Anything,
    /// They are finite and no mask, and trained parameters are not known. 0
    /// times an unknown value is 0, a very negative number stays very negative
    /// when one is added, and a softmax maps it to 0.
    Finite
  };

  /// Builds the expression of `value` without computing lines. The ops that
  /// compute `value` must outlive this.
  explicit Lines(mlir::Value value);
  /// Lines along dim `along`: in `shape` and indices it is swapped with the
  /// last dim.
  Lines(mlir::Value value, int64_t along, Unknown unknown);
  ~Lines();
  Lines(Lines &&);

  /// Whether the value is computed only from constants and known parameters, by
  /// ops that are handled here. False if it depends on positions, although
  /// their lines are known.
  bool isKnown() const { return known; }
  /// Whether the value is computed from the elements of a parameter.
  bool isStored() const { return stored; }
  /// Whether elements are floats, not integers.
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type); }
  /// The extents of its dims; lines run along the last dim.
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  /// Whether lines may differ by their index of `dim`.
  bool varies(int64_t dim) const;

  /// The line at an index, which has an entry for each dim; the last is
  /// ignored.
  llvm::ArrayRef<Run> line(llvm::ArrayRef<int64_t> index);

  /// A key such that known values (isKnown) with equal keys are equal; empty if
  /// there is none.
  std::string key() const;

private:
  struct Step;
  /// An affine function of the value's index: `base` plus the index of each dim
  /// times its factor. It is the index along an operand's dim, or an element's
  /// row-major number.
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

/// Calls fn once for each set of lines that may differ from other lines in any
/// of `values`, which have the same shape, with the index of one of them. Stops
/// when fn returns false.
void forEachLine(llvm::MutableArrayRef<Lines> values,
                 llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> fn);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_LINES_H
