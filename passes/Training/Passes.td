//===- Passes.td - From a model to its training program ----*- tablegen -*-===//

#ifndef PCC_PASSES_TRAINING
#define PCC_PASSES_TRAINING

include "mlir/Pass/PassBase.td"

def NNAttachLossPass : Pass<"nn-attach-loss", "::mlir::ModuleOp"> {
  let summary = "Turns @forward into @loss and @evaluate";
  let description = [{
    `@loss` takes the model's inputs and, where the loss needs them, an input
    of role targets, and returns two rank-0 f32 tensors: the SUM of the loss
    over the targets that count, and how many these are.

    - `causal-lm`: the output is [batch, seq, vocab], the targets [batch, seq]
      i64, the token to predict at each position, negative where none is.
      Nothing is shifted here.
    - `cross-entropy`: the output is [..., classes], the targets [...] i64,
      negative where none is. Of several outputs it is the one named "logits".
    - `mse`: the targets have the output's shape and element type; every element
      counts.

    Rows of that output belong to the samples of the inputs. Where each sample
    has several, as of a model that ends in `logits.view(-1, vocab)`, they are
    a dim of their own in the targets; rows that are no sample's are an error.

    Outputs of whole numbers, or that no gradient flows from, are none that a loss
    is of. Of scores whose bounds are at most 2 apart, such as probabilities,
    causal-lm and cross-entropy warn; they are not assumed of them.

    Where none is asked for it is `causal-lm` if the model shows that it may be:
    every attention removes the keys after the query, and nothing else joins
    values of several positions. The module's `nn.loss` says which it became.

    A model whose file ends in a loss of its own has `nn.has_loss` on @forward,
    a list with `{factor, divided, mean}` for each term, and returns each term's
    sum and, if `divided`, its divisor: the loss is the sum of factor * sum /
    divisor, where `mean` says that the factor halves for twice the batch, and
    as a number how often. What a term has as `assumed` is warned of where that
    matters, and so is an input that all samples share and that divides a sum
    over samples, `total`: it is taken as a number for the whole global batch.
    `unclear` is an error. Sums must be sums over samples, and divisors follow
    from such sums of inputs and from what is the same for all samples. One
    mean, or one divisor, is returned as it is. Else @counts adds up what the
    divisors need, and the number of microbatches, in states with `nn.ahead`;
    @loss reads these, and returns what a microbatch adds to the mean over all
    of them. `nn.has_loss` without a list is one sum and a count.
    Other formulas are errors unless `whole-batch`, and so is an attached loss
    of a model that surely computes with several samples; the module's
    `nn.whole_batch` then says what it is needed for. Where a model may only
    move samples, a warning names the op.

    `@evaluate` is @loss without dropout. It returns nothing and adds to the
    states `eval_loss_sum` and `eval_target_count`; `@evaluate_result` returns
    their quotient and the count, and clears them.
  }];
  let options = [
    Option<"loss", "loss", "std::string", "\"\"",
           "causal-lm, cross-entropy or mse; absent: causal-lm if no position "
           "sees the tokens after it">,
    Option<"wholeBatch", "whole-batch", "bool", "false",
           "a step is one microbatch of one rank">];
  let dependentDialects = ["::pcc::nn::NNDialect", "::mlir::func::FuncDialect"];
}

def NNBoundIdsPass : Pass<"nn-bound-ids", "::mlir::ModuleOp"> {
  let summary = "Notes which ids inputs may hold";
  let description = [{
    An input of the roles that are read from data whose elements name rows of a
    table, a parameter's or a computed one, or classes, gets `nn.ids`: how many
    there are, the node that says so and, where data is nothing but a loss's
    classes, `of_loss`. Programs refuse data with other ids; negative classes
    are not counted.
    Runs while tables are whole and not padded.
  }];
}

def NNPrecisionPass : Pass<"nn-precision", "::mlir::ModuleOp"> {
  let summary = "Lets a model compute with 16-bit elements";
  let description = [{
    Activations get the type `kind`, and so do products, attention and lookups;
    parameters, states and results of functions stay as they are. Each use of an
    f32 parameter becomes one of its narrow copy, an `nn.cast`, behind what only
    moves its elements; a segment has one. Sums and row statistics, quotients,
    exponentials, roots and the like have f32 results, as have softmax, what
    lies between the last layer and the loss, and what depends on no parameter.
    Where an elementwise op meets both it computes with f32, and its result is
    rounded. fp16 adds the state `loss_scale`.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "\"f32\"", "f32, bf16 or fp16">];
  let dependentDialects = ["::pcc::nn::NNDialect"];
}

def NNAutodiffPass : Pass<"nn-autodiff", "::mlir::ModuleOp"> {
  let summary = "Turns @loss into @microbatch: forward and backward";
  let description = [{
    Reverse mode on global shapes. @microbatch takes @loss's inputs, returns
    nothing and accumulates into f32 states: the gradient of the loss sum with
    respect to every trainable parameter into `grad.<parameter>`, the loss sum
    into `loss_sum`, the number of targets into `target_count`.

    The backward follows the forward in reverse order; a parameter's gradient
    is accumulated as soon as its last contribution exists. Ops that compute it
    have `nn.bwd`, and the `nn.stage` and location of the forward op they
    belong to. The cotangents of a value that is used several times are added
    by one n-ary `nn.sum`, those of all reads of a parameter too. Sums whose
    only use is another sum of the same stage become part of it, in every
    function. The gradient of a narrow copy of a parameter is computed in the
    parameter's type. Where there is a state `loss_scale`, all gradients are
    multiplied by it. Ops without a use are removed. No gradient flows through an
    `nn.cast` that has `nn.detached`, nor from a lookup into the row that its
    `nn.padding_row` names.
  }];
  let dependentDialects = ["::pcc::nn::NNDialect", "::mlir::func::FuncDialect"];
}

def NNOptimizerPass : Pass<"nn-optimizer", "::mlir::ModuleOp"> {
  let summary = "Adds @update and the optimizer's state";
  let description = [{
    With n = target_count, @update computes the gradient norm
    sqrt(sum of squares of all gradients) / n, scales the gradients by
    min(1, clip_grad / (norm + 1e-6)) / n, takes one step of the optimizer for
    every parameter that has a gradient, clears gradients, loss_sum and
    target_count, and returns the mean loss and the norm before clipping, then
    the sum of each count of the file's own loss (states with `nn.count`). The
    sums of squares are added by one n-ary `nn.sum`. Without clipping,
    clip_grad is +inf. Where the loss or the norm is not finite, as without
    targets, the gradients' scale is nan: such a step updates nothing.

    With a state `loss_scale`, n is target_count times that, and the scale of
    the next step is written:
    half of it after such a step, twice where `loss_scale_window` (an input)
    steps went well, which `good_steps` counts. The scale of the step is a
    result; adamw counts its steps in `updates`.

    adamw: states `exp_avg.<parameter>` and `exp_avg_sq.<parameter>`, f32;
    inputs lr, weight_decay, beta1, beta2, eps, clip_grad, step. sgd: no state;
    inputs lr, weight_decay, clip_grad.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "\"adamw\"", "adamw or sgd">];
  let dependentDialects = ["::pcc::nn::NNDialect", "::mlir::func::FuncDialect"];
}

def NNVerifyPass : Pass<"nn-verify", "::mlir::ModuleOp"> {
  let summary = "Checks what must hold of a whole nn program";
  let description = [{
    - Only params, states and functions; functions hold nothing but nn ops in
      one block; every value is a tensor of static shape.
    - Inputs have roles, and there is one input per role but data, shared and
      positions.
    - No two forward ops draw random numbers with one id.
    - Parameters are written in @update only, frozen ones nowhere; gradients,
      moments and sums are read there and in @evaluate_result only.
    - A gradient state is f32, has its trainable parameter's shape and is
      accumulated at most once per function.
    - @loss returns two rank-0 f32 sums, and every op between a trainable
      parameter and the first has a derivative.
    - A forward op uses no gradient.
    - Stages are given to all ops but reads and constants or to none; a forward
      op's stage is at least its operands', a gradient op's at most.
    - @update writes every parameter that has a gradient exactly once, and
      clears every gradient.
  }];
}

#endif // PCC_PASSES_TRAINING
