//===- Passes.td - From one rank's program to a schedule ---*- tablegen -*-===//

#ifndef PCC_PIPELINE_PASSES
#define PCC_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def NNStageCutsPass : Pass<"nn-stage-cuts", "::mlir::ModuleOp"> {
  let summary = "Divides the forward pass into pipeline stages";
  let description = [{
    Sets the attribute `nn.stage` on every op of `@loss` and `@evaluate`. Stages
    are contiguous in program order. A cut is allowed at a position that fewer
    bytes cross than its neighbors; between the halves of a transformer block
    only the residual stream crosses. Every stage must hold a contraction or an
    attention op.

    Among these cuts the pass takes those that minimize the cost of the most
    expensive stage. The cost is FLOPs plus ten for each byte written. With
    `cut` the named nodes begin the stages instead, at any position.

    An op that is no activation gets its first user's stage and is cloned into
    other users' stages later. In `@evaluate` each parameter is used in a stage
    that holds it for training.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "1", "Number of stages">,
    Option<"cut", "cut", "std::string", "\"\"",
           "Nodes that begin stages 1, 2, ..., instead of balancing">];
}

def NNSegmentsPass : Pass<"nn-segments", "::mlir::ModuleOp"> {
  let summary = "Divides the stages into segments, such as layers";
  let description = [{
    Sets the attribute `nn.segment` on every op of `@loss` and `@evaluate`; its
    numbers continue from stage to stage. The forward pass is cut where locally
    fewest bytes cross, into pieces with at least one contraction or attention
    op each; the ops before the first one may be a piece, too. The longest
    repetition of equal pieces is divided into its periods, and recursively the
    pieces before and after it; pieces that do not repeat are segments of their
    own:

    ```
    pieces     E | A | M | A | M | A | M | H     embedding, attention, MLP, head
    segments   0 |   1   |   2   |   3   | 4
    ```

    So the layers of a transformer become equal segments.
  }];
}

def PipeChunkHeadsPass : Pass<"pipe-chunk-heads", "::mlir::ModuleOp"> {
  let summary = "Chooses how many tokens a head computes at a time";
  let description = [{
    A head is the last projection, its loss and their gradients. Its logits are
    the largest values of a step: a row of the vocabulary for each token. The
    pass gives the ops that make or read logits, and the ops between them, the
    attribute `nn.chunk`, the extents of the token dims of a chunk:

    ```
    %logits = nn.contract "bsk,nk->bsn" %x, %w  {nn.chunk = [4, 1024]}
    %loss, %lse = nn.cross_entropy %logits, ..  {nn.chunk = [4, 1024]}
    %g = nn.cross_entropy_grad %d, %logits, ..  {nn.chunk = [4, 1024], nn.bwd}
    %dx = nn.contract "bsn,nk->bsk" %g, %w      {nn.chunk = [4, 1024], nn.bwd}
    %dw = nn.contract "bsk,bsn->nk" %x, %g      {nn.chunk = [4, 1024], nn.bwd}
    ```

    `pipe-outline` puts these ops into the forward task, so that no product is
    computed twice; `pipe-expand-chunks` repeats them for each chunk.

    By itself (`chunks=0`) it divides heads whose logits have more than 512 MiB
    on a rank, into chunks of at most that size. Such a head stays whole if an op
    does not treat tokens alike, or if a gradient needs a sum over all tokens;
    the module's attribute `nn.whole_head` says why. If `chunks` is given, that
    is an error.

    Runs on local programs, before recomputation, which then saves no value for
    the products.
  }];
  let options = [
    Option<"chunks", "chunks", "int64_t", "0",
           "The number of chunks; 0: chosen by bytes">,
    Option<"keepsGradients", "keeps-gradients", "bool", "true",
           "Gradients stay until the last microbatch's forward pass">];
}

def PipeExpandChunksPass : Pass<"pipe-expand-chunks", "::mlir::ModuleOp"> {
  let summary = "Computes heads chunk by chunk";
  let description = [{
    Repeats the ops with the attribute `nn.chunk` for each chunk of tokens.
    Operands with tokens are sliced; results with tokens are concatenated, and
    sums over tokens are added:

    ```
    %x0 = nn.slice %x at [0, 0, 0]
    %logits0 = nn.contract "bsk,nk->bsn" %x0, %w
    ...
    %dw0 = nn.contract "bsk,bsn->nk" %x0, %g0
    %x1 = nn.slice %x at [4, 0, 0]
    ...
    %dx = nn.concat %dx0, %dx1 along 0
    %dw = nn.sum %dw0, %dw1
    ```

    All-reduces between these ops, of vocabulary-parallel losses, are repeated,
    too, with as many bytes in all. That of the gradient of `x` stays behind the
    concatenation.
  }];
  let dependentDialects = ["::pcc::nn::NNDialect"];
}

def PipeRecomputePass : Pass<"pipe-recompute", "::mlir::ModuleOp"> {
  let summary = "Adds activation recomputation to backward passes";
  let description = [{
    Clones ops of the forward pass into the backward pass of their segment, so
    that fewer activations are saved between the two:

    ```
    %n = nn.rms_norm %x, %scale       {segment 1}
    %y = nn.contract %n, %w           {segment 1}
    ...
    %m = nn.rms_norm %x, %scale       {segment 1, bwd, recomputed}
    %dw = nn.contract %m, %dy         {segment 1, bwd}
    ```

    The saved activations are the ones with the fewest bytes from which the rest
    can be recomputed; of equal choices, the one that leaves least to recompute.
    With `selective` only memory-bound ops are recomputed: norms, activation
    functions, sums, casts, dropout. With `full` all ops are, including GEMMs,
    attention and collectives. The last segment saves everything, because its
    backward pass runs next.

    Runs on local programs, whose sizes are one rank's, before tasks are formed.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "\"selective\"",
           "selective or full">];
}

def PipeOutlinePass : Pass<"pipe-outline", "::mlir::ModuleOp"> {
  let summary = "Outlines the functions of one rank's program into tasks";
  let description = [{
    Replaces the functions of a program by tasks:

    - `@microbatch`: a forward and a backward task per segment; one task for
      both if there is one segment;
    - `@update`: an update task per stage, for the parameters that the stage
      holds; its reductions of gradients over data axes become tasks of their
      own, one per stage and bucket (or gradient in no bucket), which pass their
      results to it;
    - `@reduce` and `@counts`: tasks on the stages that hold their states;
    - `@evaluate`: a task per segment; `@evaluate_result`: a task per stage;
    - `@gather`: a task per bucket on each stage that uses it, preceded by one
      that rounds the rank's shard if narrower working copies are gathered;
    - `@forward`, in a program without `@microbatch`: one task.

    Ops that depend on no activation are cloned into every task that uses them.
    Other values between tasks become `pipe.value`s.

    A task has a body. Its arguments are the inputs, values, parameters and
    states that its ops read, in the order of first use. New values of
    parameters and states, and sums with them, are results, which replace the
    arguments' contents when the task ends.

    If several stages use a parameter, each holds it. Their reduced gradients
    are exchanged before the update, added in the order of stages so that all
    copies stay equal, and counted once in the norm.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect", "::pcc::nn::NNDialect"];
}

def PipeShareBodiesPass : Pass<"pipe-share-bodies", "::mlir::ModuleOp"> {
  let summary = "Merges equal bodies of tasks";
  let description = [{
    Makes tasks with equal bodies call one body, the first of them, so that
    later passes process the body of equal layers once. Bodies are equal if
    their ops are equal in order, except that ids of random numbers may differ
    by a constant. If ids differ, the body gets one more argument, an integer
    that each task binds: the difference times 2^32, which is added to the high
    word of the step.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect", "::pcc::nn::NNDialect"];
}

def PipeSchedulePass : Pass<"pipe-schedule", "::mlir::ModuleOp"> {
  let summary = "Orders the runs and transfers of every stage";
  let description = [{
    Creates a `pipe.schedule` per stage and entry point. `gpipe` runs all
    forward tasks, then all backward tasks. `1f1b` interleaves them: on stage s
    of S, the backward of microbatch m runs before the forward of microbatch m +
    S - s. With one stage both kinds are 1f1b.

    ```
    gpipe   stage 0: F0 F1 F2 F3          B0 B1 B2 B3
            stage 1:    F0 F1 F2 F3 B0 B1 B2 B3
    1f1b    stage 0: F0 F1       B0 F2 B1 F3 B2    B3
            stage 1:    F0 B0 F1 B1 F2 B2    F3 B3
    ```

    - Transfers: a value is received just before the action that needs it and
      sent just after the action that computes it. Values for a distant stage
      pass through the stages in between, except gradients of a parameter that
      several stages hold. A send and a receive after it with the same stage
      become one exchange; of several, the later stage receives before it sends.
    - With `ahead` the inputs of the next action of the same direction are
      received before the current one runs, so that transfers can overlap with
      it. Inputs of a backward action are only received ahead if no forward
      action is in between, so that all stages keep to one order of transfers.
      Sends and receives are not paired then.
    - Loops: steps that repeat one microbatch later become a `pipe.loop`.
    - Reductions run right after the last task that adds to their gradients.
    - Gathers run before all other tasks, in the order in which their buckets
      are used. With `ahead`, and if tasks of segments have collectives, each
      gather runs two runs ahead of its use: a device starts collectives in the
      order of issue, so the first tasks would wait for all gathers. A bucket
      that is marked `nn.released` is gathered for each use, with `ahead` one
      run ahead of it, and released after it, unless it is used again before
      another gather could have ended.
    - First writers: the first run of a step that adds to a gradient overwrites
      it instead. It calls a body without that sum, and the gradient is no
      longer cleared.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "\"1f1b\"", "gpipe or 1f1b">,
    Option<"microbatches", "microbatches", "int64_t", "1", "Per step">,
    Option<"ahead", "ahead", "bool", "false",
           "Receive inputs one action ahead">];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def PipeMarkDeadArgumentsPass : Pass<"pipe-mark-dead-arguments", "::mlir::ModuleOp"> {
  let summary = "Marks arguments that are dead after every call of a body";
  let description = [{
    Sets `gives_up` of bodies: the arguments that in every call are a value or a
    gradient whose contents no later run or transfer of the stage uses. A body
    may leave any contents in their buffers. Not among them are gradients that
    a once-per-step task writes, values in the buffer of a state, and values
    with several live instances.

    Runs after scheduling, because the order of runs determines the last use.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def PipeCheckPass : Pass<"pipe-check", "::mlir::ModuleOp"> {
  let summary = "Verifies schedules by executing them";
  let description = [{
    Executes the lists of all stages against each other, with transfers as
    rendezvous and collectives over stages as collectives that all stages must
    reach. It changes nothing, and shares only small helpers with the pass that
    builds schedules. It rejects a program if

    - there is not one schedule per stage of the mesh;
    - a task, except a gather of a bucket that is released, runs twice or never;
    - a task runs on a microbatch after a task that needs the results of all
      microbatches;
    - a value is used or sent before it is available, or after a task has killed
      it;
    - transfers do not match per channel in one order, or the stages deadlock;
    - a stage holds more microbatches than it declares;
    - a stage evaluates a parameter that it does not train, or adds to a sum
      that it does not use at the end of a step;
    - a gradient is added to or reduced after its reduction, or read after a
      value has taken its buffer;
    - a sum is not initialized in a step: neither cleared at the end of the step
      before nor overwritten by the first run that writes it; or it is
      overwritten by a later run;
    - in a partitioned module, shardings do not follow from each other by the
      ops' sharding rules, a task binds a symbol of another sharding than its
      body expects, or a partial value crosses stages, except gradients that
      stages add at the end of a step;
    - a gathered bucket is used before a gather has computed it from its shards,
      or after these have changed;
    - the gradient of a weight, of a norm's scale or of a bias next to one is
      not computed from the cotangents of its forward uses.

    Iterations of loops are skipped once all stages are in a loop and repeat
    earlier steps, shifted by microbatches.
  }];
}

#endif // PCC_PIPELINE_PASSES
