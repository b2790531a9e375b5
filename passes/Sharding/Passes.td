//===- Passes.td - From one device to a mesh of ranks ------*- tablegen -*-===//

#ifndef PCC_PASSES_SHARDING
#define PCC_PASSES_SHARDING

include "mlir/Pass/PassBase.td"

class ShardingPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::pcc::nn::NNDialect", "::pcc::dist::DistDialect",
                           "::mlir::func::FuncDialect"];
}

def NNPadVocabPass : ShardingPass<"nn-pad-vocab"> {
  let summary = "Pads vocabularies to a multiple";
  let description = [{
    The class dim of every cross entropy, with all dims it is one loop with
    (logits, head, bias, a tied table), and the rows of embedding tables of
    tokens are extended with zeros to a multiple of `multiple`. cross_entropy
    keeps the number of valid classes, a parameter's `source` its valid
    extents. A padding row never leaves zero: its probability, its gradient
    and its optimizer state are zero. A dim that some op needs whole is not
    split, so not padded; where padding would change what is computed (a sum
    over elements of it that are not zero) it is an error. To be run before
    autodiff. Every padded parameter is reported by a remark.

    A device wants rows of whole accesses, but does without: it asks for them
    with `if-possible`, and a vocabulary that cannot be padded stays as it is.
  }];
  let options = [Option<"multiple", "multiple", "int64_t", "1",
                        "what the padded extent is a multiple of">,
                 Option<"ifPossible", "if-possible", "bool", "false",
                        "change nothing where padding is an error">];
}

def DistMeshPass : ShardingPass<"dist-mesh"> {
  let summary = "Declares the mesh of ranks";
  let description = [{
    Axes in the order pp, dp, cp, tp, those of size 1 left out. Where tp is
    larger than the number of key/value heads of the attention ops (grouped
    queries) and the query heads allow it, two axes take tp's place: "tp_kv"
    splits the key/value heads, "tp_rep" the query heads that share one. No
    mesh is declared for one rank.
  }];
  let options = [
    Option<"pp", "pp", "int64_t", "1", "pipeline stages">,
    Option<"dp", "dp", "int64_t", "1", "data-parallel replicas">,
    Option<"cp", "cp", "int64_t", "1", "parts of the sequence">,
    Option<"tp", "tp", "int64_t", "1", "tensor-parallel ranks">];
}

def DistSeedTensorPass : ShardingPass<"dist-seed-tensor"> {
  let summary = "Chooses what tensor parallelism splits";
  let description = [{
    Structural, not by name. Dims of the forward pass that share a major factor
    form components. A component in which one parameter contraction's N dim
    meets another's K dim, and which no op needs whole (norm, softmax, head
    dim, what merges it behind another dim) nor is a table's column dim, is
    split: heads of attention first, then the largest, each parameter in one
    component only, parameters of the class dim in none. What is made of
    parameters alone, such as joined weights of heads, counts as a parameter
    that lies whole on every rank, which takes its part. Only K dims of
    row-parallel weights, class dims and rows of token tables become seeds
    (level 0), the latter with a remark instead where an op needs them whole;
    column-parallel weights and biases follow by propagation.
  }];
}

def DistSeedDataPass : ShardingPass<"dist-seed-data"> {
  let summary = "Splits the batch over dp, the sequence over cp";
  let description = [{
    Seeds (level 1) the batch dim of inputs (tokens, targets, samples and
    further inputs of the same batch) with the axes of role data, the sequence
    dim of those that have both with the axes of role sequence. Positions stay
    replicated.
  }];
}

def DistSeedSequencePass : ShardingPass<"dist-seed-sequence"> {
  let summary = "Sequence parallelism";
  let description = [{
    Seeds (level 2) the sequence dim of the results of row-parallel
    contractions and of token embeddings with the tensor axes. After
    dist-seed-tensor.
  }];
}

def DistPropagatePass : ShardingPass<"dist-propagate"> {
  let summary = "Spreads shardings from the seeds to all values";
  let description = [{
    Level by level, each to its fix-point; an axis that two dims of an op want
    goes to the lower level, then to a parameter's dim, then to the earlier
    operand. After level 0, final gradients and optimizer state are seeded as
    their parameters, and parameters and inputs take no more axes. Dims are
    only ever extended. An axis of level 0 that an op of the forward pass cannot
    use, and a split weight that does not use all tensor axes, are errors;
    attention that runs whole is a warning that says why; where a layer has to
    gather an operand over another axis, a remark says so.

    Leaves `dist.shardings` and `dist.factors` on ops, `dist.sharding` on
    parameters, states, arguments and results: where values lie, without
    partial sums. No generic clean-up may run from here to dist-partition.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "report the reason for every axis of every value">];
}

def DistInsertReshardsPass : ShardingPass<"dist-insert-reshards"> {
  let summary = "Finds partial sums and makes every change of layout explicit";
  let description = [{
    One walk in program order. A result is partial over the axes of factors it
    lacks. A partial sum stays if every use passes it on; otherwise it is
    resolved once, where it is defined, to the layout propagation chose. The
    operands of a sum are grouped by what they are partial over, each group is
    added, resolved once but for what all have in common, and the groups are
    added; a group of values that insert, pad or broadcast makes from fewer
    elements is resolved before these. Operands are resharded at
    their uses, once per target; what an all_gather makes is not kept from
    forward to backward. The sharding of gradient states is read off: partial
    over whatever the backward leaves. Sums of squares are spread over all
    axes, so that they need one all_reduce. Numbers ops (`dist.id`).
  }];
}

def DistVerifyPass : ShardingPass<"dist-verify"> {
  let summary = "Checks a sharded program";
  let description = [{
    Before partition: every value has a sharding; operands and results of every
    op lie as one assignment of axes to its factors says; results are partial
    over exactly what follows from it; a partial sum enters an op only where
    the op is linear in it alone; nothing partial leaves a function.
    After it every value still says how it lies, but for what ranks count
    (`dist.offset`): put together as their layouts say, each op's operands and
    results fit each other on global types and obey its sharding rule; each
    collective takes its operand's layout to its result's over exactly its
    axes; an op that numbers its elements starts with this rank's; what is
    read, written or returned lies as it is declared.
    Buckets: each parameter and state is in one at most; members do not overlap
    and begin at multiples of 32 elements; they are alike in what is done to
    them once; those of a parameter, its gradient, moments and copy lie at the
    same offsets; no function names both a bucket and what lies in it, and
    @update writes each bucket once. Rows of parameters of which ranks keep
    parts, and of copies of these, are written by @gather instead, each once,
    from what all ranks keep of it; @update uses the parts alone, and nobody
    else writes them.
  }];
}

def DistPartitionPass : ShardingPass<"dist-partition"> {
  let summary = "Turns the global program into one rank's";
  let description = [{
    Types become local, ops their local form, reshards collectives. One reshard
    becomes, in this order: all_to_all; per dim reduce_scatter or slice;
    all_gather; all_reduce of what is left. Neighbouring all_reduces of scalars
    over the same axes become one. The module is marked `dist.spmd`; every
    value keeps its layout in `dist.shardings`, each step of a reshard has one;
    parameters,
    states, arguments and results keep their global type in `dist.global` and
    their sharding in `dist.sharding`.
  }];
}

def DistHoldCopiesPass : ShardingPass<"dist-hold-copies"> {
  let summary = "Keeps what is made of parameters as states";
  let description = [{
    Each parameter that a function but @update rounds to a narrower type gets a
    state, `copy.<parameter>`, which is read instead, also where elements move
    between the read and the cast. @update writes it where it writes the
    parameter. Runs on one rank's program: a copy lies as its parameter does.
    With `all` every trained parameter has a copy, of its own type where nothing
    rounds it.
  }];
  let options = [
    Option<"all", "all", "bool", "false",
           "copy what is not rounded, too">];
}

def DistFormBucketsPass : ShardingPass<"dist-form-buckets"> {
  let summary = "Has @update work on rows of parameters instead of each";
  let description = [{
    The trained parameters of one or more segments, and what is kept of them,
    become members of buckets: `bucket.<n>.grad`, `bucket.<n>.param` and so on,
    with the same element offsets. Members begin at multiples of 32 elements, a
    row is a multiple of 32 times the ranks along data axes. All members of a
    bucket are alike in decay, in the axes that split them, in those over which
    their gradients are sums, in whether they have a copy, and in the stages
    that use them; what several stages use is alone. A bucket takes segment
    after segment until it has `bucket-size` bytes of gradients.

    @update reduces a row by one message, adds its squares to the norm, and
    updates it at once. With `zero` 1 a rank keeps an equal part of the
    optimizer's rows over the data axes: gradients are reduced to that part
    (over data axes first), and parameters updated, `bucket.<n>.own`, which is
    a part of the parameters' row. A function @gather makes that whole. Of
    parameters whose copies are all that others use, a rank has no more than
    the part, and @gather makes the copies of all parts.

    With `zero` 2 it keeps a part of the sum of gradients, too,
    `bucket.<n>.sum`: a function @reduce, which is called behind each
    @microbatch, adds to it what is reduced of the row, and clears the row.

    With `zero` 3 copies are there only while a segment uses them: a bucket ends
    with its segment, and its copies are marked `nn.released`.
  }];
  let options = [
    Option<"zero", "zero", "int64_t", "0",
           "what ranks along data axes keep a part of each: nothing (0), the "
           "optimizer's state (1), gradients too (2), parameters too (3)">,
    Option<"bucketSize", "bucket-size", "int64_t", "26214400",
           "bytes of gradients from which on a bucket is full">];
}

#endif // PCC_PASSES_SHARDING
