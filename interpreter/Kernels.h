//===- Kernels.h - What every op does to its operands -----------*- C++ -*-===//
//
// One small function per op, in a table keyed by op name. A kernel reads the
// operands and fills the results, which it finds zeroed and of their declared
// shape; the caller rounds them to their element type afterwards. Ops whose
// verifier does not relate all shapes have that done by their kernel, so that
// a wrong partition is an error and not a wild read.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_KERNELS_H
#define PCC_INTERPRETER_KERNELS_H

#include "dialects/NN/NN.h"
#include "interpreter/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace pcc::interp {

/// The operands of one op on one rank, found by the op's accessors.
class Args {
public:
  /// `values`: one per operand of `op`, null for none. Both must outlive this.
  Args(mlir::Operation *op, llvm::ArrayRef<TensorRef> values)
      : op(op), values(values) {}
  const Tensor &operator[](mlir::Value operand) const { return *find(operand); }
  /// The value of an operand; null for an optional one that is absent.
  const Tensor *find(mlir::Value operand) const;
  const Tensor &operator[](unsigned i) const { return *values[i]; }
  /// The number of operands.
  size_t size() const { return values.size(); }
  /// Element 0 of an optional integer operand, 0 where absent.
  int64_t scalarOr0(mlir::Value operand) const;

private:
  mlir::Operation *op;
  llvm::ArrayRef<TensorRef> values;
};

/// The results of an op on one rank: zeros of their types, to be filled.
using Results = llvm::MutableArrayRef<Tensor>;
/// Computes an op on one rank; a failure has been emitted at the op.
using Kernel = std::function<mlir::LogicalResult(mlir::Operation *,
                                                 const Args &, Results)>;

/// The kernels of all ops without effects, by op name.
class KernelTable {
public:
  KernelTable();
  /// The kernel of an op; null if it has none.
  const Kernel *find(llvm::StringRef name) const;

  /// Adds the kernel of an op, given as a function of its own class.
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

/// Add the kernels of a group of ops each; KernelTable's constructor calls all.
void addElementwiseKernels(KernelTable &table);
void addShapeKernels(KernelTable &table);
void addContractKernels(KernelTable &table);
void addNormKernels(KernelTable &table);
void addAttentionKernels(KernelTable &table);
void addMaskedSoftmaxKernels(KernelTable &table);
void addEmbeddingKernels(KernelTable &table);
void addRandomKernels(KernelTable &table);
void addLossKernels(KernelTable &table);
void addOptimizerKernels(KernelTable &table);

/// Where the bias of an attention has the entry of a score.
int64_t biasIndex(const Tensor &bias, int64_t b, int64_t h, int64_t s,
                  int64_t t);

/// An error on the op unless the value has this shape.
mlir::LogicalResult requireShape(mlir::Operation *op, llvm::StringRef what,
                                 const Tensor &value,
                                 llvm::ArrayRef<int64_t> shape);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_KERNELS_H
