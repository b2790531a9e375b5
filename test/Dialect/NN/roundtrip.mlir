// Every op is parsed, printed and parsed again, with every optional part.
// RUN: pcc-opt %s -o %t && pcc-opt %t | diff %t -
// RUN: FileCheck %s < %t

// CHECK: nn.param @w : tensor<8x12xf32> init normal decay source <name = "h.weight"{{.*}}strides = [1, 8], valid = [8, 12]>
nn.param @w : tensor<8x12xf32> init normal decay source <
  name = "h.weight", file = "m.onnx", offset = 64, type = tensor<12x8xf32>,
  file_size = 1000, digest = 7, base = 0, strides = [1, 8],
  valid = [8, 12]>
// CHECK: nn.param @frozen : tensor<4xf32> init file frozen
nn.param @frozen : tensor<4xf32> init file frozen
// CHECK: nn.param @folded : tensor<8x12xf32> init normal decay source <name = "h.weight"{{.*}}> transposed plus_one copies [<name = "tied"{{.*}}>, <name = "again"{{.*}}>] uses [3, 1, 5, 2] frozen
nn.param @folded : tensor<8x12xf32> init normal decay source <
  name = "h.weight", file = "m.onnx", offset = 64, type = tensor<12x8xf32>,
  file_size = 1000, digest = 7, base = 0, strides = [1, 8], valid = [8, 12]>
  transposed plus_one copies [<
  name = "tied", file = "m.onnx", offset = 448, type = tensor<8x12xf32>,
  file_size = 1000, digest = 7, base = 0, strides = [12, 1], valid = [8, 12]>, <
  name = "again", file = "m.onnx", offset = 600, type = tensor<8x12xf32>,
  file_size = 1000, digest = 7, base = 0, strides = [12, 1], valid = [8, 12]>]
  uses [3, 1, 5, 2] frozen
// CHECK: nn.param @one : tensor<4xbf16> init one
nn.param @one : tensor<4xbf16> init one
// CHECK: nn.state @grad.w : tensor<8x12xf32> gradient of @w
nn.state @grad.w : tensor<8x12xf32> gradient of @w
// CHECK: nn.state @exp_avg.w : tensor<8x12xf32> exp_avg of @w
nn.state @exp_avg.w : tensor<8x12xf32> exp_avg of @w
// CHECK: nn.state @exp_avg_sq.w : tensor<8x12xf32> exp_avg_sq of @w
nn.state @exp_avg_sq.w : tensor<8x12xf32> exp_avg_sq of @w
// CHECK: nn.state @loss_sum : tensor<f32> sum
nn.state @loss_sum : tensor<f32> sum

// CHECK-LABEL: func.func @state
func.func @state() {
  // CHECK: nn.read @w : tensor<8x12xf32>
  %w = nn.read @w : tensor<8x12xf32>
  // CHECK: nn.write %{{.*}}, @exp_avg.w : tensor<8x12xf32>
  nn.write %w, @exp_avg.w : tensor<8x12xf32>
  // CHECK: nn.accumulate %{{.*}}, @grad.w : tensor<8x12xf32> {nn.bwd}
  nn.accumulate %w, @grad.w : tensor<8x12xf32> {nn.bwd}
  // CHECK: nn.constant dense<[1, 2]> : tensor<2xi64>
  %c = nn.constant dense<[1, 2]> : tensor<2xi64>
  return
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<2x4x8xf32>, %w: tensor<8x12xf32>,
                       %samples: tensor<2xi64>, %pos: tensor<4xi64>,
                       %s: tensor<i64>, %origin: tensor<3xi64>,
                       %choice: tensor<2x4x8xi1>) {
  // CHECK: nn.contract "bsk,kn->bsn" %{{.*}}, %{{.*}} : tensor<2x4x8xf32>, tensor<8x12xf32> -> tensor<2x4x12xf32>
  %0 = nn.contract "bsk,kn->bsn" %x, %w
      : tensor<2x4x8xf32>, tensor<8x12xf32> -> tensor<2x4x12xf32>
  // CHECK: nn.sum %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4x8xf32>
  %1 = nn.sum %x, %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.sub
  %2 = nn.sub %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.mul
  %3 = nn.mul %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.div
  %4 = nn.div %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.max
  %5 = nn.max %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.min
  %6 = nn.min %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.rem
  %rem = nn.rem %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.pow
  %pow = nn.pow %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.compare le %{{.*}}, %{{.*}} : tensor<2x4x8xf32> -> tensor<2x4x8xi1>
  %compare = nn.compare le %x, %x : tensor<2x4x8xf32> -> tensor<2x4x8xi1>
  // CHECK: nn.sin
  %sin = nn.sin %x : tensor<2x4x8xf32>
  // CHECK: nn.cos
  %cos = nn.cos %x : tensor<2x4x8xf32>
  // CHECK: nn.floor
  %floor = nn.floor %x : tensor<2x4x8xf32>
  // CHECK: nn.round
  %round = nn.round %x : tensor<2x4x8xf32>
  // CHECK: nn.reduce_max %{{.*}} [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %reduce_max = nn.reduce_max %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  // CHECK: nn.reduce_min
  %reduce_min = nn.reduce_min %x [0, 1] : tensor<2x4x8xf32> -> tensor<8xf32>
  // CHECK: nn.reduce_prod
  %reduce_prod = nn.reduce_prod %x [0] : tensor<2x4x8xf32> -> tensor<4x8xf32>
  // CHECK: nn.exp
  %7 = nn.exp %x : tensor<2x4x8xf32>
  // CHECK: nn.log
  %8 = nn.log %x : tensor<2x4x8xf32>
  // CHECK: nn.sqrt
  %9 = nn.sqrt %x : tensor<2x4x8xf32>
  // CHECK: nn.tanh
  %10 = nn.tanh %x : tensor<2x4x8xf32>
  // CHECK: nn.sigmoid
  %11 = nn.sigmoid %x : tensor<2x4x8xf32>
  // CHECK: nn.relu %
  %12 = nn.relu %x : tensor<2x4x8xf32>
  // CHECK: nn.silu %
  %13 = nn.silu %x : tensor<2x4x8xf32>
  // CHECK: nn.relu_grad
  %14 = nn.relu_grad %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.silu_grad
  %15 = nn.silu_grad %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.gelu %{{.*}} : tensor<2x4x8xf32>
  %16 = nn.gelu %x : tensor<2x4x8xf32>
  // CHECK: nn.gelu tanh %{{.*}} : tensor<2x4x8xf32>
  %17 = nn.gelu tanh %x : tensor<2x4x8xf32>
  // CHECK: nn.gelu_grad %{{.*}}, %{{.*}} : tensor<2x4x8xf32>
  %18 = nn.gelu_grad %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.gelu_grad tanh %{{.*}}, %{{.*}} : tensor<2x4x8xf32>
  %19 = nn.gelu_grad tanh %x, %x : tensor<2x4x8xf32>
  // CHECK: nn.scale %{{.*}} by 5.000000e-01 : tensor<2x4x8xf32>
  %20 = nn.scale %x by 0.5 : tensor<2x4x8xf32>
  // CHECK: nn.cast %{{.*}} : tensor<2x4x8xf32> -> tensor<2x4x8xbf16>
  %21 = nn.cast %x : tensor<2x4x8xf32> -> tensor<2x4x8xbf16>
  // CHECK: nn.dropout %{{.*}} samples %{{.*}} positions %{{.*}} seed %{{.*}} step %{{.*}} {batch_dim = 0 : i64, id = 3 : i64, p = 1.000000e-01 : f64, seq_dim = 1 : i64} : tensor<2x4x8xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>
  %22 = nn.dropout %x samples %samples positions %pos seed %s step %s
      {p = 0.1, id = 3, batch_dim = 0, seq_dim = 1}
      : tensor<2x4x8xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>
  // CHECK: nn.erf
  %24 = nn.erf %x : tensor<2x4x8xf32>
  // CHECK: nn.where %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4x8xi1>, tensor<2x4x8xf32>
  %25 = nn.where %choice, %x, %x : tensor<2x4x8xi1>, tensor<2x4x8xf32>
  // CHECK: nn.dropout {{.*}} origin %{{.*}} : tensor<2x4x8xf32>, {{.*}}, tensor<3xi64>
  %23 = nn.dropout %x samples %samples positions %pos seed %s step %s origin %origin
      {p = 0.1, id = 3, batch_dim = 0, seq_dim = 1}
      : tensor<2x4x8xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>, tensor<3xi64>
  return
}

// CHECK-LABEL: func.func @shape
func.func @shape(%x: tensor<2x3x4xf32>) {
  // CHECK: nn.reshape %{{.*}} : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %0 = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  // CHECK: nn.transpose %{{.*}} [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = nn.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  // CHECK: nn.broadcast %{{.*}} [0, 2, 3] : tensor<2x3x4xf32> -> tensor<2x5x3x4xf32>
  %2 = nn.broadcast %x [0, 2, 3] : tensor<2x3x4xf32> -> tensor<2x5x3x4xf32>
  // CHECK: nn.reduce %{{.*}} [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  %3 = nn.reduce %x [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  // CHECK: nn.slice %{{.*}} at [0, 1, 0] step [1, 1, 2] : tensor<2x3x4xf32> -> tensor<2x2x2xf32>
  %4 = nn.slice %x at [0, 1, 0] step [1, 1, 2] : tensor<2x3x4xf32> -> tensor<2x2x2xf32>
  // CHECK: nn.pad %{{.*}} at [1, 0, 0] step [1, 2, 1] : tensor<2x3x4xf32> -> tensor<4x5x4xf32>
  %5 = nn.pad %x at [1, 0, 0] step [1, 2, 1] : tensor<2x3x4xf32> -> tensor<4x5x4xf32>
  // CHECK: nn.concat %{{.*}}, %{{.*}} along 1 : tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x6x4xf32>
  %6 = nn.concat %x, %x along 1 : tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x6x4xf32>
  // CHECK: nn.select %{{.*}} dim 1 index 2 : tensor<2x3x4xf32> -> tensor<2x4xf32>
  %7 = nn.select %x dim 1 index 2 : tensor<2x3x4xf32> -> tensor<2x4xf32>
  // CHECK: nn.insert %{{.*}} dim 1 index 2 : tensor<2x4xf32> -> tensor<2x3x4xf32>
  %8 = nn.insert %7 dim 1 index 2 : tensor<2x4xf32> -> tensor<2x3x4xf32>
  return
}

// CHECK-LABEL: func.func @fused
func.func @fused(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %r: tensor<2x3xf32>,
                 %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>,
                 %lse: tensor<2x3x2xf32>, %pos: tensor<3xi64>,
                 %far: tensor<5xi64>, %samples: tensor<2xi64>, %s: tensor<i64>,
                 %ids: tensor<2x3xi64>, %table: tensor<7x4xf32>) {
  // CHECK: nn.softmax %
  %0 = nn.softmax %x : tensor<2x3x4xf32>
  // CHECK: nn.softmax_grad %
  %1 = nn.softmax_grad %x, %0 : tensor<2x3x4xf32>
  // CHECK: nn.layer_norm %{{.*}} scale %{{.*}} bias %{{.*}} eps 1.000000e-05 : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  %2:3 = nn.layer_norm %x scale %c bias %c eps 1.0e-5 : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: nn.layer_norm %{{.*}} scale %{{[^ ]*}} eps
  %3:3 = nn.layer_norm %x scale %c eps 1.0e-5 : tensor<2x3x4xf32>, tensor<4xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: nn.layer_norm_grad %
  %4 = nn.layer_norm_grad %x, %x scale %c mean %r rstd %r : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: nn.layer_norm_grad_scale %
  %5 = nn.layer_norm_grad_scale %x, %x mean %r rstd %r : tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4xf32>
  // CHECK: nn.rms_norm %
  %6:2 = nn.rms_norm %x scale %c eps 1.0e-6 : tensor<2x3x4xf32>, tensor<4xf32> -> tensor<2x3xf32>
  // CHECK: nn.rms_norm_grad %
  %7 = nn.rms_norm_grad %x, %x scale %c rstd %r : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>
  // CHECK: nn.rms_norm_grad_scale %
  %8 = nn.rms_norm_grad_scale %x, %x rstd %r : tensor<2x3x4xf32>, tensor<2x3xf32> -> tensor<4xf32>
  // CHECK: nn.rope %{{.*}} positions %{{.*}} theta 1.000000e+04 dim 2 : tensor<2x3x2x4xf32>, tensor<3xi64>
  %9 = nn.rope %h positions %pos theta 1.0e4 dim 2 : tensor<2x3x2x4xf32>, tensor<3xi64>
  // CHECK: nn.rope inverse %
  %10 = nn.rope inverse %h positions %pos theta 1.0e4 dim 2 : tensor<2x3x2x4xf32>, tensor<3xi64>
  // CHECK: nn.attention %{{.*}} positions %{{[^ ]*}}, %{{[^ ]*}} scale 5.000000e-01 : (
  %11:2 = nn.attention %h, %k, %k positions %pos, %far scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  // CHECK: nn.attention causal %{{.*}} samples %{{.*}} seed %{{.*}} step %{{.*}} head_origin %{{.*}} scale 5.000000e-01 {id = 7 : i64, p = 1.000000e-01 : f64} : (
  %12:2 = nn.attention causal %h, %k, %k positions %pos, %far samples %samples seed %s step %s head_origin %s scale 0.5 {p = 0.1, id = 7}
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<i64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  // CHECK: nn.attention_grad %{{.*}} result %{{.*}} lse %{{.*}} positions %{{[^ ]*}}, %{{[^ ]*}} scale
  %13:3 = nn.attention_grad %h, %h, %k, %k result %h lse %lse positions %pos, %far scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>)
  // CHECK: nn.attention_grad causal %{{.*}} samples %{{.*}} seed %{{.*}} step %{{.*}} head_origin %{{.*}} scale {{.*}} {id = 7 : i64, p = 1.000000e-01 : f64} : (
  %14:3 = nn.attention_grad causal %h, %h, %k, %k result %h lse %lse positions %pos, %far samples %samples seed %s step %s head_origin %s scale 0.5 {p = 0.1, id = 7}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<3xi64>, tensor<5xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<i64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>)
  // CHECK: nn.embedding %{{.*}}, %{{.*}} : tensor<2x3xi64>, tensor<7x4xf32> -> tensor<2x3x4xf32>
  %15 = nn.embedding %ids, %table : tensor<2x3xi64>, tensor<7x4xf32> -> tensor<2x3x4xf32>
  // CHECK: nn.embedding %{{.*}}, %{{.*}} offset %{{.*}} : tensor<i64> :
  %16 = nn.embedding %ids, %table offset %s : tensor<i64> : tensor<2x3xi64>, tensor<7x4xf32> -> tensor<2x3x4xf32>
  // CHECK: nn.embedding_grad %{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<7x4xf32>
  %17 = nn.embedding_grad %x, %ids : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<7x4xf32>
  // CHECK: nn.embedding_grad %{{.*}}, %{{.*}} offset %{{.*}} : tensor<i64> :
  %18 = nn.embedding_grad %x, %ids offset %s : tensor<i64> : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<7x4xf32>
  // Rows of several dims.
  // CHECK: %[[CHOSEN:.*]] = nn.top_k %{{.*}} : tensor<2x3x4xf32> -> tensor<2x3x2xi32>
  %chosen = nn.top_k %x : tensor<2x3x4xf32> -> tensor<2x3x2xi32>
  // CHECK: %[[PICKED:.*]] = nn.pick %{{.*}}, %[[CHOSEN]] : tensor<2x3x4xf32>, tensor<2x3x2xi32> -> tensor<2x3x2xf32>
  %picked = nn.pick %x, %chosen : tensor<2x3x4xf32>, tensor<2x3x2xi32> -> tensor<2x3x2xf32>
  // CHECK: nn.pick %{{.*}}, %[[CHOSEN]] offset %{{.*}} : tensor<i64> :
  %part = nn.pick %x, %chosen offset %s : tensor<i64> : tensor<2x3x4xf32>, tensor<2x3x2xi32> -> tensor<2x3x2xf32>
  // CHECK: nn.spread %[[PICKED]], %[[CHOSEN]] : tensor<2x3x2xf32>, tensor<2x3x2xi32> -> tensor<2x3x8xf32>
  %spread = nn.spread %picked, %chosen : tensor<2x3x2xf32>, tensor<2x3x2xi32> -> tensor<2x3x8xf32>
  // CHECK: nn.spread %[[PICKED]], %[[CHOSEN]] offset %{{.*}} : tensor<i64> :
  %half = nn.spread %picked, %chosen offset %s : tensor<i64> : tensor<2x3x2xf32>, tensor<2x3x2xi32> -> tensor<2x3x4xf32>
  // CHECK: %[[ROWS:.*]] = nn.embedding %{{.*}}, %{{.*}} : tensor<3xi64>, tensor<2x3x4xf32> -> tensor<3x3x4xf32>
  %19 = nn.embedding %pos, %x : tensor<3xi64>, tensor<2x3x4xf32> -> tensor<3x3x4xf32>
  // CHECK: nn.embedding_grad %[[ROWS]], %{{.*}} : tensor<3x3x4xf32>, tensor<3xi64> -> tensor<2x3x4xf32>
  %20 = nn.embedding_grad %19, %pos : tensor<3x3x4xf32>, tensor<3xi64> -> tensor<2x3x4xf32>
  return
}

// CHECK-LABEL: func.func @losses
func.func @losses(%x: tensor<2x3x8xbf16>, %t: tensor<2x3xi64>,
                  %r: tensor<2x3xf32>, %s: tensor<i64>) {
  // CHECK: nn.cross_entropy %{{.*}}, %{{.*}} classes 7 : tensor<2x3x8xbf16>, tensor<2x3xi64> -> tensor<2x3xf32>
  %0:2 = nn.cross_entropy %x, %t classes 7 : tensor<2x3x8xbf16>, tensor<2x3xi64> -> tensor<2x3xf32>
  // CHECK: nn.cross_entropy_grad %{{.*}} lse %{{[^ ]*}} classes 7 :
  %1 = nn.cross_entropy_grad %r, %x, %t lse %r classes 7 : tensor<2x3xf32>, tensor<2x3x8xbf16>, tensor<2x3xi64>
  // CHECK: nn.cross_entropy_grad %{{.*}} lse %{{.*}} offset %{{.*}} : tensor<i64> classes 16 :
  %2 = nn.cross_entropy_grad %r, %x, %t lse %r offset %s : tensor<i64> classes 16 : tensor<2x3xf32>, tensor<2x3x8xbf16>, tensor<2x3xi64>
  // CHECK: nn.row_max %{{.*}} classes 7 : tensor<2x3x8xbf16> -> tensor<2x3xf32>
  %3 = nn.row_max %x classes 7 : tensor<2x3x8xbf16> -> tensor<2x3xf32>
  // CHECK: nn.row_max %{{.*}} offset
  %4 = nn.row_max %x offset %s : tensor<i64> classes 16 : tensor<2x3x8xbf16> -> tensor<2x3xf32>
  // CHECK: nn.cross_entropy_stats %{{.*}} max %{{[^ ]*}} classes 7 : {{.*}} -> tensor<2x2x3xf32>
  %5 = nn.cross_entropy_stats %x, %t max %r classes 7 : tensor<2x3x8xbf16>, tensor<2x3xi64>, tensor<2x3xf32> -> tensor<2x2x3xf32>
  // CHECK: nn.cross_entropy_stats %{{.*}} offset
  %6 = nn.cross_entropy_stats %x, %t max %r offset %s : tensor<i64> classes 16 : tensor<2x3x8xbf16>, tensor<2x3xi64>, tensor<2x3xf32> -> tensor<2x2x3xf32>
  // CHECK: nn.cross_entropy_loss %{{.*}} max %{{.*}}, %{{.*}} : tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>
  %7:2 = nn.cross_entropy_loss %6 max %r, %t : tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>
  // CHECK: nn.valid %{{.*}} : tensor<2x3xi64> -> tensor<2x3xf32>
  %8 = nn.valid %t : tensor<2x3xi64> -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @optimizers
func.func @optimizers(%p: tensor<2x3xbf16>, %g: tensor<2x3xf32>,
                      %s: tensor<f32>, %step: tensor<i64>) {
  // CHECK: nn.adamw decay %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} grad_scale %{{.*}} lr %{{.*}} betas %{{.*}}, %{{.*}} eps %{{.*}} weight_decay %{{.*}} step %{{.*}} : tensor<2x3xbf16>, tensor<2x3xf32>, tensor<2x3xf32>,
  %0:3 = nn.adamw decay %p, %g, %g, %g grad_scale %s lr %s betas %s, %s eps %s weight_decay %s step %step : tensor<2x3xbf16>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  // CHECK: nn.adamw %
  %1:3 = nn.adamw %p, %g, %g, %g grad_scale %s lr %s betas %s, %s eps %s weight_decay %s step %step : tensor<2x3xbf16>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  // CHECK: nn.sgd decay %{{.*}}, %{{.*}} grad_scale %{{.*}} lr %{{.*}} weight_decay %
  %2 = nn.sgd decay %p, %g grad_scale %s lr %s weight_decay %s : tensor<2x3xbf16>, tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  // CHECK: nn.sgd %
  %3 = nn.sgd %p, %g grad_scale %s lr %s weight_decay %s : tensor<2x3xbf16>, tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  // CHECK: nn.sum_of_squares %{{.*}} : tensor<2x3xf32> -> tensor<f32>
  %4 = nn.sum_of_squares %g : tensor<2x3xf32> -> tensor<f32>
  return
}
