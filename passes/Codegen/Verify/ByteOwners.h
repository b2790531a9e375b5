//===- ByteOwners.h - The last writer of each byte of an arena --*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_BYTEOWNERS_H
#define PCC_PASSES_CODEGEN_VERIFY_BYTEOWNERS_H

#include "dialects/RT/RT.h"
#include "passes/Codegen/Verify/Intervals.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace pcc {

/// The owner of bytes: an instance of a buffer, or a temporary.
struct ByteOwner {
  /// An `rt.buffer`, `rt.temporary`, `rt.constant` or `rt.comm_index`; null: no
  /// owner. A frame buffer owns the bytes of temporaries of earlier calls that
  /// the current call has not written.
  mlir::Operation *op = nullptr;
  int64_t slot = 0; ///< if a buffer

  bool operator==(const ByteOwner &other) const {
    return op == other.op && slot == other.slot;
  }
  /// Whether it is a frame, which owns bytes that the current call has not
  /// written.
  bool isFrame() const {
    auto buffer = mlir::dyn_cast_or_null<rt::BufferOp>(op);
    return buffer && buffer.getKind() == rt::BufferKind::Frame;
  }
  bool isBucket() const {
    auto buffer = mlir::dyn_cast_or_null<rt::BufferOp>(op);
    return buffer && buffer.getKind() == rt::BufferKind::Bucket;
  }
  /// Whether it is a temporary of a task.
  bool isTemporary() const {
    return mlir::isa_and_nonnull<rt::TemporaryOp>(op);
  }
  /// Returns its name in diagnostics.
  std::string name() const {
    if (auto buffer = mlir::dyn_cast<rt::BufferOp>(op))
      return "@" + buffer.getSymName().str();
    return "a temporary of @" +
           op->getParentOfType<rt::FuncOp>().getSymName().str();
  }
};

/// The bytes [begin, end) that should have one owner.
struct OwnedRange {
  ByteOwner owner;            ///< the expected owner
  int64_t begin = 0, end = 0; ///< offsets in the arena

  /// Whether both ranges share a byte, of equal or different owners.
  bool overlaps(const OwnedRange &other) const {
    return begin < other.end && other.begin < end;
  }
  /// Whether the other range is a part of this one and has the same owner.
  bool contains(const OwnedRange &other) const {
    return owner == other.owner && begin <= other.begin && other.end <= end;
  }
  bool operator==(const OwnedRange &other) const {
    return contains(other) && other.contains(*this);
  }
};

/// The last writer of each byte.
class ByteOwners {
public:
  /// Makes a range's owner the owner of all its bytes.
  void write(const OwnedRange &range) {
    owners.set(range.begin, range.end, range.owner);
    if (range.owner.isBucket())
      filled.insert({range.owner.op, range.owner.slot});
  }
  /// Notes that the contents of an owner are dead.
  void kill(const ByteOwner &owner) { filled.erase({owner.op, owner.slot}); }
  /// Whether a bucket was written since it was last killed.
  bool wasFilled(const ByteOwner &owner) const {
    return filled.contains({owner.op, owner.slot});
  }

  /// Returns the owner of the first piece of the range that does not belong to
  /// the range's owner; a null owner if nothing was written there; nothing if
  /// the whole range is intact. The bytes of a shard may also belong to `row`,
  /// its gathered bucket.
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

  /// Returns the first owner in a range that satisfies `isOf`, if there is one.
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

  /// Changes the owner of all bytes of a range whose owner satisfies `isOf`.
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

  /// Whether any byte of the range belongs to its owner.
  bool isAnyOf(const OwnedRange &range) const {
    return find(range,
                [&](const ByteOwner &owner) { return owner == range.owner; })
        .has_value();
  }

  /// Returns the state without the bytes of some ranges, which are in order.
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
  /// The slots of buckets that were written and not killed since.
  llvm::DenseSet<std::pair<mlir::Operation *, int64_t>> filled;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_BYTEOWNERS_H
