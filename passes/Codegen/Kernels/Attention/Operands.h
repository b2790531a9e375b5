//===- Operands.h - Operands in memory --------------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_OPERANDS_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_OPERANDS_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace pcc::codegen {

/// A value as a strided view of another value's row-major memory.
struct Strided {
  /// The value that owns the memory.
  mlir::Value root;
  /// In elements.
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 5> strides;
};

/// The strided view of a value in the memory of one of `roots` or of a
/// constant, through ops that only move elements. None if there are no such
/// strides.
std::optional<Strided> findStrided(mlir::Value value,
                                   llvm::ArrayRef<mlir::Value> roots);

/// An operand in the kernel IR.
struct Operand {
  mlir::Value buffer; ///< flat
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 5> strides;

  /// Whether it is present.
  explicit operator bool() const { return static_cast<bool>(buffer); }
};
/// By the op's value.
using OperandMap = llvm::DenseMap<mlir::Value, Operand>;

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_OPERANDS_H
