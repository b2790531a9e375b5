//===- Dialect.td - The nn dialect -------------------------*- tablegen -*-===//

#ifndef PCC_NN_DIALECT
#define PCC_NN_DIALECT

include "mlir/IR/OpBase.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let summary = "What is computed: tensor operations on static global shapes";
  let description = [{
    A program of one device's semantics, closed under differentiation. Values
    are ranked tensors of static shape. Parameters, gradients and optimizer
    state are module-level symbols (`nn.param`, `nn.state`) that functions read
    and write by name; the names are the source model's.

    Reductions over dimensions (contract, reduce, norms, softmax, losses)
    accumulate in f32 at least; the result is rounded once.
  }];
  let cppNamespace = "::pcc::nn";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

/// Any tensor the dialect computes with.
def NN_Tensor : StaticShapeTensorOf<[F16, BF16, F32, F64, I1, I8, I16, I32,
                                     I64]>;
def NN_Float : StaticShapeTensorOf<[F16, BF16, F32, F64]>;
def NN_Int : StaticShapeTensorOf<[I1, I8, I16, I32, I64]>;
def NN_F32 : StaticShapeTensorOf<[F32]>;

#endif // PCC_NN_DIALECT
