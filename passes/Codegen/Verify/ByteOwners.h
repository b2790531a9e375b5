//===- ByteOwners.h - Who wrote each byte of an arena last ------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_BYTEOWNERS_H
#define PCC_PASSES_CODEGEN_VERIFY_BYTEOWNERS_H

#include "dialects/RT/RT.h"
#include "passes/Codegen/Verify/Intervals.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace pcc {

/// What bytes belong to: an instance of a buffer, or a temporary.
struct ByteOwner {
  /// An `rt.buffer`, `rt.temporary` or `rt.constant`; null for nothing. A
  /// buffer for frames stands for what its function has not written.
  mlir::Operation *op = nullptr;
  int64_t slot = 0; ///< of a buffer

  bool operator==(const ByteOwner &other) const {
    return op == other.op && slot == other.slot;
  }
  /// Whether it stands for what a function has not written.
  bool isFrame() const {
    auto buffer = mlir::dyn_cast_or_null<rt::BufferOp>(op);
    return buffer && buffer.getKind() == rt::BufferKind::Frame;
  }
  /// Whether it is a bucket's row.
  bool isRow() const {
    auto buffer = mlir::dyn_cast_or_null<rt::BufferOp>(op);
    return buffer && buffer.getKind() == rt::BufferKind::Bucket;
  }
  /// Whether it is a task's alone.
  bool isTemporary() const {
    return mlir::isa_and_nonnull<rt::TemporaryOp>(op);
  }
  /// As messages name it.
  std::string name() const {
    if (auto buffer = mlir::dyn_cast<rt::BufferOp>(op))
      return "@" + buffer.getSymName().str();
    return "a temporary of @" +
           op->getParentOfType<rt::FuncOp>().getSymName().str();
  }
};

/// Bytes [begin, end) of one owner.
struct OwnedRange {
  ByteOwner owner;            ///< who should hold them
  int64_t begin = 0, end = 0; ///< in the arena

  /// Whether any byte is another one's, too, whoever owns it.
  bool overlaps(const OwnedRange &other) const {
    return begin < other.end && other.begin < end;
  }
  /// Whether all bytes of another one are among these, and its owner's.
  bool contains(const OwnedRange &other) const {
    return owner == other.owner && begin <= other.begin && other.end <= end;
  }
  bool operator==(const OwnedRange &other) const {
    return contains(other) && other.contains(*this);
  }
};

/// Who wrote each byte last.
class ByteOwners {
public:
  /// What was there is lost.
  void write(const OwnedRange &range) {
    owners.set(range.begin, range.end, range.owner);
    if (range.owner.isRow())
      filled.insert({range.owner.op, range.owner.slot});
  }
  /// Says that nothing is left of an owner.
  void giveUp(const ByteOwner &owner) { filled.erase({owner.op, owner.slot}); }
  /// Whether a row was written since it was given up.
  bool wasFilled(const ByteOwner &owner) const {
    return filled.contains({owner.op, owner.slot});
  }

  /// The first piece of the range that its owner does not hold: who does, or
  /// nobody if nothing was written there. Nothing if all is well. A part is
  /// held by its `row`, too.
  std::optional<ByteOwner> findIntruder(const OwnedRange &range,
                                        const ByteOwner &row) const {
    std::optional<ByteOwner> found;
    owners.visit(
        range.begin, range.end, [&](int64_t, int64_t, const ByteOwner *owner) {
          if (!found && !(owner && (*owner == range.owner || *owner == row)))
            found = owner ? *owner : ByteOwner();
        });
    return found;
  }

  /// The first of some owners of what is in a range; nothing if there is none.
  std::optional<ByteOwner>
  find(const OwnedRange &range,
       llvm::function_ref<bool(const ByteOwner &)> isOf) const {
    std::optional<ByteOwner> found;
    owners.visit(range.begin, range.end,
                 [&](int64_t, int64_t, const ByteOwner *owner) {
                   if (!found && owner && isOf(*owner))
                     found = *owner;
                 });
    return found;
  }

  /// Gives what is of some owners in a range to another one.
  void change(const OwnedRange &range,
              llvm::function_ref<bool(const ByteOwner &)> isOf,
              const ByteOwner &other) {
    llvm::SmallVector<std::pair<int64_t, int64_t>> changed;
    owners.visit(range.begin, range.end,
                 [&](int64_t begin, int64_t end, const ByteOwner *owner) {
                   if (owner && isOf(*owner))
                     changed.push_back({begin, end});
                 });
    for (auto [begin, end] : changed)
      owners.set(begin, end, other);
  }

  /// Whether any of the range is its owner's.
  bool isAnyOf(const OwnedRange &range) const {
    return find(range,
                [&](const ByteOwner &owner) { return owner == range.owner; })
        .has_value();
  }

  /// What is elsewhere than in some ranges, which come in order.
  ByteOwners outside(const Ranges &ranges) const {
    ByteOwners rest;
    rest.owners = owners.outside(ranges);
    rest.filled = filled;
    return rest;
  }

  bool operator==(const ByteOwners &other) const {
    return owners == other.owners && filled == other.filled;
  }

private:
  Intervals<ByteOwner> owners;
  /// Rows, and their slots.
  llvm::DenseSet<std::pair<mlir::Operation *, int64_t>> filled;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_BYTEOWNERS_H
