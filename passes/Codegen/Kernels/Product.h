//===- Product.h - Products of the library, and their epilogues -*- C++ -*-===//
//
// Between two products of the library are kernels. A device's library can do
// some of what they do on its way, while a result is in registers yet: its
// epilogues. Such a product is a call of a function, which holds the ops that
// it stands for, as a kernel's does:
//
//     %g:2 = func.call @product_0_gelu(%x, %w, %b) {rt.epilogue = <gelu>}
//
//     func.func private @product_0_gelu(%x, %w, %b)
//         attributes {rt.epilogue = <gelu>} {
//       %p = nn.contract "bsk,kn->bsn" %x, %w
//       %r = nn.broadcast %b [2]
//       %s = nn.sum %p, %r
//       %g = nn.gelu tanh %s
//       return %g, %s
//     }
//
// What each kind may hold is what `rt.gemm` says of it, on tensors:
//
//   none       sum of the product and a value
//   bias       sum of the product, a bias repeated along leading dims and
//              perhaps a value
//   gelu       gelu tanh of the product or of its sum with a bias; second
//              result, if something needs it: what gelu is taken of
//   gelu_grad  gelu_grad tanh of the product, at an argument
//   sum_a      the product; second result: its lhs, perhaps widened, reduced
//   sum_b      over the labels that the product sums over; its rhs
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_PRODUCT_H
#define PCC_PASSES_CODEGEN_KERNELS_PRODUCT_H

#include "dialects/NN/NN.h"
#include "dialects/RT/RT.h"

namespace pcc::codegen {

/// A contraction, or a call of one with its epilogue: operands and results are
/// the op's. What there is none of is null.
struct Product {
  /// Labels and types; of a call that of the function.
  nn::ContractOp contract;
  rt::Epilogue epilogue = rt::Epilogue::None;
  mlir::Value lhs, rhs;
  /// What is read beside: a bias, what gelu was taken of, what is added.
  mlir::Value bias, before, added;
  mlir::OpResult result;
  /// What is made beside: sums, what gelu is taken of.
  mlir::OpResult sums, kept;

  /// Whether it is a contraction alone.
  bool isPlain() const { return result.getOwner() == contract; }
};

/// Whether an op is the library's: a contraction, alone or with its epilogue.
bool isProduct(mlir::Operation *op);

/// Whether the library may add a product to what is in the place of its result:
/// a contraction, alone or with sums beside it.
bool mayAccumulate(mlir::Operation *op);

/// What a product consists of; an op of another kind is none.
std::optional<Product> readProduct(mlir::Operation *op);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_PRODUCT_H
