//===- Dialect.td - The rt dialect -------------------------*- tablegen -*-===//

#ifndef PCC_RT_DIALECT
#define PCC_RT_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def RT_Dialect : Dialect {
  let name = "rt";
  let summary = "Execution on a rank: buffers, kernels, library calls, transfers";
  let description = [{
    One program per pipeline stage, which every rank of the stage executes. Each
    buffer is at a constant offset of the stage's arena. Buffers are memrefs of
    static shape. An op accesses memory through its operands only.
    `--rt-verify` proves that no buffer is overwritten while it is live.
  }];
  let cppNamespace = "::pcc::rt";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::pcc::dist::DistDialect", "::pcc::nn::NNDialect"];
}

def RT_BufferKind : I32EnumAttr<"BufferKind", "kind of a buffer's contents", [
    I32EnumAttrCase<"Bucket", 0, "bucket">,
    I32EnumAttrCase<"Part", 1, "part">,
    I32EnumAttrCase<"Param", 2, "param">,
    I32EnumAttrCase<"Copy", 3, "copy">,
    I32EnumAttrCase<"State", 4, "state">,
    I32EnumAttrCase<"Number", 5, "number">,
    I32EnumAttrCase<"Gradient", 6, "gradient">,
    I32EnumAttrCase<"Sum", 7, "sum">,
    I32EnumAttrCase<"Input", 8, "input">,
    I32EnumAttrCase<"Output", 9, "output">,
    I32EnumAttrCase<"Value", 10, "value">,
    I32EnumAttrCase<"Frame", 11, "frame">]> {
  let cppNamespace = "::pcc::rt";
  let genSpecializedAttr = 0;
}
def RT_BufferKindAttr : EnumAttr<RT_Dialect, RT_BufferKind, "kind"> {
  let assemblyFormat = "`` $value";
}

def RT_Reduction : I32EnumAttr<"Reduction", "reduction over ranks", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">]> {
  let cppNamespace = "::pcc::rt";
  let genSpecializedAttr = 0;
}
def RT_ReductionAttr : EnumAttr<RT_Dialect, RT_Reduction, "reduction"> {
  let assemblyFormat = "`` $value";
}

def RT_GroupedForm : I32EnumAttr<"GroupedForm", "form of a grouped GEMM", [
    I32EnumAttrCase<"Transposed", 0, "nt">,
    I32EnumAttrCase<"Plain", 1, "nn">,
    I32EnumAttrCase<"Sums", 2, "tn">]> {
  let cppNamespace = "::pcc::rt";
  let genSpecializedAttr = 0;
}
def RT_GroupedFormAttr : EnumAttr<RT_Dialect, RT_GroupedForm, "grouped_form"> {
  let assemblyFormat = "`` $value";
}

def RT_Epilogue : I32EnumAttr<"Epilogue", "GEMM epilogue", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Bias", 1, "bias">,
    I32EnumAttrCase<"Gelu", 2, "gelu">,
    I32EnumAttrCase<"GeluGrad", 3, "gelu_grad">,
    I32EnumAttrCase<"SumA", 4, "sum_a">,
    I32EnumAttrCase<"SumB", 5, "sum_b">]> {
  let cppNamespace = "::pcc::rt";
  let genSpecializedAttr = 0;
}
def RT_EpilogueAttr : EnumAttr<RT_Dialect, RT_Epilogue, "epilogue"> {
  let assemblyFormat = "`<` $value `>`";
}

def RT_LayoutAttr : AttrDef<RT_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "The global shape and sharding of a buffer";
  let description = [{
    Global extents (padding included) and, for each dim, the names of the mesh
    axes that it is sharded over, major to minor.
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape,
                        "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` $shape `,` $axes `>`";
  let genVerifyDecl = 1;
}

def RT_Event : TypeDef<RT_Dialect, "Event"> {
  let mnemonic = "event";
  let summary = "An instance of an event of the stage";
}

class RT_Pair<string value> : DefaultValuedParameter<
    "::mlir::DenseI64ArrayAttr",
    "::mlir::DenseI64ArrayAttr::get($_ctxt, {" # value # ", " # value # "})">;
class RT_Scalar<string value> : DefaultValuedParameter<"::mlir::FloatAttr",
    "::mlir::Builder($_ctxt).getF32FloatAttr(" # value # ")">;

def RT_GemmAttr : AttrDef<RT_Dialect, "Gemm"> {
  let mnemonic = "gemm";
  let summary = "The shape of a strided batched GEMM";
  let description = [{
    C = alpha op(A) op(B) + beta C, row major; with `trans_a` the stored A is
    [k, m], with `trans_b` the stored B is [n, k]. `batch` holds the extents of
    two batch dims; `a`, `b` and `c` hold the strides of A, B and C along these
    dims. All strides and leading dimensions are in elements.
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k,
    DefaultValuedParameter<"bool", "false">:$trans_a,
    DefaultValuedParameter<"bool", "false">:$trans_b,
    "int64_t":$lda, "int64_t":$ldb, "int64_t":$ldc,
    RT_Pair<"1">:$batch, RT_Pair<"0">:$a, RT_Pair<"0">:$b, RT_Pair<"0">:$c,
    RT_Scalar<"1">:$alpha, RT_Scalar<"0">:$beta);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // PCC_RT_DIALECT
