// Each elementwise op, cast and optimizer step of compiled programs, against
// the interpreter.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Inputs/run_compiled.py %s %t | FileCheck %s
// CHECK-NOT: WRONG
// CHECK-COUNT-62: ok
// CHECK-NOT: {{ok|WRONG}}

module attributes {pcc.phase = "spmd"} {
func.func @forward(
    %x: tensor<2x3x10xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %y: tensor<2x3x10xf32> {nn.name = "y", nn.role = #nn.role<data>},
    %z_positive: tensor<2x3x10xf32> {nn.name = "z_positive", nn.role = #nn.role<data>},
    %i: tensor<2x3x10xi64> {nn.name = "i", nn.role = #nn.role<data>},
    %j: tensor<2x3x10xi64> {nn.name = "j", nn.role = #nn.role<data>},
    %long: tensor<16384xf32> {nn.name = "long", nn.role = #nn.role<data>},
    %p: tensor<6x70xf32> {nn.name = "p", nn.role = #nn.role<data>},
    %g: tensor<6x70xf32> {nn.name = "g", nn.role = #nn.role<data>},
    %m: tensor<6x70xf32> {nn.name = "m", nn.role = #nn.role<data>},
    %v_positive: tensor<6x70xf32> {nn.name = "v_positive", nn.role = #nn.role<data>},
    %scale_positive: tensor<f32> {nn.name = "scale_positive", nn.role = #nn.role<data>},
    %lr_positive: tensor<f32> {nn.name = "lr_positive", nn.role = #nn.role<data>},
    %b: tensor<f32> {nn.name = "b", nn.role = #nn.role<data>},
    %decay_positive: tensor<f32> {nn.name = "decay_positive", nn.role = #nn.role<data>},
    %step: tensor<i64> {nn.name = "step", nn.role = #nn.role<data>})
    -> (tensor<2x3x10xf32> {nn.name = "exp"},
        tensor<2x3x10xf32> {nn.name = "sqrt"},
        tensor<2x3x10xf32> {nn.name = "log"},
        tensor<2x3x10xf32> {nn.name = "tanh"},
        tensor<2x3x10xf32> {nn.name = "erf"},
        tensor<2x3x10xf32> {nn.name = "sin"},
        tensor<2x3x10xf32> {nn.name = "cos"},
        tensor<2x3x10xf32> {nn.name = "floor"},
        tensor<2x3x10xf32> {nn.name = "round"},
        tensor<2x3x10xf32> {nn.name = "sigmoid"},
        tensor<2x3x10xf32> {nn.name = "relu"},
        tensor<2x3x10xf32> {nn.name = "silu"},
        tensor<2x3x10xf32> {nn.name = "gelu"},
        tensor<2x3x10xf32> {nn.name = "gelu_tanh"},
        tensor<2x3x10xf32> {nn.name = "sum"},
        tensor<2x3x10xf32> {nn.name = "sub"},
        tensor<2x3x10xf32> {nn.name = "mul"},
        tensor<2x3x10xf32> {nn.name = "max"},
        tensor<2x3x10xf32> {nn.name = "min"},
        tensor<2x3x10xf32> {nn.name = "div"},
        tensor<2x3x10xf32> {nn.name = "pow"},
        tensor<2x3x10xf32> {nn.name = "rem"},
        tensor<2x3x10xf32> {nn.name = "relu_grad"},
        tensor<2x3x10xf32> {nn.name = "silu_grad"},
        tensor<2x3x10xf32> {nn.name = "gelu_grad"},
        tensor<2x3x10xf32> {nn.name = "gelu_grad_tanh"},
        tensor<2x3x10xf32> {nn.name = "three"},
        tensor<2x3x10xi64> {nn.name = "d"},
        tensor<2x3x10xi64> {nn.name = "imul"},
        tensor<2x3x10xi64> {nn.name = "imax"},
        tensor<2x3x10xi64> {nn.name = "imin"},
        tensor<2x3x10xi64> {nn.name = "idiv"},
        tensor<2x3x10xi64> {nn.name = "irem"},
        tensor<2x3x10xf32> {nn.name = "flt"},
        tensor<2x3x10xf32> {nn.name = "ilt"},
        tensor<2x3x10xf32> {nn.name = "fle"},
        tensor<2x3x10xf32> {nn.name = "ile"},
        tensor<2x3x10xf32> {nn.name = "feq"},
        tensor<2x3x10xf32> {nn.name = "ieq"},
        tensor<2x3x10xf32> {nn.name = "blt"},
        tensor<2x3x10xf32> {nn.name = "ble"},
        tensor<2x3x10xf32> {nn.name = "beq"},
        tensor<2x3x10xf32> {nn.name = "bmax_f"},
        tensor<2x3x10xi64> {nn.name = "bmin_i"},
        tensor<2x3x10xf32> {nn.name = "not_zero_f"},
        tensor<2x3x10xi64> {nn.name = "not_zero_i"},
        tensor<2x3x10xi64> {nn.name = "cut"},
        tensor<2x3x10xi64> {nn.name = "longer"},
        tensor<2x3x10xf32> {nn.name = "whole"},
        tensor<2x3x10xf32> {nn.name = "bf16"},
        tensor<2x3x10xf32> {nn.name = "f16"},
        tensor<2x3x10xf32> {nn.name = "f16_bf16"},
        tensor<2x3x10xf32> {nn.name = "f64"},
        tensor<16384xf32> {nn.name = "long_exp"},
        tensor<6x70xf32> {nn.name = "sgd"},
        tensor<6x70xf32> {nn.name = "sgd_decay"},
        tensor<6x70xf32> {nn.name = "adam_0"},
        tensor<6x70xf32> {nn.name = "adam_1"},
        tensor<6x70xf32> {nn.name = "adam_2"},
        tensor<6x70xf32> {nn.name = "adam_decay_0"},
        tensor<6x70xf32> {nn.name = "adam_decay_1"},
        tensor<6x70xf32> {nn.name = "adam_decay_2"}) {
  %exp = nn.exp %x : tensor<2x3x10xf32>
  %sqrt = nn.sqrt %z_positive : tensor<2x3x10xf32>
  %log = nn.log %z_positive : tensor<2x3x10xf32>
  %tanh = nn.tanh %x : tensor<2x3x10xf32>
  %erf = nn.erf %x : tensor<2x3x10xf32>
  %sin = nn.sin %x : tensor<2x3x10xf32>
  %cos = nn.cos %x : tensor<2x3x10xf32>
  %floor = nn.floor %x : tensor<2x3x10xf32>
  %round = nn.round %x : tensor<2x3x10xf32>
  %sigmoid = nn.sigmoid %x : tensor<2x3x10xf32>
  %relu = nn.relu %x : tensor<2x3x10xf32>
  %silu = nn.silu %x : tensor<2x3x10xf32>
  %gelu = nn.gelu %x : tensor<2x3x10xf32>
  %gelu_tanh = nn.gelu tanh %x : tensor<2x3x10xf32>
  %sum = nn.sum %x, %y : tensor<2x3x10xf32>
  %sub = nn.sub %x, %y : tensor<2x3x10xf32>
  %mul = nn.mul %x, %y : tensor<2x3x10xf32>
  %max = nn.max %x, %y : tensor<2x3x10xf32>
  %min = nn.min %x, %y : tensor<2x3x10xf32>
  %div = nn.div %x, %z_positive : tensor<2x3x10xf32>
  %pow = nn.pow %z_positive, %y : tensor<2x3x10xf32>
  %rem = nn.rem %x, %y : tensor<2x3x10xf32>
  %relu_grad = nn.relu_grad %x, %y : tensor<2x3x10xf32>
  %silu_grad = nn.silu_grad %x, %y : tensor<2x3x10xf32>
  %gelu_grad = nn.gelu_grad %x, %y : tensor<2x3x10xf32>
  %gelu_grad_tanh = nn.gelu_grad tanh %x, %y : tensor<2x3x10xf32>
  %three = nn.sum %x, %y, %z_positive : tensor<2x3x10xf32>
  // Integers: differences are negative, too.
  %d = nn.sub %i, %j : tensor<2x3x10xi64>
  %ones = nn.constant dense<1> : tensor<2x3x10xi64>
  %jj = nn.sum %j, %ones : tensor<2x3x10xi64>
  %imul = nn.mul %d, %jj : tensor<2x3x10xi64>
  %imax = nn.max %d, %j : tensor<2x3x10xi64>
  %imin = nn.min %d, %j : tensor<2x3x10xi64>
  %five = nn.constant dense<5> : tensor<2x3x10xi64>
  %d5 = nn.mul %d, %five : tensor<2x3x10xi64>
  %idiv = nn.div %d5, %jj : tensor<2x3x10xi64>
  %irem = nn.rem %d5, %jj : tensor<2x3x10xi64>
  // Comparisons of floats, integers and bools, as conditions of nn.where.
  %flt_b = nn.compare lt %floor, %round : tensor<2x3x10xf32> -> tensor<2x3x10xi1>
  %flt = nn.where %flt_b, %x, %y : tensor<2x3x10xi1>, tensor<2x3x10xf32>
  %ilt_b = nn.compare lt %d, %j : tensor<2x3x10xi64> -> tensor<2x3x10xi1>
  %ilt = nn.where %ilt_b, %x, %y : tensor<2x3x10xi1>, tensor<2x3x10xf32>
  %fle_b = nn.compare le %floor, %round : tensor<2x3x10xf32> -> tensor<2x3x10xi1>
  %fle = nn.where %fle_b, %x, %y : tensor<2x3x10xi1>, tensor<2x3x10xf32>
  %ile_b = nn.compare le %d, %j : tensor<2x3x10xi64> -> tensor<2x3x10xi1>
  %ile = nn.where %ile_b, %x, %y : tensor<2x3x10xi1>, tensor<2x3x10xf32>
  %feq_b = nn.compare eq %floor, %round : tensor<2x3x10xf32> -> tensor<2x3x10xi1>
  %feq = nn.where %feq_b, %x, %y : tensor<2x3x10xi1>, tensor<2x3x10xf32>
  %ieq_b = nn.compare eq %d, %j : tensor<2x3x10xi64> -> tensor<2x3x10xi1>
  %ieq = nn.where %ieq_b, %x, %y : tensor<2x3x10xi1>, tensor<2x3x10xf32>
  %bmax = nn.max %ilt_b, %flt_b : tensor<2x3x10xi1>
  %bmin = nn.min %ile_b, %flt_b : tensor<2x3x10xi1>
  %blt_b = nn.compare lt %ile_b, %fle_b : tensor<2x3x10xi1> -> tensor<2x3x10xi1>
  %blt = nn.where %blt_b, %x, %y : tensor<2x3x10xi1>, tensor<2x3x10xf32>
  %ble_b = nn.compare le %ile_b, %fle_b : tensor<2x3x10xi1> -> tensor<2x3x10xi1>
  %ble = nn.where %ble_b, %x, %y : tensor<2x3x10xi1>, tensor<2x3x10xf32>
  %beq_b = nn.compare eq %ile_b, %fle_b : tensor<2x3x10xi1> -> tensor<2x3x10xi1>
  %beq = nn.where %beq_b, %x, %y : tensor<2x3x10xi1>, tensor<2x3x10xf32>
  // Casts: bools become 1 or 0, floats are truncated to integers, narrow floats
  // are rounded.
  %bmax_f = nn.cast %bmax : tensor<2x3x10xi1> -> tensor<2x3x10xf32>
  %bmin_i = nn.cast %bmin : tensor<2x3x10xi1> -> tensor<2x3x10xi64>
  %is_not_zero = nn.cast %floor : tensor<2x3x10xf32> -> tensor<2x3x10xi1>
  %not_zero_f = nn.cast %is_not_zero : tensor<2x3x10xi1> -> tensor<2x3x10xf32>
  %d_not_zero = nn.cast %d : tensor<2x3x10xi64> -> tensor<2x3x10xi1>
  %not_zero_i = nn.cast %d_not_zero : tensor<2x3x10xi1> -> tensor<2x3x10xi64>
  %big = nn.scale %x by 1.0e2 : tensor<2x3x10xf32>
  %cut = nn.cast %big : tensor<2x3x10xf32> -> tensor<2x3x10xi64>
  %short = nn.cast %cut : tensor<2x3x10xi64> -> tensor<2x3x10xi32>
  %longer = nn.cast %short : tensor<2x3x10xi32> -> tensor<2x3x10xi64>
  %whole = nn.cast %short : tensor<2x3x10xi32> -> tensor<2x3x10xf32>
  %xb = nn.cast %x : tensor<2x3x10xf32> -> tensor<2x3x10xbf16>
  %yb = nn.cast %y : tensor<2x3x10xf32> -> tensor<2x3x10xbf16>
  %mb = nn.mul %xb, %yb : tensor<2x3x10xbf16>
  %sb = nn.sum %mb, %xb : tensor<2x3x10xbf16>
  %bf16 = nn.cast %sb : tensor<2x3x10xbf16> -> tensor<2x3x10xf32>
  %xh = nn.cast %x : tensor<2x3x10xf32> -> tensor<2x3x10xf16>
  %eh = nn.exp %xh : tensor<2x3x10xf16>
  %f16 = nn.cast %eh : tensor<2x3x10xf16> -> tensor<2x3x10xf32>
  %hb = nn.cast %xh : tensor<2x3x10xf16> -> tensor<2x3x10xbf16>
  %f16_bf16 = nn.cast %hb : tensor<2x3x10xbf16> -> tensor<2x3x10xf32>
  %xd = nn.cast %x : tensor<2x3x10xf32> -> tensor<2x3x10xf64>
  %ed = nn.exp %xd : tensor<2x3x10xf64>
  %fd = nn.erf %ed : tensor<2x3x10xf64>
  %f64 = nn.cast %fd : tensor<2x3x10xf64> -> tensor<2x3x10xf32>
  // A row that is divided among several work items.
  %long_exp = nn.exp %long : tensor<16384xf32>
  // Steps of optimizers.
  %sgd = nn.sgd %p, %g grad_scale %scale_positive lr %lr_positive weight_decay %decay_positive
      : tensor<6x70xf32>, tensor<6x70xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  %sgd_decay = nn.sgd decay %p, %g grad_scale %scale_positive lr %lr_positive weight_decay %decay_positive
      : tensor<6x70xf32>, tensor<6x70xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  %beta1 = nn.sigmoid %b : tensor<f32>
  %beta2 = nn.sigmoid %beta1 : tensor<f32>
  %adam:3 = nn.adamw %p, %g, %m, %v_positive grad_scale %scale_positive lr %lr_positive
      betas %beta1, %beta2 eps %beta2 weight_decay %decay_positive step %step
      : tensor<6x70xf32>, tensor<6x70xf32>, tensor<6x70xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  %adam_decay:3 = nn.adamw decay %p, %m, %g, %v_positive grad_scale %scale_positive lr %lr_positive
      betas %beta1, %beta2 eps %beta1 weight_decay %decay_positive step %step
      : tensor<6x70xf32>, tensor<6x70xf32>, tensor<6x70xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  return %exp, %sqrt, %log, %tanh, %erf, %sin, %cos, %floor, %round, %sigmoid,
      %relu, %silu, %gelu, %gelu_tanh, %sum, %sub, %mul, %max, %min, %div, %pow,
      %rem, %relu_grad, %silu_grad, %gelu_grad, %gelu_grad_tanh, %three, %d,
      %imul, %imax, %imin, %idiv, %irem, %flt, %ilt, %fle, %ile, %feq, %ieq,
      %blt, %ble, %beq, %bmax_f, %bmin_i, %not_zero_f, %not_zero_i, %cut,
      %longer, %whole, %bf16, %f16, %f16_bf16, %f64, %long_exp, %sgd,
      %sgd_decay, %adam#0, %adam#1, %adam#2, %adam_decay#0, %adam_decay#1,
      %adam_decay#2
      : tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xi64>, tensor<2x3x10xi64>, tensor<2x3x10xi64>,
        tensor<2x3x10xi64>, tensor<2x3x10xi64>, tensor<2x3x10xi64>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xi64>, tensor<2x3x10xf32>,
        tensor<2x3x10xi64>, tensor<2x3x10xi64>, tensor<2x3x10xi64>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<2x3x10xf32>,
        tensor<2x3x10xf32>, tensor<2x3x10xf32>, tensor<16384xf32>,
        tensor<6x70xf32>, tensor<6x70xf32>, tensor<6x70xf32>, tensor<6x70xf32>,
        tensor<6x70xf32>, tensor<6x70xf32>, tensor<6x70xf32>, tensor<6x70xf32>
}
}
