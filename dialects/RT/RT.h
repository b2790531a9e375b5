//===- RT.h - The rt dialect ------------------------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_RT_RT_H
#define PCC_DIALECTS_RT_RT_H

#include "dialects/Dist/Dist.h"
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

/// Marks a function as a kernel: the body of an `rt.launch`.
inline constexpr llvm::StringLiteral kKernelAttr = "rt.kernel";
/// On a result of a kernel: the argument whose buffer it may overwrite.
inline constexpr llvm::StringLiteral kInplaceAttr = "rt.inplace";
/// On a lowered kernel: how many units of work it has, and how many of them
/// are worth a thread.
inline constexpr llvm::StringLiteral kUnitsAttr = "rt.units";
inline constexpr llvm::StringLiteral kGrainAttr = "rt.grain";

/// On a sum of two values of a body: the second is a product, or what ranks
/// reduce, which is added where the first lies as it is made.
inline constexpr llvm::StringLiteral kAddsInPlaceAttr = "rt.adds_in_place";

/// On a function, and on its calls: a product and what the library makes with
/// it, its epilogue (see passes/Codegen/Kernels/Product.h).
inline constexpr llvm::StringLiteral kEpilogueAttr = "rt.epilogue";

/// On an op of a body, an array<i64>: which value each of its accesses (see
/// getAccesses) means, as numbers of the body; -1 where a buffer holds several.
/// On a body: which values its arguments hold at its begin, -1 for none, then
/// at its end.
inline constexpr llvm::StringLiteral kValuesAttr = "rt.values";
/// On a body, a list: how the value of each number lies, a sharding or, where
/// nobody asks, a unit.
inline constexpr llvm::StringLiteral kLayoutsAttr = "rt.layouts";
/// On a body, an array<i64> of triples: a value, the one that it is elements
/// of, as a reshape or selection is, and how many of that lie before its first.
inline constexpr llvm::StringLiteral kViewsAttr = "rt.views";
/// On an all_reduce of a buffer that holds several values, an array<i64> of
/// pairs: a value that it holds before, and what this is afterwards.
inline constexpr llvm::StringLiteral kPartsAttr = "rt.parts";

/// Whether ranks that differ in some axes do an op together.
bool isCollective(mlir::Operation *op);

/// The stream of an op that can be on another than the compute stream, and of
/// every other op that stream's number, 0.
int64_t getStream(mlir::Operation *op);

/// Names of the entry points of a stage.
inline constexpr llvm::StringLiteral kTrainEntry = "train";
inline constexpr llvm::StringLiteral kEvaluateEntry = "evaluate";
inline constexpr llvm::StringLiteral kForwardEntry = "forward";
inline constexpr llvm::StringLiteral kEntries[] = {kTrainEntry, kEvaluateEntry,
                                                   kForwardEntry};

/// Bytes of one element as it lies in memory.
int64_t getElementBytes(mlir::Type element);

/// Bytes from a buffer's first element to behind its last one.
int64_t getSpanBytes(mlir::MemRefType type);

/// Whether ops may name this memory: at least one element, each an integer or
/// a float, extents and strides known and not negative, the first element
/// where the buffer begins.
bool isBuffer(mlir::MemRefType type);

/// Whether the elements lie row major without holes.
bool isContiguous(mlir::MemRefType type);

/// Whether the elements of a row of the last dim follow each other, and rows
/// begin at multiples of 16 bytes behind the first.
bool hasAlignedRows(mlir::MemRefType type);

/// Whether two buffers of one memory, from bytes on, have no byte in common
/// although they may lie between each other: rows at one distance, which the
/// others' miss.
bool areInterleaved(mlir::MemRefType type, int64_t begin,
                    mlir::MemRefType other, int64_t otherBegin);

/// The strides of a buffer's dims, in elements.
llvm::SmallVector<int64_t> getStrides(mlir::MemRefType type);

/// A buffer that an op reads or writes.
struct Access {
  /// An operand of the op, of memref type.
  mlir::Value buffer;
  /// Whether the op writes it; one that does both has two accesses.
  bool isWrite;
};

/// The buffer that a value is a view of, through views of views; itself if it
/// is none.
mlir::Value getWhole(mlir::Value buffer);

/// The gradients of a stage, and the buckets that these lie in: they hold
/// nothing as an entry point begins.
llvm::DenseSet<mlir::Operation *> findGradients(StageOp stage);

/// By row of a stage of which a rank keeps a part where the row lies, that
/// part: it alone is there as an entry point begins.
llvm::DenseMap<mlir::Operation *, BufferOp> findParts(StageOp stage);

/// The buffers of a stage that hold nothing as an entry point begins, though
/// others of their kind do: copies of parameters of which a rank keeps a part,
/// and the rows that they lie in.
llvm::DenseSet<mlir::Operation *> findGathered(StageOp stage);

/// The buffers of a stage that hold nothing as an entry point begins and are
/// placed by when they hold something: gradients, what is gathered, and the
/// buckets that these lie in.
llvm::DenseSet<mlir::Operation *> findRenewed(StageOp stage);

/// The row of one microbatch's gradients that a buffer of their stage adds up;
/// null if it adds up none.
BufferOp rowSummedIn(BufferOp buffer, const mlir::SymbolTable &symbols);

/// What an op of an `rt.func` does to memory; reads come first. Not for
/// `rt.call`, which does what the callee does.
llvm::SmallVector<Access> getAccesses(mlir::Operation *op);

} // namespace pcc::rt

#endif // PCC_DIALECTS_RT_RT_H
