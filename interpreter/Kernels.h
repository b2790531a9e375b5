//===- Kernels.h - The semantics of every op --------------------*- C++ -*-===//
//
// The table of the ops' semantics: one small function (kernel) per op, by op
// name. A kernel reads the operands and fills the results, which are initially
// zero and have their declared shape. The caller then rounds them to their
// element type. If an op's verifier does not relate all shapes, the kernel
// checks them, so that a wrong partition is an error instead of an
// out-of-bounds read.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_KERNELS_H
#define PCC_INTERPRETER_KERNELS_H

#include "dialects/NN/NN.h"
#include "interpreter/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace pcc::interp {

/// The operands of an op on one rank, accessed by the op's accessors.
class Args {
public:
  /// `values` has one entry per operand of `op`, null if the operand is absent.
  /// Both must outlive this.
  Args(mlir::Operation *op, llvm::ArrayRef<TensorRef> values)
      : op(op), values(values) {}
  const Tensor &operator[](mlir::Value operand) const { return *find(operand); }
  /// The value of an operand; null for an absent optional one.
  const Tensor *find(mlir::Value operand) const;
  const Tensor &operator[](unsigned i) const { return *values[i]; }
  /// The number of operands.
  size_t size() const { return values.size(); }
  /// Element 0 of an optional integer operand; 0 if it is absent.
  int64_t scalarOr0(mlir::Value operand) const;

private:
  mlir::Operation *op;
  llvm::ArrayRef<TensorRef> values;
};

/// The results of an op on one rank, initially zero.
using Results = llvm::MutableArrayRef<Tensor>;
/// Computes an op on one rank. On failure, an error was emitted at the op.
using Kernel = std::function<mlir::LogicalResult(mlir::Operation *,
                                                 const Args &, Results)>;

/// The kernels of all nn ops without side effects, by op name.
class KernelTable {
public:
  KernelTable();
  /// The kernel of an op; null if it has none.
  const Kernel *find(llvm::StringRef name) const;

  /// Adds the kernel of op OpT.
  template <typename OpT>
  void add(mlir::LogicalResult (*run)(OpT, const Args &, Results)) {
    kernels[OpT::getOperationName()] = [run](mlir::Operation *op,
                                             const Args &in, Results out) {
      return run(mlir::cast<OpT>(op), in, out);
    };
  }

private:
  llvm::StringMap<Kernel> kernels;
};

/// Each adds the kernels of a group of ops; KernelTable's constructor calls
/// all.
void addElementwiseKernels(KernelTable &table);
void addShapeKernels(KernelTable &table);
void addContractKernels(KernelTable &table);
void addNormKernels(KernelTable &table);
void addAttentionKernels(KernelTable &table);
void addMaskedSoftmaxKernels(KernelTable &table);
void addEmbeddingKernels(KernelTable &table);
void addExpertKernels(KernelTable &table);
void addRoutingKernels(KernelTable &table);
void addRandomKernels(KernelTable &table);
void addLossKernels(KernelTable &table);
void addOptimizerKernels(KernelTable &table);

/// Returns the index in an attention's bias of the entry for a score.
int64_t biasIndex(const Tensor &bias, int64_t b, int64_t h, int64_t s,
                  int64_t t);

/// The operands of a grouped product; see nn.grouped_contract.
enum class GroupedForm { Transposed, Plain, Sums };

/// Adds the products of a group's rows, `begin` to `end`, to `c`.
void addGroupProducts(GroupedForm form, int64_t group, int64_t begin,
                      int64_t end, const Tensor &a, const Tensor &b, Tensor &c);

/// Emits an error at the op unless the value has this shape.
mlir::LogicalResult requireShape(mlir::Operation *op, llvm::StringRef what,
                                 const Tensor &value,
                                 llvm::ArrayRef<int64_t> shape);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_KERNELS_H
