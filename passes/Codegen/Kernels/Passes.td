//===- Passes.td - Kernels of the non-contraction ops ------*- tablegen -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_PASSES
#define PCC_PASSES_CODEGEN_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def NNExpandAttentionPass
    : Pass<"nn-expand-attention", "::mlir::ModuleOp"> {
  let summary = "Attention as contractions and row ops";
  let description = [{
    Where no tiles can make it, `nn.attention` becomes two
    contractions with `nn.masked_softmax` between them, `nn.attention_grad`
    five with `nn.masked_softmax_grad`. The scores are computed again in the
    backward pass; only lse is kept. What is made by tiles stays an op, which
    becomes a kernel; of 16-bit gradients dq becomes f32 for CPUs, as their tiles
    add it up in memory, and a cast rounds it. What a device's library makes
    stays an op, too, marked with `rt.by_library`; an attention and its gradient
    have one maker, as each has stats of its own.
  }];
  let options = [
    Option<"library", "library", "std::string", "\"none\"",
           "Whether the library makes attention: none, auto (where it can) or "
           "cudnn (an error where it cannot)">,
    Option<"all", "all", "bool", "false",
           "Expand what could be made by tiles, too">,
    Option<"onDevice", "on-device", "bool", "false",
           "Keep what a device makes by tiles, not what a CPU does">,
    ListOption<"chips", "chips", "int",
               "GPUs that a device may be, by number, beside the default">];
  let dependentDialects = ["::pcc::nn::NNDialect"];
}

def RTFormKernelsPass : Pass<"rt-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Groups nn ops into kernel functions";
  let description = [{
    In every block with nn ops, all that are neither contractions nor
    collectives nor state move into private functions with `rt.kernel`, which
    are called in their place. Ops that share a space of rows are one kernel
    where nothing else must run in between. Equal kernels are one function. A
    result attribute `rt.inplace = k` says that the result may lie in operand
    k's buffer. A sum that `--rt-split-accumulate` marks with `rt.adds_in_place`
    stays, for the library adds it. Reshapes outside kernels stay: they are
    aliases.

    A device that needs many units asks for them by `partial-sums`: a sum over
    rows is then made in two steps, the first of sums of some tens of rows or
    more.
  }];
  let options = [
    Option<"partialSums", "partial-sums", "int64_t", "0",
           "Sums that the first of two steps of a sum over rows makes, if there "
           "are rows enough; 0: one step, as for CPUs">];
  let dependentDialects = ["::pcc::nn::NNDialect",
                           "::mlir::func::FuncDialect"];
}

def RTTileKernelsPass : Pass<"rt-tile-kernels", "::mlir::ModuleOp"> {
  let summary = "Kernel functions as loops over units: the kernel IR";
  let description = [{
    Replaces each kernel function on tensors by `scf.forall` over units with
    `linalg.generic` on rows of flat memrefs; see Emit.h. The options are what a
    back end chooses; unless given, as for CPUs.
  }];
  let options = [
    Option<"accumulatorBits", "accumulator-bits", "unsigned", "64",
           "Bits that sums and products of floats are made in: 32 or 64">,
    Option<"columnBlock", "column-block", "int64_t", "64",
           "Columns that a unit of a sum over rows or of a scatter takes">,
    Option<"vectorLanes", "vector-lanes", "int64_t", "16",
           "Attention: f32 numbers of a vector, a power of two">,
    Option<"productRows", "product-rows", "int64_t", "8",
           "Attention: rows of a product's block in registers">,
    Option<"productVectors", "product-vectors", "int64_t", "2",
           "Attention: vectors of each of these rows">,
    Option<"tileQueries", "tile-queries", "int64_t", "64",
           "Attention: queries of a tile">,
    Option<"tileKeys", "tile-keys", "int64_t", "64",
           "Attention: keys of a tile">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def RTVerifyKernelsPass : Pass<"rt-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "Checks what back ends assume of kernels";
  let description = [{
    After --rt-form-kernels: every compute op is in a kernel, a contraction or
    a collective; a product with an epilogue holds what its `rt.epilogue` says,
    and adds no bias to a part of a sum; kernels hold pure nn ops only, are
    called with tensors only, and `rt.inplace` names an operand of the result's size that the row program
    allows. After --rt-tile-kernels: one forall over `rt.units`, temporaries on
    the stack within bounds, no allocation.
  }];
}

def RTLowerKernelsPass : Pass<"rt-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "Kernel functions as LLVM functions for CPUs";
  let description = [{
    `@kernel(%args: !llvm.ptr, %begin: i64, %end: i64)`: args points to the
    operands' and then the results' buffers, [begin, end) are the units to do;
    there are `rt.units` of them, `rt.grain` of which are worth a thread.
    Kernels on tensors are tiled first.
  }];
  let options = [
    Option<"vectorLanes", "vector-lanes", "int64_t", "16",
           "Attention: f32 numbers of the processor's vectors">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // PCC_PASSES_CODEGEN_KERNELS_PASSES
