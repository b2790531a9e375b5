//===- Masks.h - What masks leave of scores ---------------------*- C++ -*-===//

#ifndef PCC_PASSES_RECOGNITION_MASKS_H
#define PCC_PASSES_RECOGNITION_MASKS_H

#include "analysis/Lines.h"
#include <map>

namespace pcc::recognition {

/// What masks leave of scores [.., query, .., key].
struct Mask {
  /// Which keys a query may attend to.
  enum Kind {
    /// Every key.
    None,
    /// The keys up to the query's own position.
    Causal,
    Other
  };
  /// Of the parts of the mask together.
  Kind kind = None;
  /// Whether every query has a key.
  bool leavesAll = true;
};

/// A value that says of each score whether it stays.
struct MaskPart {
  /// Of the scores' shape.
  mlir::Value value;
  /// It is added to the scores: 0 where one stays, very negative where it does
  /// not. Else it is a condition.
  bool isAdded;
  /// Of a condition, what it is where a score stays.
  bool keepsWhere = true;
};

/// Tells what masks are, each of equal ones once.
class MaskReader {
public:
  /// What the parts, all of the scores' shape, leave together. `query` is a
  /// dim, keys are the last one.
  Mask read(llvm::ArrayRef<MaskPart> parts, int64_t query);
  /// Whether a value is 0 or removes a key, everywhere.
  bool isMask(mlir::Value value);

private:
  std::map<std::string, Mask> known;
  std::map<std::string, bool> masks;
};

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_MASKS_H
