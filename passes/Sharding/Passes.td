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
    Extends with zeros, to a multiple of `multiple`: the class dim of every
    cross entropy, with all dims that are in one loop with it (logits, head,
    bias, a tied table), and the rows of token embedding tables.
    `nn.cross_entropy` keeps the number of valid classes, a parameter's `source`
    its valid extents. A padding row stays zero: its probability, its gradient
    and its optimizer state are zero.

    A dim that some op needs whole is not padded, because it will not be
    sharded. If padding would change a result, such as a sum over elements that
    are not zero, the pass fails. With `if-possible` it changes nothing instead:
    a GPU prefers rows that begin at aligned addresses, but does not need them.

    Runs before autodiff, so that gradients and optimizer state are padded, too.
    A remark reports every padded parameter.
  }];
  let options = [Option<"multiple", "multiple", "int64_t", "1",
                        "the padded extent is a multiple of this">,
                 Option<"ifPossible", "if-possible", "bool", "false",
                        "change nothing where padding is an error">];
}

def DistMeshPass : ShardingPass<"dist-mesh"> {
  let summary = "Declares the mesh of ranks";
  let description = [{
    Adds a `dist.mesh` with the axes pp, dp, ep, cp, tp, in this order, without
    axes of size 1. One rank has no mesh. The ranks of ep are some of the dp
    replicas: with dp = 4 and ep = 2 the axes are `["dp"=2, "ep"=2]`.

    With grouped queries there may be fewer key/value heads than tensor ranks.
    If the query heads allow it, two axes then replace tp: "tp_kv" splits the
    key/value heads, "tp_rep" the query heads that share one. With one key/value
    head only "tp_rep" is left. With dp = 2, tp = 4 and 2 key/value heads:

    ```mlir
    dist.mesh @mesh = <["dp"=2, "tp_kv"=2, "tp_rep"=2]>
    ```
  }];
  let options = [
    Option<"pp", "pp", "int64_t", "1", "pipeline stages">,
    Option<"dp", "dp", "int64_t", "1", "data-parallel replicas">,
    Option<"ep", "ep", "int64_t", "1",
           "those of them over which experts are split">,
    Option<"cp", "cp", "int64_t", "1", "shards of the sequence">,
    Option<"tp", "tp", "int64_t", "1", "tensor-parallel ranks">];
}

def DistSeedExpertsPass : ShardingPass<"dist-seed-experts"> {
  let summary = "Splits experts over ep";
  let description = [{
    Adds seeds of level 0 to the weights of `nn.experts`: their dim of experts,
    over the axes of role expert. With `whole` it is split over the tensor axes,
    too, and dist-seed-tensor leaves these experts alone. Otherwise that pass
    splits the hidden dim of each expert.

    | ep x tp = 2 x 2 | w2 [e, h, f] |
    |---|---|
    | default | e over ep, f over tp |
    | `whole` | e over ep, then tp |

    The biases of down projections, which are contracted with an `nn.spread` of
    the gates, get the same seeds.

    Fails if the experts are not a multiple of these ranks, or if a mesh with an
    axis of role expert has no experts to split.
  }];
  let options = [
    Option<"whole", "whole", "bool", "false",
           "tensor axes split the experts, too, and no expert is split">];
}

def DistSeedTensorPass : ShardingPass<"dist-seed-tensor"> {
  let summary = "Chooses the dims that tensor parallelism splits";
  let description = [{
    Adds seeds of level 0 to the dims that tensor parallelism splits. Chooses by
    structure, not by name. Dims of the forward pass that share a major factor
    in an op form a component. A component is a candidate if it contains the N
    dim of one contraction with a parameter and the K dim of another, so that
    the first is column parallel and the second row parallel. No op may need it
    whole (norm, softmax, head dim, a dim that is merged behind another), and it
    may not be a table's column dim.

    Candidates are taken in order: attention heads first, then the largest. Each
    parameter is split in one component only; a parameter is split in none of
    them if it has a class dim that can be split. A value derived from
    parameters only, such as concatenated weights of heads, counts as a
    parameter that every rank has whole and slices.

    The hidden dim of experts is a component of its own: the N dim of w1 and the
    K dim of w2.

    Only K dims of row-parallel weights, class dims and rows of token tables
    become seeds; column-parallel weights and biases follow by propagation. A
    class dim or table that some op needs whole gets a remark instead.
  }];
}

def DistSeedDataPass : ShardingPass<"dist-seed-data"> {
  let summary = "Shards the batch over dp and ep, the sequence over cp";
  let description = [{
    Adds seeds of level 1 to inputs: the batch dim (of tokens, targets, samples
    and further inputs with the same batch) over axes of the roles data and
    expert, and the sequence dim of inputs that have both over axes of role
    sequence. Inputs that are equal for all samples, such as positions, stay
    replicated.
  }];
}

def DistSeedSequencePass : ShardingPass<"dist-seed-sequence"> {
  let summary = "Adds the seeds of sequence parallelism";
  let description = [{
    Adds seeds of level 2: the sequence dim of the results of row-parallel
    contractions, of experts that tensor axes split, and of token embeddings
    over the tensor axes. So norms and
    residuals are sharded, and each all_reduce becomes a reduce_scatter and an
    all_gather. Runs after dist-seed-tensor, which determines the row-parallel
    contractions.
  }];
}

def DistPropagatePass : ShardingPass<"dist-propagate"> {
  let summary = "Propagates shardings from the seeds to all values";
  let description = [{
    Sets the sharding of every value: `dist.shardings` and `dist.factors` on
    ops, `dist.sharding` on parameters, states and arguments. Partial sums are
    not included. From a seed on `down`:

    ```
    down [m:tp c]                    seed
    %y = contract %a, down           its loop m has tp, so a [b s m:tp]
    %a = gelu %h                     h [b s m:tp]
    %h = contract %x, up             its loop m has tp, so up [c m:tp]
    ```

    Propagates level by level, each to its fixed point; dims are only ever
    extended. An axis that two dims of an op request goes to the lower level,
    then to a parameter's dim, then to the earlier operand. After level 0
    gradients and optimizer state get the shardings of their parameters, and
    parameters and states take no more axes. Inputs take the axes of their own
    seeds only.

    Fails if an op outside the backward pass cannot use an axis of level 0, or
    if a row-parallel contraction does not use all tensor axes. Attention that
    stays whole is a warning with its reason. A remark reports each layer,
    except attention, that must gather an operand over another axis.

    No generic clean-up may run from here to dist-partition: it would drop these
    attributes.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "report the reason for every axis of every value">];
}

def DistAttentionHeadsPass : ShardingPass<"dist-attention-heads"> {
  let summary = "Splits attention's heads over the context-parallel ranks";
  let description = [{
    Under context parallelism a rank has a part of the sequence. Attention needs
    all keys of a sequence: the ranks gather them. Instead, this pass splits the
    heads of attention over the same ranks, and leaves the sequence whole there:

    ```
    %o = attention %q, %k, %v    q [b s:cp h], k and v gathered: its loop s has cp
    %o = attention %q, %k, %v    its loop of heads has cp, and s none
    ```

    It changes `dist.factors` of `nn.attention` and its gradient after
    propagation, so all other ops keep their shardings, and
    `dist-insert-reshards` exchanges the axis between the sequence and the heads
    by all_to_all, before and after attention. All ranks then do equal work
    under a causal mask.

    It changes all attention of a model, or none if the key/value heads of a
    tensor-parallel rank are no multiple of the context-parallel ranks, or if
    ranks share one; with `is-asked` that is an error.
  }];
  let options = [
    Option<"isAsked", "is-asked", "bool", "false",
           "Fail where heads cannot be split">];
}

def DistBalanceSequencePass : ShardingPass<"dist-balance-sequence"> {
  let summary = "Gives context-parallel ranks pieces of equal work";
  let description = [{
    Causal attention of the last part of a sequence has most keys. So where
    ranks gather keys, this pass orders sequences head-tail, see
    `#nn.head_tail`: each rank has a piece from both ends.

    ```
    keys            0 1 2 3             keys            0 1 2 3
    rank 0: query 0 x                   rank 0: query 0 x
                  1 x x         ->                    3 x x x x
    rank 1:       2 x x x               rank 1:       1 x x
                  3 x x x x                           2 x x x
    ```

    Only the order of inputs changes (`nn.order`), along every dim that is a
    sequence: by their role, or as an op needs it, such as the dim of a padding
    mask. The input of positions holds the positions of the text, so a program
    computes the same if no op numbers the sequence by its place. These do:
    slices, pads and concatenations along it, reshapes that split it, ids of its
    elements, and random numbers that depend on an element's index. Constants
    by position, such as rotary tables, are reordered.

    Attention also gets the length of a piece (`nn.piece`), in which positions
    are consecutive; kernels choose tiles by it.

    Without `is-asked` it changes nothing if an op numbers the sequence, or if
    pieces are no multiples of 64, the queries of a tile. With it, the first is
    an error that names the op; lengths need to be multiples of twice the ranks.
  }];
  let options = [
    Option<"isAsked", "is-asked", "bool", "false",
           "Fail where an op numbers the sequence">];
}

def DistInsertReshardsPass : ShardingPass<"dist-insert-reshards"> {
  let summary = "Finds partial sums and makes changes of sharding explicit";
  let description = [{
    Walks each function once, in program order, adds partial axes to the
    shardings, and inserts `dist.reshard` where an op needs an operand in
    another sharding. Numbers ops (`dist.id`).

    - A result is partial over the axes of factors that it lacks.
    - A partial sum stays partial if every use passes it on. Otherwise it is
      reduced once, where it is defined, to the sharding that propagation chose.
    - Operands of a sum are grouped by their partial axes; each group is added
      and reduced once, except over axes common to all groups. Operands that
      insert, pad or broadcast enlarges are reduced before that.
    - An operand is resharded at its use, once per stage and target sharding. A
      gathered value is not kept from forward to backward.
    - Gradient states are partial over the axes that the backward pass leaves.
    - A sum of squares becomes partial over all axes, so that it needs one
      all_reduce.
  }];
}

def DistVerifyPass : ShardingPass<"dist-verify"> {
  let summary = "Verifies a sharded program";
  let description = [{
    Before partition it checks that every value has a sharding; that operands
    and results of each op fit one assignment of axes to its factors; that
    results are partial over exactly the axes that follow, except zeros, which
    may be partial over any; that a partial operand enters an op only if the op
    is linear in it alone, or a sum of operands that are all partial over the
    same axes; and that no function returns a partial value.

    After partition it checks local programs against their shardings:

    - each op's operands and results, on global types, fit each other and obey
      the op's sharding rule;
    - each collective converts its operand's sharding to its result's over
      exactly its axes;
    - an op that numbers its elements starts with this rank's;
    - values that are read, written or returned have the declared shardings.

    Buckets:

    - each parameter and state is in at most one bucket;
    - members do not overlap, begin at multiples of 32 elements, and agree in
      all properties that decide how the bucket is updated;
    - a parameter, its gradient, moments and working copy are at the same
      offsets;
    - no function uses both a bucket and a member of it;
    - @update writes each bucket once, with two exceptions;
    - gathered buckets, of parameters or of working copies, are written by
      @gather instead, once, from all ranks' shards; only @update writes the
      shards;
    - buckets of gradients that have a sum (ZeRO 2 and 3) are added to it and
      cleared by @reduce; @update writes the sum.
  }];
}

def DistPartitionPass : ShardingPass<"dist-partition"> {
  let summary = "Turns the global program into one rank's program";
  let description = [{
    Makes types local, replaces ops by their local form and reshards by
    collectives and local ops. A reshard becomes, in this order: all_to_all; per
    dim reduce_scatter or slice, and all_to_all that these make possible;
    all_gather, and reduce_scatter or slice over the axes that it makes free;
    all_reduce of the remaining partial axes; a scale by 1/n where a value that
    n ranks have becomes partial. For example:

    ```
    from                  to                    becomes
    partial over tp       dim 0 over tp         reduce_scatter dim 0
    dim 0 over tp         whole                 all_gather dim 0
    dim 0 over tp         dim 1 over tp         all_to_all dim 0 to 1
    partial over tp       whole                 all_reduce
    ```

    Consecutive sum all_reduces of scalars over the same axes in one stage
    become one, unless the result of one is needed before the next. The module
    is marked `dist.spmd`. Every value keeps its sharding in `dist.shardings`,
    each step of a reshard gets one, and parameters, states, arguments and
    results keep their global type in `dist.global` and their sharding in
    `dist.sharding`.
  }];
}

def DistWorkingCopiesPass : ShardingPass<"dist-working-copies"> {
  let summary = "Turns casts of parameters into working copies";
  let description = [{
    Adds a state `copy.<parameter>`, the working copy, for each parameter that a
    function other than @update rounds to a narrower type. These functions read
    the working copy instead; ops that move elements between the read and the
    cast are applied to it. @update writes it where it writes the parameter, so
    the parameter is rounded once a step.

    With `all` every trained parameter has a working copy, of its own type if no
    cast rounds it, unless it is sharded over all data axes.

    Runs on one rank's program: a working copy is sharded like its parameter.
  }];
  let options = [
    Option<"all", "all", "bool", "false",
           "add working copies of all trained parameters">];
}

def DistFormBucketsPass : ShardingPass<"dist-form-buckets"> {
  let summary = "Forms buckets of parameters, gradients and optimizer state";
  let description = [{
    Places the trained parameters of one or more segments, their gradients and
    their optimizer state in buckets, flat buffers named `bucket.<n>.param`,
    `bucket.<n>.grad` and so on, with equal element offsets. @update then
    reduces a bucket by one collective (and by a second one if it is partial
    over tensor axes, too), adds its squares to the norm, and updates it by one
    op:

    ```mlir
    nn.state @bucket.0.grad : tensor<1x64xf32> bucket
        members [@grad.a, @grad.b] at [0, 32]
    ```

    Members begin at multiples of 32 elements; the length is a multiple of 32
    times the number of ranks along the data axes (dp times cp; for experts that
    are split over ep, dp / ep times cp). All members
    agree in weight decay, in the axes that shard them, in those over which
    their gradients are partial, in the type of their working copies, if any,
    and in the stages that use them. From `zero` 1 on, they also agree in
    whether functions other than @update use only the working copies. A
    parameter that several stages use has a bucket of its own. A bucket takes
    segment after segment until it has `bucket-size` bytes of gradients.

    ```
    zero  sharded over data axes     functions
    0     nothing                    @update all_reduces gradients
    1     moments; the update of     @update reduce_scatters gradients and
          parameters                 updates the shard bucket.<n>.own; @gather
                                     gathers parameters or working copies
    2     also gradients             @reduce, after each @microbatch, reduces
                                     gradients, accumulates them into
                                     bucket.<n>.sum and clears them
    3     also parameters            as 2; working copies are gathered per
                                     segment and released (nn.released)
    ```

    If all functions but @update use working copies only, a rank has no more of
    the parameters than its shard at `zero` 1 already, and @gather gathers the
    working copies. At `zero` 3 a bucket ends with its segment.
  }];
  let options = [
    Option<"zero", "zero", "int64_t", "0",
           "the ZeRO stage: data axes shard nothing (0), optimizer state (1), "
           "gradients too (2), parameters too (3)">,
    Option<"bucketSize", "bucket-size", "int64_t", "26214400",
           "bytes of gradients from which on a bucket is full">];
}

#endif // PCC_PASSES_SHARDING
