//===- Passes.td - Passes that build the training step -----*- tablegen -*-===//

#ifndef PCC_PASSES_TRAINING
#define PCC_PASSES_TRAINING

include "mlir/Pass/PassBase.td"

def NNBalanceExpertsPass : Pass<"nn-balance-experts", "::mlir::ModuleOp"> {
  let summary = "Counts the choices of experts; adds auxiliary losses to @loss";
  let description = [{
    @loss accumulates how often each expert of a layer is chosen in a state
    `@expert_count.<layer>`. `nn-optimizer` reports the largest count over the
    mean as the result "load".

    With `capacity` all `nn.experts` have this capacity, and @loss accumulates
    their overflows in states `@expert_overflow.<layer>`. `nn-optimizer` returns
    the sum as a result whose name ends with the capacity.

    With `bias-rate` the state belongs to the layer's correction bias, a frozen
    parameter [E] that is added to the scores by which experts are chosen.
    `nn-optimizer` adds the rate to the biases of experts that were chosen less
    often than the mean, and subtracts it where they were chosen more often. A
    layer without such a bias is an error.

    With `aux-loss` X, @loss returns a third sum, over all `nn.experts` and
    samples:

        targets of the sample * X * E / (k s^2)
            * sum over experts e of count_e * sum over tokens t of r_te

    E are the experts, k the choices of a token, s the tokens of a sample,
    count_e the choices of e by the sample's tokens, and r the router's scores
    divided by their sum over experts. count has no gradient. Training minimizes
    its mean over targets along with the loss: the samples' auxiliary losses
    count as much as their targets do, on every layout.

    The scores are those that the gates are picked from. Gates that are a
    softmax of picked logits have the softmax of all logits as scores.

    A router that is not recognized, tokens without a dim of their sequence, and
    a loss that the file computes itself are errors.
  }];
  let dependentDialects = ["::pcc::nn::NNDialect"];
  let options = [
    Option<"auxLoss", "aux-loss", "double", /*default=*/"0",
           "The factor X of the auxiliary loss; 0: none">,
    Option<"biasRate", "bias-rate", "double", /*default=*/"0",
           "By how much a step changes correction biases; 0: not at all">,
    Option<"capacity", "capacity", "double", /*default=*/"0",
           "The capacity of all nn.experts; 0: none">
  ];
}

def NNAttachLossPass : Pass<"nn-attach-loss", "::mlir::ModuleOp"> {
  let summary = "Attaches the loss: turns @forward into @loss and @evaluate";
  let description = [{
    `@loss` takes the model's inputs and, if the loss needs it, an input of role
    targets. It returns two rank-0 f32 tensors: the SUM of the loss over valid
    targets, and their number.

    - `causal-lm`: the output is [batch, seq, vocab], the targets [batch, seq]
      i64: the token to predict at each position, negative where there is none.
      Targets are not shifted here.
    - `cross-entropy`: the output is [..., classes], the targets [...] i64,
      negative where there is none.
    - `mse`: the targets have the output's shape and element type; every element
      is valid.

    Of several outputs that fit, the loss uses the one named "logits". Without
    that name, causal-lm and cross-entropy use the only one whose bounds do not
    rule out logits.

    The first dim of the output must belong to the samples of the inputs. If
    each sample has several rows, as in a model that ends in
    `logits.view(-1, vocab)`, the targets have a separate dim for them. Rows
    that do not belong to samples are an error.

    Outputs of integers, and outputs that no gradient flows from, are not used.
    If the bounds of scores are at most 2 apart, as those of probabilities are,
    causal-lm and cross-entropy warn, and causal-lm is not assumed.

    Without `loss`, causal-lm is attached if no output position may depend on a
    later token: every attention masks the keys after the query, and no other op
    reads a later position. The module's `nn.loss` records the choice.

    A model that computes its own loss has `nn.has_loss` on @forward: a list
    with `{factor, divided, mean}` for each term. @forward returns each term's
    sum and, if `divided`, its divisor. The loss is the sum of factor * sum /
    divisor. `mean` says that the factor halves when the batch doubles; as a
    number, how many times. `nn.has_loss` without a list is one sum and a count.

    The text of `assumed` in a term becomes a warning where it matters. `total`
    names an input that all samples share and that divides a sum over samples:
    it is taken as a number for the whole global batch, with a warning.
    `unclear` is an error unless `whole-batch` is set.

    Sums must be sums over samples. Divisors must follow from such sums of
    inputs and from values that are the same for all samples. A single mean, or
    a single divisor, is returned unchanged. Otherwise @counts accumulates the
    sums that divisors need, and the number of microbatches, in states with
    `nn.ahead`. @loss reads these states and returns the microbatch's
    contribution to the mean over all microbatches.

    Other formulas are errors unless `whole-batch` is set, as is an attached
    loss of a model that surely combines several samples. With `whole-batch` the
    module's `nn.whole_batch` holds the reason why it is needed. If an op may
    only move samples, a warning names it.

    `@evaluate` is @loss without dropout. It returns nothing and accumulates
    into the states `eval_loss_sum` and `eval_target_count`.
    `@evaluate_result` returns their quotient and the count, and clears both.
    With `@counts` the states are the sums of all terms and counts, and the
    results are the loss and 1, or 0 if a divisor is 0.
  }];
  let options = [
    Option<"loss", "loss", "std::string", "\"\"",
           "causal-lm, cross-entropy or mse; absent: causal-lm if no position "
           "depends on later tokens">,
    Option<"wholeBatch", "whole-batch", "bool", "false",
           "a step is one microbatch of one replica, so any loss formula is "
           "valid">];
  let dependentDialects = ["::pcc::nn::NNDialect", "::mlir::func::FuncDialect"];
}

def NNDocumentsPass : Pass<"nn-documents", "::mlir::ModuleOp"> {
  let summary = "Masks attention across the documents of a sample";
  let description = [{
    A sample may hold several documents, each ended by a token of `ends`. The
    pass adds the input document_starts, the position at which the document of
    each token begins, to @forward and to every attention along the sequence.
    The module's `nn.document_ends` records the tokens.

    Positions are reset at each document, unless `keep-positions` is set:
    nn.rope rotates by index - start, and a value that depends on the position
    alone, such as a learned table, becomes a lookup in it by index - start.
    Masks by position and random numbers stay by index.

    Errors, with the node: attention along the sequence without a causal mask,
    with a bias by position that is no mask, or with a mask that depends on more
    than distances (both allowed with `keep-positions`); any other op that
    combines positions, except sums and shifts in the model's own loss; targets
    there that are not those of the next tokens; values by position that cannot
    be looked up. Chunks are counted from the start of a sample, with a warning.
  }];
  let dependentDialects = ["::pcc::nn::NNDialect"];
  let options = [
    ListOption<"ends", "ends", "int64_t", "The tokens that end a document">,
    Option<"loss", "loss", "std::string", "\"\"",
           "The loss that is attached; only causal-lm has the next tokens as "
           "targets">,
    Option<"keepPositions", "keep-positions", "bool", "false",
           "Positions are not reset at documents">
  ];
}

def NNBoundIdsPass : Pass<"nn-bound-ids", "::mlir::ModuleOp"> {
  let summary = "Annotates inputs with the range of valid ids";
  let description = [{
    An input of a role that is read from data gets `nn.ids` if its elements
    index rows of a table (a parameter or a computed one) or classes. The
    attribute holds the number of ids, the node that implies it and, for an
    input of role data or shared whose elements are only classes of a loss,
    `of_loss`. Programs reject data with other ids; negative classes are valid:
    they mark positions without a target.
    The pass runs before tables are sharded or padded.
  }];
}

def NNPrecisionPass : Pass<"nn-precision", "::mlir::ModuleOp"> {
  let summary = "Applies mixed precision (bf16 or fp16)";
  let description = [{
    Activations, contractions, attention and lookups get the type `kind`;
    parameters, states and function results keep theirs. Each use of an f32
    parameter uses its working copy: an `nn.cast`, one per segment, after ops
    that only move the parameter's elements.

    Sums and row statistics, quotients, exponentials, roots and the like have
    f32 results, as have softmax, everything between the last layer and the
    loss, and values that depend on no parameter. An elementwise op with both
    f32 and low precision operands computes in f32 and rounds its result. fp16
    adds the state `loss_scale`.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "\"f32\"", "f32, bf16 or fp16">];
  let dependentDialects = ["::pcc::nn::NNDialect"];
}

def NNAutodiffPass : Pass<"nn-autodiff", "::mlir::ModuleOp"> {
  let summary = "Turns @loss into @microbatch: forward and backward";
  let description = [{
    Reverse-mode differentiation on global shapes. @microbatch takes @loss's
    inputs, returns nothing and accumulates into states: the gradient of the
    loss sum with respect to every trainable parameter into `grad.<parameter>`,
    the loss sum into `loss_sum`, the number of targets into `target_count`. The
    states are f32; the gradient of an f64 parameter is f64.

    The backward follows the forward in reverse order; a parameter's gradient
    is accumulated as soon as its last contribution exists. Backward ops have
    `nn.bwd`, and the `nn.stage` and location of their forward op.

    One n-ary `nn.sum` adds the cotangents of a value with several uses; another
    adds those of all reads of a parameter. Sums whose only use is another sum
    of the same stage are merged into it, in every function. The gradient of a
    parameter's working copy is computed in the parameter's type. With a state
    `loss_scale` all gradients are multiplied by it. Unused ops are removed.

    No gradient flows through an `nn.cast` that has `nn.detached`, nor from a
    lookup into the row that its `nn.padding_row` names.
  }];
  let dependentDialects = ["::pcc::nn::NNDialect", "::mlir::func::FuncDialect"];
}

def NNOptimizerPass : Pass<"nn-optimizer", "::mlir::ModuleOp"> {
  let summary = "Adds @update and the optimizer's state";
  let description = [{
    With n = target_count, @update computes the gradient norm
    sqrt(sum of squares of all gradients) / n and scales the gradients by
    min(1, clip_grad / (norm + 1e-6)) / n. It takes one optimizer step for every
    parameter that has a gradient and clears gradients, loss_sum, target_count
    and states with `nn.ahead`. It returns the mean loss and the norm before
    clipping, then the sum of each count of the model's own loss (states with
    `nn.count`).

    One n-ary `nn.sum` adds the sums of squares. Without clipping, clip_grad is
    +inf. If the loss or the norm is not finite, as in a step without valid
    targets, the gradient scale is nan, and no parameter or moment changes.

    With a state `loss_scale`, n is target_count times the loss scale, and
    @update writes the loss scale of the next step: half of it after an
    overflow, twice after `loss_scale_window` (an input) steps without one,
    counted by `good_steps`; at least 1 and at most 2^32. The step's loss scale
    is the third result; adamw counts its steps in `updates` instead of taking
    the input `step`.

    adamw: states `exp_avg.<parameter>` and `exp_avg_sq.<parameter>` of the type
    `state`; inputs lr, weight_decay, beta1, beta2, eps, clip_grad, step. With
    bf16 it rounds them at random, with the bits of one `nn.rounding_bits` per
    parameter, whose id is the parameter's number in the module; the input seed
    comes first. sgd: no state; inputs lr, weight_decay, clip_grad.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "\"adamw\"", "adamw or sgd">,
    Option<"state", "state", "std::string", "\"f32\"",
           "type of adamw's moments: f32 or bf16">];
  let dependentDialects = ["::pcc::nn::NNDialect", "::mlir::func::FuncDialect"];
}

def NNVerifyPass : Pass<"nn-verify", "::mlir::ModuleOp"> {
  let summary = "Verifies a whole nn program";
  let description = [{
    - Only params, states and functions; functions contain only nn ops in one
      block; every value is a tensor of static shape.
    - Inputs have roles, and there is one input per role except data, shared and
      positions.
    - No two forward ops draw random numbers with one id.
    - Parameters are written in @update only, frozen ones nowhere. States are
      read there and in @evaluate_result only, except that every function may
      read those with `nn.ahead`, and @microbatch numbers.
    - A gradient state is f32 (f64 for an f64 parameter), has its trainable
      parameter's shape and is accumulated at most once per function.
    - @loss returns two rank-0 f32 values; an attached loss is a sum, and its
      count a sum or a constant. Every op between a trainable parameter and the
      first has a derivative.
    - A forward op uses no gradient.
    - Either all ops except reads and constants have a stage, or none has. An
      op's stage is at least those of its operands from the forward pass, and at
      most those of its operands that are gradients.
    - @update writes every parameter that has a gradient, and every gradient,
      exactly once.
  }];
}

#endif // PCC_PASSES_TRAINING
