//===- Passes.td - Kernels of all ops but contractions -----*- tablegen -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_PASSES
#define PCC_PASSES_CODEGEN_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def NNExpandAttentionPass
    : Pass<"nn-expand-attention", "::mlir::ModuleOp"> {
  let summary = "Expands attention into contractions and row ops";
  let description = [{
    Attention that neither tiles nor the library can compute is expanded:
    `nn.attention` into two contractions with `nn.masked_softmax` between them,
    `nn.attention_grad` into five with `nn.masked_softmax_grad`. The backward
    pass recomputes the scores; only lse is kept and, with a bias, the maximum
    scores.

    Attention computed by tiles stays an op, which becomes a kernel. CPU tiles
    accumulate dq in memory, so for bf16/fp16 gradients dq becomes f32 and a
    cast rounds it.

    Attention computed by a device's library stays an op, too, marked with
    `rt.by_library`. An attention and its gradient use the same backend, as each
    backend has stats of its own.
  }];
  let options = [
    Option<"library", "library", "std::string", "\"none\"",
           "Use of the library for attention: none, auto (where it can) or "
           "cudnn (an error where it cannot)">,
    Option<"all", "all", "bool", "false",
           "Expand attention that tiles or the library could compute, too">,
    Option<"onDevice", "on-device", "bool", "false",
           "Choose tiles for a device instead of a CPU">,
    ListOption<"chips", "chips", "int",
               "Compute capabilities of the device, besides the default">];
  let dependentDialects = ["::pcc::nn::NNDialect"];
}

def NNExpandExpertsPass : Pass<"nn-expand-experts", "::mlir::ModuleOp"> {
  let summary = "Expands experts into routed rows and grouped contractions";
  let description = [{
    `nn.experts` becomes `nn.route`, which orders the choices of tokens by
    expert, look-ups of rows, `nn.grouped_contract` for the products with the
    weights of each row's expert, and elementwise ops. `nn.experts_grad` routes
    again and computes the products with w1 again, as nothing routed is kept. A
    result without uses, such as the gradient of a frozen weight, is not
    computed.

    There are as many rows as choices may fall on the rank's experts: the number
    of tokens times the smaller of k and the number of experts.

    CPUs call a library for each group. With `tiles`, for devices, every
    `nn.grouped_contract` gets the attribute `rt.by_tiles`: it becomes a kernel
    of generated tiles, which reads the ends of groups on the device.
  }];
  let options = [
    Option<"tiles", "tiles", "bool", "false",
           "Compute grouped contractions by generated kernels, as on devices">];
  let dependentDialects = ["::pcc::nn::NNDialect"];
}

def RTFormKernelsPass : Pass<"rt-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Groups nn ops into kernel functions";
  let description = [{
    In every block with nn ops, all ops that are neither contractions nor
    collectives nor state move into private functions with `rt.kernel`, and
    calls replace them. Ops that share a space of rows form one kernel if no
    other op must run in between. Equal kernels share a function. A result
    attribute `rt.inplace = k` states that the result may reuse operand k's
    buffer.

    A sum that `--rt-split-accumulate` marks with `rt.adds_in_place` stays, as
    the library adds it. Attention that cuDNN computes stays, too, and so do
    zeros that a body returns. Reshapes, selects, slices and transposes that ops
    outside kernels read stay: they are aliases.

    A device that needs many work items requests them with `partial-sums`: a
    sum over rows is then computed in two steps, the first of which sums at
    least 32 rows at a time.
  }];
  let options = [
    Option<"partialSums", "partial-sums", "int64_t", "0",
           "Partial sums that the first of two steps of a sum over rows "
           "computes, if there are enough rows; 0: one step, as for CPUs">];
  let dependentDialects = ["::pcc::nn::NNDialect",
                           "::mlir::func::FuncDialect"];
}

def RTTileKernelsPass : Pass<"rt-tile-kernels", "::mlir::ModuleOp"> {
  let summary = "Lowers kernel functions to kernel IR: loops over work items";
  let description = [{
    Replaces each kernel function on tensors by an `scf.forall` over work items
    with `linalg.generic` on rows of flat memrefs; see Emit.h. Back ends choose
    the options; the defaults are for CPUs.
  }];
  let options = [
    Option<"accumulatorBits", "accumulator-bits", "unsigned", "64",
           "Bits in which floats are summed and multiplied: 32 or 64">,
    Option<"columnBlock", "column-block", "int64_t", "64",
           "Columns per work item of a sum over rows or of a scatter">,
    Option<"vectorLanes", "vector-lanes", "int64_t", "16",
           "Attention: f32 lanes of a vector, a power of two">,
    Option<"productRows", "product-rows", "int64_t", "8",
           "Attention: rows of a matrix product's register block">,
    Option<"productVectors", "product-vectors", "int64_t", "2",
           "Attention: vectors per row of a register block">,
    Option<"tileQueries", "tile-queries", "int64_t", "64",
           "Attention: queries per tile">,
    Option<"tileKeys", "tile-keys", "int64_t", "64",
           "Attention: keys per tile">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def RTVerifyKernelsPass : Pass<"rt-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "Verifies the assumptions of back ends about kernels";
  let description = [{
    After --rt-form-kernels:

    - Every op that --rt-form-kernels moves into kernels is in one; aliases may
      be outside.
    - The ops of a GEMM with an epilogue match its `rt.epilogue`, and it applies
      no bias or gelu to a partial sum.
    - Kernels hold nn ops only, and none that a GEMM or the library computes.
    - `rt.inplace` names an operand of the result's size that the row program
      allows to be reused.

    After --rt-tile-kernels: one forall over `rt.units`, temporaries on the
    stack within bounds, no allocation.
  }];
}

def RTLowerKernelsPass : Pass<"rt-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "Lowers kernel functions to LLVM functions for CPUs";
  let description = [{
    `@kernel(%args: !llvm.ptr, %begin: i64, %end: i64)`: args points to the
    operands' and then the results' buffers; [begin, end) are the work items to
    run. There are `rt.units` work items, `rt.grain` of which are worth a
    thread. Kernels on tensors are tiled first.
  }];
  let options = [
    Option<"vectorLanes", "vector-lanes", "int64_t", "16",
           "Attention: f32 lanes of the processor's vectors">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // PCC_PASSES_CODEGEN_KERNELS_PASSES
