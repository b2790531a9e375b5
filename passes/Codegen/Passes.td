//===- Passes.td - From schedules to machine code ----------*- tablegen -*-===//

#ifndef PCC_PASSES_CODEGEN
#define PCC_PASSES_CODEGEN

include "mlir/Pass/PassBase.td"

def RTSplitAccumulatePass : Pass<"rt-split-accumulate", "::mlir::ModuleOp"> {
  let summary = "Splits sums so that terms are accumulated in place one by one";
  let description = [{
    Splits an `nn.sum` whose result goes into an argument's buffer, such as a
    gradient. Each contraction, embedding gradient and `dist.reduce_scatter`
    among its terms gets an `nn.sum` of its own right after its op, as does a
    single remaining term. Several remaining terms stay one sum, at the end of
    the body:

    ```mlir
    %s = nn.sum %grad, %gemm0, %gemm1, %x, %y
    // becomes
    %s0 = nn.sum %grad, %gemm0      // a GEMM with beta = 1
    %s1 = nn.sum %s0, %gemm1        // likewise
    %s = nn.sum %s1, %x, %y         // a kernel
    ```

    A GEMM then accumulates into the gradient, a kernel adds the rows of an
    embedding's gradient, and a reduce_scatter adds as data arrives. None of
    these needs a temporary. The gradient of a tied table is such a sum.

    If the body overwrites its argument, the first in-place term initializes the
    sum.

    Runs before `--rt-form-kernels`, because in-place terms belong to no kernel.
    Without `scatters` (NCCL cannot accumulate) reduce_scatter results are among
    the remaining terms.
  }];
  let options = [
    Option<"scatters", "scatters", "bool", "true",
           "dist.reduce_scatter can accumulate into its output">];
  let dependentDialects = ["::pcc::nn::NNDialect"];
}

def RTFormEpiloguesPass : Pass<"rt-form-epilogues", "::mlir::ModuleOp"> {
  let summary = "Fuses elementwise consumers into GEMM epilogues";
  let description = [{
    Replaces a contraction and ops that can be fused with it by a call of a
    private function with `rt.epilogue`. The fusions are:

    - the sum of the result with a bias, with another value or with both;
    - gelu (tanh) of the result or of its sum with a bias; its input is a second
      result where it has other uses;
    - the gradient of gelu;
    - the sum of one operand over the contracted dim: the bias gradient next to
      a weight gradient.

    Where an elementwise result and a GEMM in bf16 or fp16 are fused, both are
    computed in f32 and rounded once.

    Each fusion is tried on a copy of the body, in which kernels are formed. It
    is kept if kernels and GEMMs then read and write fewer bytes in no more
    launches, or the same bytes in fewer launches.

    Not fused: the erf form of gelu; the sum of an operand of a GEMM with a low
    precision result, because the epilogue would round that sum, too; a bias of
    a GEMM whose result is a partial sum, because every rank would add it.

    Runs after `--rt-split-accumulate`, which settles the sums that GEMMs
    accumulate, and before `--rt-form-kernels`, with the same `partial-sums`.
  }];
  let options = [
    Option<"partialSums", "partial-sums", "int64_t", "0",
           "The option of --rt-form-kernels">];
  let dependentDialects = ["::pcc::nn::NNDialect", "::pcc::rt::RTDialect",
                           "::mlir::func::FuncDialect"];
}

def RTLowerPass : Pass<"rt-lower", "::mlir::ModuleOp"> {
  let summary = "Lowers tasks and schedules to one rt program per stage";
  let description = [{
    Lowers the ops of tasks as follows:

    - contractions, and calls of functions with `rt.epilogue`, become `rt.gemm`,
      which accumulates into a gradient directly; these functions are erased;
    - a `dist.reduce_scatter` whose result goes into a sum accumulates into
      that;
    - calls of kernels become `rt.launch`, in place where the kernel allows it
      and the old value is dead;
    - reshapes and contiguous slices become views;
    - collectives become the rt collectives;
    - attentions and their gradients that are in no kernel become library calls;
    - every other op becomes a kernel of its own.

    Loops of a schedule stay loops. A value with several live instances gets at
    least a slot for each; microbatches use the slots round-robin.

    Then assigns offsets as `--rt-plan` does, and merges adjacent all_reduces of
    contiguous buffers into one, except those of buckets or over the pipeline
    axis.

    With `overlap`, first puts transfers and bodies that only communicate on
    streams of their own, as `--rt-streams` does. A value that is transferred
    gets one more slot, so that the next instance can be computed or received
    during the transfer.
  }];
  let options = [
    Option<"overlap", "overlap", "bool", "false",
           "Overlap transfers with compute">,
    Option<"offload", "offload", "bool", "false",
           "The option of --rt-plan">];
  let dependentDialects = ["::pcc::rt::RTDialect", "::pcc::nn::NNDialect",
                           "::mlir::func::FuncDialect"];
}

def RTStreamsPass : Pass<"rt-streams", "::mlir::ModuleOp"> {
  let summary =
      "Assigns communication to streams and synchronizes these by events";
  let description = [{
    Assigns streams to the ops of each entry point:

    - sends and receives, except on channels that exchanges use, too: one stream
      per (channel, peer stage, direction);
    - functions that only communicate, all over the same axes: one stream per
      set of axes, including kernels that add the result of a reduce_scatter to
      a sum;
    - `rt.fill`, which fills inputs from the host: one stream;
    - everything else, and exchanges, which the next task waits for: stream 0,
      the compute stream.

    Then orders ops on different streams that use the same buffer: the earlier
    op's stream records an event, and the later op's stream waits for it. At the
    end of an entry point stream 0 waits for all streams.

    Runs before `--rt-plan`: buffers must not share memory yet.
  }];
}

def RTPlanPass : Pass<"rt-plan", "::mlir::ModuleOp"> {
  let summary = "Assigns offsets in scratch buffers and in the arena";
  let description = [{
    Assigns an offset to every temporary and buffer. Temporaries of a function
    share its scratch buffer (the frame) if their live ranges do not overlap.

    Parameters, working copies, state and sums keep their contents from step to
    step and have memory of their own in the arena, one buffer after another.
    All other buffers share the rest by their live ranges: gradients, gathered
    working copies, inputs, outputs, values and frames of calls. A live range
    starts at the first write; for an input without `rt.fill`, at the begin of
    the entry point. It ends at the last read; for an output at the end of
    the entry point.

    By default the slots of a value are contiguous and all calls of a function
    share one frame. If the arena is then over 2 % larger than the most bytes
    that are live at once, each slot and each call's frame is placed separately.
    If that is not enough, a bucket that is refilled (gradients, gathered
    working copies) gets a slot for each time that it is filled; in a loop its
    addresses may cycle through several. The frame of a call in a loop then gets
    a slot for each iteration. Neither is done if it would not save memory or
    would take too long.

    With `offload`, optimizer state that only kernels access comes first: moments
    and master weights. The stage's `offloaded` is the size of this range.
  }];
  let options = [
    Option<"offload", "offload", "bool", "false",
           "Give optimizer state a range of its own at the arena's beginning">];
}

def RTFormGraphsPass : Pass<"rt-form-graphs", "::mlir::ModuleOp"> {
  let summary = "Divides entry points into graphs that are launched as a whole";
  let description = [{
    Inserts `rt.graph` ops that divide an entry point into graphs. A loop
    becomes a graph of as many iterations as it takes until its slots repeat, if
    it runs at least two such graphs. The remaining iterations become a second
    loop after it. All ops between such loops are one graph:

    ```mlir
    rt.fill %x                      rt.graph 0
    rt.for %m = 0 to 7 {            rt.fill %x
      ... slot %m of 3 slots        rt.graph 1 turns 3
    }                               rt.for %m = 0 to 6 { ... }
    rt.call @update()               rt.graph 2
                                    rt.for %m = 6 to 7 { ... }
                                    rt.call @update()
    ```

    So the number of graphs depends on neither the number of layers nor of
    microbatches. Each graph has its own `rt.address` and `rt.event_of` ops,
    because a launch skips all ops of other graphs; they are cloned where
    needed.

    Runs after streams and slots are assigned, because a graph records them.
  }];
  let dependentDialects = ["::pcc::rt::RTDialect"];
}

def RTVerifyPass : Pass<"rt-verify", "::mlir::ModuleOp"> {
  let summary = "Proves that every buffer holds the value that is read from it";
  let description = [{
    Executes every entry point symbolically; it changes nothing. It shares no
    code with the passes that assign offsets and streams, so it finds their
    bugs. It checks:

    - Bytes: each byte of the arena remembers the buffer that wrote it last. A
      read must find its own buffer. Outputs of an op do not overlap its inputs
      unless the op is in place and its kernel allows that. Buffers match their
      kernel's arguments. Offsets are aligned and within the arena. The offloaded
      range holds optimizer state, and only kernels access it. At the end all
      state that the next step reads is intact.
    - Values: a task with `rt.values`, as `--rt-lower` emits it, is executed on
      memory that holds these values. No op may read an older or newer value
      than it names, or another part of it. The kind, reduction and axes of a
      collective must convert the sharding of its operand to that of its result.
    - Shardings between tasks: a task must receive a buffer in the sharding that
      the previous task left, partial over the same axes, and sharded as the
      buffer declares.
    - Microbatches: every value that is read must be of the microbatch that its
      address names, the same one for all arguments of a call. Both stages of a
      transfer must name the same microbatch.
    - Streams: vector clocks show that events order any two accesses to a byte
      of which one is a write, for any order of entry points.
    - Graphs: if an entry point has graphs, every op is in one, and all launches
      of a graph access the same slots.
    - Attention: a gradient that the library computes uses stats of an attention
      with the same mask and scale, which the library computed.
    - Communicators: each is used on one stream only.
    - Transfers: all stages are executed against each other. Transfers and
      collectives over stages must match, each started in program order, so that
      no stage hangs.

    The checks of bytes and streams skip iterations of a loop once their state
    repeats.
  }];
}

def RTToLLVMPass : Pass<"rt-to-llvm", "::mlir::ModuleOp"> {
  let summary =
      "Lowers stages to LLVM functions and a description of the program";
  let description = [{
    Turns entry points and tasks into LLVM functions of the context and the
    arena that call runtime/Runtime.h. The constant `pcc_the_program` describes
    the program in the format of runtime/Program.h. Runs after kernels are
    lowered.
  }];
  let options = [
    Option<"forgets", "forgets", "bool", "false",
           "Call pcc_forget for buffers that are released, and for temporaries "
           "before their first use">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // PCC_PASSES_CODEGEN
