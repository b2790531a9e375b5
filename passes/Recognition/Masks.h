//===- Masks.h - Classifies attention masks ---------------------*- C++ -*-===//

#ifndef PCC_PASSES_RECOGNITION_MASKS_H
#define PCC_PASSES_RECOGNITION_MASKS_H

#include "analysis/Lines.h"
#include <map>

namespace pcc::recognition {

/// The effect of masks on scores [.., query, .., key].
struct Mask {
  /// The keys that each query may attend to.
  enum Kind {
    /// All keys.
    None,
    /// The keys up to the query's own position; with a window or chunk only
    /// the last ones.
    Causal,
    Other
  };
  /// For all parts of the mask together.
  Kind kind = None;
  /// Of a causal mask, as those of nn.attention; 0: none.
  int64_t window = 0, chunk = 0;
  /// Whether every query surely has a key, which all parts keep.
  bool leavesAll = true;
};

/// A value that determines for each score whether it is kept.
struct MaskPart {
  /// Has the scores' shape.
  mlir::Value value;
  /// Whether the value is added to the scores: 0 keeps a score, a very negative
  /// number removes it. Otherwise it is a condition.
  bool isAdded;
  /// For a condition: its value where a score is kept.
  bool keepsWhere = true;
};

/// Classifies masks; equal masks are evaluated once.
class MaskReader {
public:
  /// Classifies the parts together; all have the scores' shape. `query` is a
  /// dim, the keys are the last dim.
  Mask read(llvm::ArrayRef<MaskPart> parts, int64_t query);
  /// Whether every element of a value is 0 or removes a key.
  bool isMask(mlir::Value value);

private:
  std::map<std::string, Mask> known;
  std::map<std::string, bool> masks;
};

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_MASKS_H
