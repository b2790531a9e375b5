//===- Passes.td - From one rank's program to a schedule ---*- tablegen -*-===//

#ifndef PCC_PIPELINE_PASSES
#define PCC_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def NNStageCutsPass : Pass<"nn-stage-cuts", "::mlir::ModuleOp"> {
  let summary = "Divides the forward pass into pipeline stages";
  let description = [{
    Gives every op of `@loss` and `@evaluate` the attribute `nn.stage`. Stages
    are contiguous in program order. A cut may stand where fewer bytes cross
    than before and after it (between the halves of a transformer block only the
    residual stream crosses), and every stage must
    hold a contraction. Among those, the cuts that make the dearest stage
    cheapest are taken; the cost is FLOPs plus bytes written. What
    is no activation is marked with its first user's stage and cloned later.
    `@evaluate` follows: each parameter is used where training holds it.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "1", "Number of stages">,
    Option<"cut", "cut", "std::string", "\"\"",
           "Nodes that begin stage 1, 2, ..., instead of balancing">];
}

def NNSegmentsPass : Pass<"nn-segments", "::mlir::ModuleOp"> {
  let summary = "Divides the stages into segments, a layer each";
  let description = [{
    Gives every op of `@loss` and `@evaluate` the attribute `nn.segment`, which
    counts on from stage to stage. Cut where fewer bytes cross than around, the
    forward pass falls into pieces with a product each; the longest repetition
    of equal pieces is divided into its periods, what is before and behind it
    likewise, and pieces that do not repeat stand alone. So the layers of a
    transformer are equal segments, and the embedding and the head others.
  }];
}

def PipeRecomputePass : Pass<"pipe-recompute", "::mlir::ModuleOp"> {
  let summary = "Has backward passes compute anew what they can";
  let description = [{
    What the backward pass of a segment reads of its forward pass is kept until
    then, unless it is computed anew, from the rest or from what other segments
    hand to this one. Kept is what takes fewest bytes; of equal choices, what
    leaves least to compute. With `selective` only what is bounded by memory may
    be computed twice: norms, activation functions, sums, casts, dropout; with
    `full` everything, products, attention and messages included. Of the last
    segment, whose backward pass is the next to run, everything is kept.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "\"selective\"",
           "selective or full">];
}

def PipeOutlinePass : Pass<"pipe-outline", "::mlir::ModuleOp"> {
  let summary = "Makes tasks of the functions of one rank's program";
  let description = [{
    `@microbatch` becomes a forward and a backward task per segment (one task
    for both if there is one segment), `@update` an update task per stage that
    holds what its parameters need, `@evaluate` and `@evaluate_result` likewise,
    `@gather` a task per bucket and stage that uses it, and one more that hands
    to it what ranks compute of what they keep; schedules of training and of
    evaluation begin with these.
    Ops that depend on no activation are cloned into every task that uses them;
    other values that cross tasks become `pipe.value`s.

    A task's ops are a body of its own. The parameters and states that they read
    are arguments of it, named as these and in the order of first use; what they
    write, or add by `nn.sum`, goes into their places as the task ends.

    What `@update` reduces of gradients over data axes is a task of its own per
    row and stage, whose value it takes. A parameter that several stages use is
    held by each of them; their gradients, reduced, are exchanged before the
    update, added in the order of stages so that all copies stay equal, and
    counted once in the norm.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect", "::pcc::nn::NNDialect"];
}

def PipeShareBodiesPass : Pass<"pipe-share-bodies", "::mlir::ModuleOp"> {
  let summary = "Makes tasks that compute the same call one body";
  let description = [{
    Bodies are equal if their ops are, in one order, apart from the ids of
    random numbers, which may differ by a constant. The first of them stays.
    Where ids differ, it gets one more argument, an integer that each task
    gives: 2^32 times what is to be added to the ids, which goes into the high
    word of the step.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect", "::pcc::nn::NNDialect"];
}

def PipeSchedulePass : Pass<"pipe-schedule", "::mlir::ModuleOp"> {
  let summary = "Orders runs and transfers of every stage";
  let description = [{
    gpipe runs all forward tasks, then all backward tasks. 1f1b runs by
    microbatch, a backward task counting as microbatch + stages - stage, the
    backward first on ties. A value is received just before the task that needs
    it and sent just after the one that made it; a value for a distant stage
    goes through those between. A send and the receive after it from the same
    stage are joined. What repeats itself a microbatch later becomes a loop.
    Reductions run behind the last run of what adds to the gradients they take.
    Gathers come before all other tasks, in the order in which their buckets are
    used; with `ahead`, where tasks of segments have collectives, each comes two
    runs ahead of its use. A device starts collectives in the order of their
    issue, so the first tasks would wait for gathers of the last segments.

    With `ahead` what the next task of a direction needs is received before the
    one at hand runs, as far as there is one order of all transfers that every
    stage keeps to, for streams of their own to do: nothing is joined.

    The first run of a step that adds to a gradient puts its part there instead:
    it calls a body without that sum, which a task has besides its own, or alone
    where there is one microbatch. Nobody clears such a gradient any more.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "\"1f1b\"", "gpipe or 1f1b">,
    Option<"microbatches", "microbatches", "int64_t", "1", "Per step">,
    Option<"ahead", "ahead", "bool", "false",
           "Receive a microbatch ahead">];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def PipeGiveUpPass : Pass<"pipe-give-up", "::mlir::ModuleOp"> {
  let summary = "Says which arguments bodies may leave anything in";
  let description = [{
    Those that in every call are a value or a gradient which no later run or
    transfer of the stage uses. A gradient that the update gives anything is
    none of these.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def PipeCheckPass : Pass<"pipe-check", "::mlir::ModuleOp"> {
  let summary = "Accepts or rejects schedules, however they were made";
  let description = [{
    Executes the lists of all stages against each other, transfers as
    rendezvous and collectives over stages as meetings of all of them, and
    rejects a schedule in which a task runs twice or never, or on a microbatch
    after what ends the step, a value is used or sent before it is there,
    transfers do not pair per channel in one order, the stages wait for each
    other forever, a stage holds more microbatches than it declares, evaluates a
    parameter that it does not train, adds to a sum that it does not use at the
    end of the step, adds to or reduces a gradient that was reduced, reads one
    where a value has taken its place, or uses what a task has given up. What a
    sum holds as a step begins is either cleared at the end of the one before or
    put there by the first run that writes it; no other may.
    There is one schedule per stage of the mesh.
    In a partitioned module the layouts that values say they have must follow
    from each other by the ops' sharding rules, tasks bind what lies as their
    bodies take it, and only gradients that stages add up at the end of a step
    cross stages in parts of a sum.
    Copies of parameters of which ranks keep parts are used only after a gather
    has made them, of just what is kept of them, and until that changes.
    The gradient of a weight, of a norm's scale and of the bias beside one is
    made of what comes back to where forward tasks use these.
    Turns of loops are left out once all stages are in one and do, microbatches
    apart, what they did before.
  }];
}

#endif // PCC_PIPELINE_PASSES
