//===- Packing.h - Places for what does not live at once --------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_PACKING_H
#define PCC_PASSES_CODEGEN_LOWER_PACKING_H

#include "mlir/Support/LLVM.h"

namespace pcc {

/// Something that needs memory at some times.
struct Life {
  /// How many it needs.
  int64_t bytes;
  /// When it needs them: first and last moment of each span, in order, apart
  /// from each other.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 1> spans;
  /// Where it lies; what `pack` assigns.
  int64_t offset = 0;

  /// Adds a moment that is no earlier than all before, to the last span or, if
  /// `begins`, to a new one.
  void touch(unsigned moment, bool begins);
  /// Whether both need memory at one moment.
  bool overlaps(const Life &other) const;
};

/// Gives every life an offset such that no two that overlap in time overlap in
/// space: largest first, each into the tightest gap that holds it. Returns the
/// bytes needed. The same lives in the same order get the same offsets.
int64_t pack(llvm::MutableArrayRef<Life> lives);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_PACKING_H
