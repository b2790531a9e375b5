//===- RT.h - The rt dialect ------------------------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_RT_RT_H
#define PCC_DIALECTS_RT_RT_H

#include "dialects/Dist/Dist.h"
#include "dialects/NN/Attrs.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "runtime/Program.h"

#include "dialects/RT/Dialect.h.inc"
#include "dialects/RT/Enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/RT/Attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/RT/Types.h.inc"
#define GET_OP_CLASSES
#include "dialects/RT/Ops.h.inc"

namespace pcc::rt {

/// Every buffer begins at a multiple of this many bytes of the arena.
inline constexpr int64_t kAlignment = PCC_ALIGNMENT;
/// The offloaded range of an arena is a multiple of this many bytes: the pages
/// that devices map.
inline constexpr int64_t kOffloadAlignment = PCC_OFFLOAD_ALIGNMENT;

/// Marks a function as a kernel: the body of an `rt.launch`.
inline constexpr llvm::StringLiteral kKernelAttr = "rt.kernel";
/// On a result of a kernel, and on the out argument that an emitted kernel has
/// instead: the argument whose buffer it may overwrite.
inline constexpr llvm::StringLiteral kInplaceAttr = "rt.inplace";
/// On a lowered kernel: its number of work items, and the smallest number of
/// them that is worth a thread.
inline constexpr llvm::StringLiteral kWorkItemsAttr = "rt.units";
inline constexpr llvm::StringLiteral kGrainAttr = "rt.grain";

/// On a sum of two values of a body: the second is computed by a GEMM or a
/// reduction over ranks, which accumulates into the buffer of the first.
inline constexpr llvm::StringLiteral kAddsInPlaceAttr = "rt.adds_in_place";

/// On a function, and on its calls: the epilogue of the GEMM that the function
/// computes (see passes/Codegen/Kernels/FusedGemm.h).
inline constexpr llvm::StringLiteral kEpilogueAttr = "rt.epilogue";

/// On an op of a body, an array<i64>: for each access (see getAccesses) the
/// number of the value that it accesses; -1 if the buffer holds several values.
/// On a body: for each argument the value that it holds on entry, -1 for none,
/// then for each argument the value on exit.
inline constexpr llvm::StringLiteral kValuesAttr = "rt.values";
/// On a body, a list indexed by value number: the value's sharding, or a unit
/// attribute where it is unknown.
inline constexpr llvm::StringLiteral kLayoutsAttr = "rt.layouts";
/// On a body, an array<i64> of triples for values that are views, such as
/// reshapes and slices: the value, the value that it is a view of, and the
/// element of the latter at which it begins.
inline constexpr llvm::StringLiteral kViewsAttr = "rt.views";
/// On an all_reduce of a buffer that holds several values, an array<i64> of
/// pairs: the value before the reduction and its result.
inline constexpr llvm::StringLiteral kPartsAttr = "rt.parts";

/// Whether an op is a collective.
bool isCollective(mlir::Operation *op);

/// The stream of an op; 0, the compute stream, for an op without that
/// attribute.
int64_t getStream(mlir::Operation *op);

/// The names of the entry points of a stage.
inline constexpr llvm::StringLiteral kTrainEntry = "train";
inline constexpr llvm::StringLiteral kEvaluateEntry = "evaluate";
inline constexpr llvm::StringLiteral kForwardEntry = "forward";
inline constexpr llvm::StringLiteral kEntries[] = {kTrainEntry, kEvaluateEntry,
                                                   kForwardEntry};

/// Bytes of one element in memory.
int64_t getElementBytes(mlir::Type element);

/// Bytes from the start of a buffer's first element to the end of its last.
int64_t getSpanBytes(mlir::MemRefType type);

/// Whether a type is valid for a buffer: at least one element, integers or
/// floats, static extents, static non-negative strides, and offset 0.
bool isBuffer(mlir::MemRefType type);

/// Whether a type is row major and contiguous.
bool isContiguous(mlir::MemRefType type);

/// Whether rows along the last dim are contiguous and begin at multiples of 16
/// bytes from the first.
bool hasAlignedRows(mlir::MemRefType type);

/// Whether two strided buffers at byte offsets `begin` and `otherBegin` of the
/// same memory share no byte although their ranges overlap: their rows have the
/// same stride, and those of one are in the gaps of the other.
bool areInterleaved(mlir::MemRefType type, int64_t begin,
                    mlir::MemRefType other, int64_t otherBegin);

/// The strides of a buffer's dims, in elements.
llvm::SmallVector<int64_t> getStrides(mlir::MemRefType type);

/// An op's read or write of a buffer.
struct Access {
  /// An operand of the op, of memref type.
  mlir::Value buffer;
  /// Whether the access is a write. An op that reads and writes a buffer has
  /// two accesses.
  bool isWrite;
};

/// The buffer that a value is a view of, through chains of views; the value
/// itself if it is not a view.
mlir::Value getViewedBuffer(mlir::Value buffer);

/// The memory accesses of an op of an `rt.func`, reads before writes. A release
/// counts as a write. Empty for `rt.call`, whose accesses are the callee's.
llvm::SmallVector<Access> getAccesses(mlir::Operation *op);

} // namespace pcc::rt

#endif // PCC_DIALECTS_RT_RT_H
