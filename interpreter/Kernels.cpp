//===- Kernels.cpp - The table of kernels ---------------------------------===//

#include "interpreter/Kernels.h"

using namespace mlir;
using namespace pcc::interp;

const Tensor *Args::find(Value operand) const {
  if (!operand)
    return nullptr;
  for (auto [i, value] : llvm::enumerate(op->getOperands()))
    if (value == operand)
      return values[i].get();
  return nullptr;
}

int64_t Args::scalarOr0(Value operand) const {
  const Tensor *value = find(operand);
  return value ? value->integer[0] : 0;
}

KernelTable::KernelTable() {
  addElementwiseKernels(*this);
  addShapeKernels(*this);
  addContractKernels(*this);
  addNormKernels(*this);
  addAttentionKernels(*this);
  addMaskedSoftmaxKernels(*this);
  addEmbeddingKernels(*this);
  addExpertKernels(*this);
  addRoutingKernels(*this);
  addRandomKernels(*this);
  addLossKernels(*this);
  addOptimizerKernels(*this);
}

const Kernel *KernelTable::find(StringRef name) const {
  auto it = kernels.find(name);
  return it == kernels.end() ? nullptr : &it->second;
}

LogicalResult pcc::interp::requireShape(Operation *op, StringRef what,
                                        const Tensor &value,
                                        ArrayRef<int64_t> shape) {
  if (value.shape() == shape)
    return success();
  return op->emitOpError() << what << " is " << value.type << ", expected ["
                           << shape << "]";
}
