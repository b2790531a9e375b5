//===- GroupedKernel.h - Kernels of grouped contractions --------*- C++ -*-===//
//
// On devices an `nn.grouped_contract` is a kernel. A gradient may be
// accumulated by it, in the memory of the old value:
//
//     %g = nn.grouped_contract "rn,rk->enk" %a, %b ends %ends {rt.by_tiles}
//     %r = nn.reshape %g
//     %s = nn.sum %before, %r
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_GROUPED_GROUPEDKERNEL_H
#define PCC_PASSES_CODEGEN_KERNELS_GROUPED_GROUPEDKERNEL_H

#include "passes/Codegen/Kernels/Emit.h"

namespace pcc::codegen {

/// On an `nn.grouped_contract` that a kernel computes, not the library.
inline constexpr llvm::StringLiteral kByTilesAttr = "rt.by_tiles";

/// Whether a kernel computes a grouped contraction.
bool isByTiles(nn::GroupedContractOp op);

/// The sum over rows that a kernel computes and that is, through reshapes, a
/// value without other uses: the kernel can add it in place. Else null.
nn::GroupedContractOp findTiledSum(mlir::Value value);

/// The grouped contraction among ops; else null.
nn::GroupedContractOp findGrouped(llvm::ArrayRef<mlir::Operation *> ops);
/// The grouped contraction of a kernel on tensors; else null.
nn::GroupedContractOp findGrouped(mlir::func::FuncOp kernel);

/// The ops of a kernel with a grouped contraction. Values are the kernel's
/// arguments and its result.
struct GroupedKernel {
  nn::GroupedContractOp op;
  mlir::Value lhs, rhs, ends, result;
  /// The value that the contraction is added to; null: none.
  mlir::Value before;

  /// Whether the result may be in the memory of an argument.
  bool mayReuse(mlir::Value argument) const {
    return argument == before && before != lhs && before != rhs;
  }

  /// Returns none if the ops are no such kernel; `why` gets the reason.
  static std::optional<GroupedKernel>
  find(llvm::ArrayRef<mlir::Operation *> ops,
       llvm::ArrayRef<mlir::Value> arguments,
       llvm::ArrayRef<mlir::Value> results, std::string *why = nullptr);
  /// That of a kernel on tensors, which must be one.
  static GroupedKernel of(mlir::func::FuncOp kernel);
};

/// The sizes of a grouped contraction.
struct GroupedSizes {
  /// Reads them from the types of the op.
  explicit GroupedSizes(nn::GroupedContractOp op);

  /// The contraction; see `nn.grouped_contract`.
  enum Form {
    Transposed, ///< "rk,enk->rn"
    Plain,      ///< "rn,enk->rk"
    Sums        ///< "rn,rk->enk"
  } form;
  int64_t rows, groups, n, k;

  /// Rows and columns of each group's result; with rows: of all groups.
  int64_t resultRows() const { return form == Sums ? n : rows; }
  int64_t resultColumns() const { return form == Transposed ? n : k; }
  /// The elements between rows of lhs; those of rhs, or of its matrices, have
  /// k.
  int64_t lhsStride() const { return form == Transposed ? k : n; }
  /// The most products that are added to a result.
  int64_t depth() const {
    return form == Transposed ? k : form == Plain ? n : rows;
  }
};

/// The buffers of a kernel with a grouped contraction, flat; `before` may be
/// null.
struct GroupedBuffers {
  mlir::Value lhs, rhs, ends, before, result;
  /// Finds them among the buffers of the kernel's function.
  GroupedBuffers(const GroupedKernel &kernel, mlir::ValueRange buffers);
};

/// The work items of a grouped contraction on a CPU: rows of the result.
int64_t countGroupedUnits(const GroupedSizes &sizes);
/// Builds one of them at the insertion point, by loops over single elements: a
/// reference for the tiles of devices. Programs for CPUs call the library.
void emitGroupedUnit(ScalarBuilder &b, const GroupedSizes &sizes,
                     const KernelChoices &choices, mlir::Value unit,
                     const GroupedBuffers &buffers);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_GROUPED_GROUPEDKERNEL_H
