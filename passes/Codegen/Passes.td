//===- Passes.td - From schedules to machine code ----------*- tablegen -*-===//

#ifndef PCC_PASSES_CODEGEN
#define PCC_PASSES_CODEGEN

include "mlir/Pass/PassBase.td"

def RTSplitAccumulatePass : Pass<"rt-split-accumulate", "::mlir::ModuleOp"> {
  let summary = "Adds terms that can be added in place one by one";
  let description = [{
    Where a body adds up what goes into the place of an argument, contractions,
    the gradients of embeddings and what is reduced over ranks become sums of
    their own, as soon as they are made, and the rest one: a product is added to
    its gradient by the library, an embedding's rows by their kernel, and a
    reduced sum as it comes in, without memory of their own.
    The gradients of a tied table are such a sum. Runs before kernels are
    formed. Without `scatters` the library does not add what ranks reduce: that
    is one of the rest.
  }];
  let options = [
    Option<"scatters", "scatters", "bool", "true",
           "The library adds what a reduce_scatter makes to a sum">];
  let dependentDialects = ["::pcc::nn::NNDialect"];
}

def RTFormEpiloguesPass : Pass<"rt-form-epilogues", "::mlir::ModuleOp"> {
  let summary = "Has the library of products do what follows them";
  let description = [{
    A contraction and what can be made of its result before it is stored become
    a private function with `rt.epilogue`, which is called in their place: the
    sum with a bias or another value, gelu (tanh) of it, with a second result
    if it is needed what gelu is taken of, the gradient of gelu; or the sum of
    one of its factors over what the product sums over, which is the gradient of
    a bias beside that of its weight. Where an elementwise result and a product
    of 16 bits meet, both are made in f32 and rounded once.

    Each is tried on a copy of the body, of which kernels are formed, and kept
    if these and the products then read and write less, or are fewer and read
    and write no more. What gelu is taken of by the error function stays a
    kernel's, as does the sum over a factor beside a product that is rounded to
    16 bits: it would be, too. A product of which ranks have parts of a sum gets
    no bias.

    Runs behind `--rt-split-accumulate`, whose sums the library makes already,
    ahead of `--rt-form-kernels`, with its option.
  }];
  let options = [
    Option<"partialSums", "partial-sums", "int64_t", "0",
           "As --rt-form-kernels has it">];
  let dependentDialects = ["::pcc::nn::NNDialect", "::pcc::rt::RTDialect",
                           "::mlir::func::FuncDialect"];
}

def RTLowerPass : Pass<"rt-lower", "::mlir::ModuleOp"> {
  let summary = "Turns tasks and schedules into one rt program per stage";
  let description = [{
    Contractions, and calls of functions with `rt.epilogue`, which disappear,
    become `rt.gemm`, straight into the gradient they accumulate into, and a `dist.reduce_scatter` that goes into a sum adds to that; calls of
    kernels become launches, in place where the kernel allows it
    and the old value is dead; reshapes and contiguous parts are views;
    collectives become transfers. Every other op is made a kernel of its own.
    Then offsets are assigned as `--rt-plan` does, and adjacent reductions of
    adjacent buffers become one. Loops stay loops; a value of which more than one
    instance lives at a time gets slots that these take in turn.

    With `overlap` transfers and bodies that only communicate go on streams
    before that, as `--rt-streams` says, and what is transferred has a slot more, so that the next one can be made or
    come meanwhile.
  }];
  let options = [
    Option<"overlap", "overlap", "bool", "false",
           "Transfer while the stage computes">];
  let dependentDialects = ["::pcc::rt::RTDialect", "::pcc::nn::NNDialect",
                           "::mlir::func::FuncDialect"];
}

def RTStreamsPass : Pass<"rt-streams", "::mlir::ModuleOp"> {
  let summary = "Puts messages on streams and orders all streams by events";
  let description = [{
    Sends and receives of an entry point go on streams of their own, one for
    each channel, other stage and direction, and functions that do nothing but
    collectives over the same axes on one for these, with the kernels that add
    what a reduce_scatter of theirs has made to a sum; exchanges, which are waited
    for at once, stay on the compute stream, and so does all else. Then
    operations of different streams that use a buffer are ordered by events:
    what an operation needs is recorded and waited for ahead of it, and an
    operation that is not on the compute stream is waited for ahead of the next
    one that its buffers are used by. At the end of an entry point all streams
    are waited for. Buffers must not share memory yet: `--rt-plan` runs
    afterwards.
  }];
}

def RTPlanPass : Pass<"rt-plan", "::mlir::ModuleOp"> {
  let summary = "Assigns offsets in frames and in the arena";
  let description = [{
    Temporaries share the frame of their function where their lives do not
    overlap. Parameters, state and gradients (one after the other) have places
    of their own in the arena; inputs, outputs, values and the frames of calls
    share the rest of it: each lives from the call or transfer that writes it
    first, inputs from the beginning, to the last that reads it, outputs to the
    end.

    Where the arena would be more than a fiftieth larger than what is alive at
    once, slots of values and frames of calls lie each by themselves, and if that
    is not enough, so do rows each time that they are filled: these get slots,
    and in a loop addresses of them may take turns with some.
  }];
}

def RTFormGraphsPass : Pass<"rt-form-graphs", "::mlir::ModuleOp"> {
  let summary = "Divides entry points into graphs that are launched as a whole";
  let description = [{
    A loop is a graph of as many turns as it takes until all that takes turns is
    at the same slots again, if there are two such graphs' turns at least; what
    is left of them becomes a loop behind it. All between such loops is one
    graph. So there are as many graphs for any number of layers and of
    microbatches. What a graph's ops name is named in that graph: places of the
    arena and events are named again where they were named in another one.
  }];
  let dependentDialects = ["::pcc::rt::RTDialect"];
}

def RTVerifyPass : Pass<"rt-verify", "::mlir::ModuleOp"> {
  let summary = "Proves that buffers hold what is read from them";
  let description = [{
    Follows every entry point step by step and keeps for each byte of the
    arena the buffer that last wrote it. What is read must belong to the
    buffer that is named; an op's outputs must not overlap its inputs unless
    it is in place, and its kernel allows that; launches give their kernels
    what they take; offsets must be aligned and within the arena; what the
    next step needs is intact at the end. Tasks that say which values their ops
    mean, as `--rt-lower` has them do, are run on memory that holds these: no
    op may find an older or a newer value than it means, or another part of
    one; a collective's kind, reduction and axes must follow from how the values
    before and after it lie. From one task to the next what a buffer holds must
    be whole, or in parts of a sum over the same axes, and split as the buffer
    says, as the task takes it.
    Every value that is read must be that of the microbatch which its address
    names, one for all that a call takes, and both stages of a transfer must
    mean the same. Where there are streams, vector clocks show that every two
    accesses to a byte of which one writes are ordered by events, whatever entry
    point follows which. Graphs have all of an entry point's ops, and each launch
    of one does the same to the same slots. The library makes gradients of
    attention that it made itself, and of the same one. Last, stages run against each other: their messages and
    the collectives across stages must meet, each begun in program order, for
    there must be one order of all that no stage departs from. Of a loop, turns are left out once they
    leave the arena as they found it.
  }];
}

def RTToLLVMPass : Pass<"rt-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turns stages into functions and the program's description";
  let description = [{
    Entry points and tasks become functions of the context and the arena that
    call runtime/Runtime.h; the constant `pcc_the_program` describes everything
    as runtime/Program.h says. Kernels must be lowered before.
  }];
  let options = [
    Option<"forgets", "forgets", "bool", "false",
           "Call pcc_forget for buffers that are released, and for temporaries "
           "ahead of their first use">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // PCC_PASSES_CODEGEN
