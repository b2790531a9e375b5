//===- LossOps.td - Losses and their components ------------*- tablegen -*-===//

#ifndef PCC_NN_LOSSOPS
#define PCC_NN_LOSSOPS

include "dialects/NN/OpBase.td"

def NN_CrossEntropyOp : NN_ComputeOp<"cross_entropy", NN_Either, NN_General,
    [NN_VJP, NN_Local, AllTypesMatch<["loss", "lse"]>]> {
  let summary = "Cross entropy of logits and targets, per row";
  let description = [{
    logits is [..., v], targets [...]; loss and lse are f32 of the targets'
    shape. loss = lse(logits) - logits[target], or 0 if the target is negative.
    Columns from `classes` on are padding: they have no probability. lse, the
    log-sum-exp of a row, is kept for the backward pass.

    ```mlir
    %loss, %lse = nn.cross_entropy %logits, %targets classes 7
        : tensor<2x3x8xbf16>, tensor<2x3xi64> -> tensor<2x3xf32>
    ```

    **Constraints:**
    - there is one target per row of logits; loss and lse have the targets'
      shape;
    - `classes` is at least 1 and at most the number of columns.
  }];
  let arguments = (ins NN_Float:$logits, NN_Int:$targets, I64Attr:$classes);
  let results = (outs NN_F32:$loss, NN_F32:$lse);
  let assemblyFormat = [{
    $logits `,` $targets `classes` $classes attr-dict `:` type($logits) `,`
    type($targets) `->` type($loss)
  }];
  let hasVerifier = 1;
}

def NN_CrossEntropyGradOp
    : NN_ComputeOp<"cross_entropy_grad", NN_Wide, NN_General, [NN_Local,
        AllTypesMatch<["logits", "dlogits"]>,
        AllTypesMatch<["dloss", "lse"]>]> {
  let summary = "The cotangent of cross entropy's logits";
  let description = [{
    The result is dloss * (exp(logits - lse) - [column is the target]), and 0
    where the target is negative or the column is padding. Columns are numbered
    from `offset` (absent: 0) if the logits are one rank's shard.

    ```mlir
    %dlogits = nn.cross_entropy_grad %dloss, %logits, %targets lse %lse
        classes 7 : tensor<2x3xf32>, tensor<2x3x8xbf16>, tensor<2x3xi64>
    ```

    **Constraints:**
    - there is one target per row of logits;
    - dloss and lse have the same type, of the targets' shape; dlogits has the
      type of logits;
    - offset has rank 0;
    - without an offset, `classes` is at least 1 and at most the number of
      columns.
  }];
  let arguments = (ins NN_F32:$dloss, NN_Float:$logits, NN_Int:$targets,
    NN_F32:$lse, Optional<NN_Int>:$offset, I64Attr:$classes);
  let results = (outs NN_Float:$dlogits);
  let assemblyFormat = [{
    $dloss `,` $logits `,` $targets `lse` $lse
    (`offset` $offset^ `:` type($offset))? `classes` $classes attr-dict `:`
    type($dloss) `,` type($logits) `,` type($targets)
  }];
  let hasVerifier = 1;
}

// The partitioned form of cross_entropy if classes are sharded.

def NN_RowMaxOp : NN_ComputeOp<"row_max", NN_Wide, NN_General> {
  let summary = "The maximum of each row over the columns below `classes`";
  let description = [{
    Columns are numbered from `offset` (absent: 0). The result of a row without
    such a column is -inf, or in compiled programs the lowest finite f32.

    ```mlir
    %max = nn.row_max %logits classes 7 : tensor<2x3x8xbf16> -> tensor<2x3xf32>
    ```

    **Constraints:**
    - logits have at least one dim; the result has one element per row;
    - offset has rank 0;
    - without an offset, `classes` is at least 1 and at most the number of
      columns.
  }];
  let arguments = (ins NN_Float:$logits, Optional<NN_Int>:$offset,
                   I64Attr:$classes);
  let results = (outs NN_F32:$result);
  let assemblyFormat = [{
    $logits (`offset` $offset^ `:` type($offset))? `classes` $classes attr-dict
    `:` type($logits) `->` type($result)
  }];
  let hasVerifier = 1;
}

def NN_CrossEntropyStatsOp
    : NN_ComputeOp<"cross_entropy_stats", NN_Wide, NN_General> {
  let summary = "Per row: sum of exp(logit - max), and the target's logit";
  let description = [{
    The result is [2, ...]. The second statistic is 0 if the target is not one of
    the columns (numbered from `offset`, below `classes`). So the sum over ranks
    has the statistics of the whole row.

    ```mlir
    %stats = nn.cross_entropy_stats %logits, %targets max %max
        offset %first : tensor<i64> classes 14
        : tensor<2x3x8xbf16>, tensor<2x3xi64>, tensor<2x3xf32>
        -> tensor<2x2x3xf32>
    ```

    **Constraints:**
    - there is one target and one max per row of logits; the result is
      [2, rows...];
    - offset has rank 0;
    - without an offset, `classes` is at least 1 and at most the number of
      columns.
  }];
  let arguments = (ins NN_Float:$logits, NN_Int:$targets, NN_F32:$max,
    Optional<NN_Int>:$offset, I64Attr:$classes);
  let results = (outs NN_F32:$result);
  let assemblyFormat = [{
    $logits `,` $targets `max` $max (`offset` $offset^ `:` type($offset))?
    `classes` $classes attr-dict `:` type($logits) `,` type($targets) `,`
    type($max) `->` type($result)
  }];
  let hasVerifier = 1;
}

def NN_CrossEntropyLossOp
    : NN_ComputeOp<"cross_entropy_loss", NN_Wide, NN_General,
    [AllTypesMatch<["max", "loss", "lse"]>]> {
  let summary = "Cross entropy from the statistics and maximum of each row";
  let description = [{
    With stats = [sum of exp(logit - max), the target's logit]:
    lse = log(sum) + max, loss = lse - logit, 0 where the target is negative.

    ```mlir
    %loss, %lse = nn.cross_entropy_loss %stats max %max, %targets
        : tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>
    ```

    **Constraints:**
    - max, loss and lse have the same type, of the targets' shape;
    - stats are [2, rows...] of f32.
  }];
  let arguments = (ins NN_F32:$stats, NN_F32:$max, NN_Int:$targets);
  let results = (outs NN_F32:$loss, NN_F32:$lse);
  let assemblyFormat = [{
    $stats `max` $max `,` $targets attr-dict `:` type($stats) `,` type($max)
    `,` type($targets)
  }];
  let hasVerifier = 1;
}

def NN_ValidOp : NN_ComputeOp<"valid", NN_Wide, NN_General> {
  let summary = "Marks valid targets: 1 where a target is not negative, else 0";
  let description = [{
    The sum of the result is the number of valid targets of a loss.

    ```mlir
    %valid = nn.valid %targets : tensor<2x3xi64> -> tensor<2x3xf32>
    ```

    **Constraints:**
    - the result has the targets' shape.
  }];
  let arguments = (ins NN_Int:$targets);
  let results = (outs NN_F32:$result);
  let assemblyFormat = [{
    $targets attr-dict `:` type($targets) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // PCC_NN_LOSSOPS
