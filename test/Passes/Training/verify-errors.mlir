// One violation of each rule that --nn-verify checks.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-verify

nn.state @loss_sum : tensor<f32> sum
// expected-error@+1 {{is neither a parameter, a state nor a function}}
module @inner {
}

// -----

// expected-error@+1 {{@train is no function of a program}}
func.func @train() {
  return
}

// -----

// expected-error@+1 {{must have one block}}
func.func private @forward()

// -----

func.func @forward(%x: tensor<4xf32> {nn.role = #nn.role<data>}) -> tensor<4xf32> {
  // expected-error@+1 {{'func.call' is func.call, which is not an nn op}}
  %y = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @forward(%x: tensor<?xf32> {nn.role = #nn.role<data>}) -> tensor<?xf32> {
  // expected-error@+1 {{'func.return' uses a value of type 'tensor<?xf32>'; values are tensors of static shape}}
  return %x : tensor<?xf32>
}

// -----

// expected-error@+1 {{input 0 of @forward has no role}}
func.func @forward(%x: tensor<4xf32>) {
  return
}

// -----

func.func @forward(
    // expected-note@+1 {{the other one}}
    %x: tensor<4xi64> {nn.role = #nn.role<tokens>},
    // expected-error@+1 {{@forward has two inputs of role 'tokens'}}
    %y: tensor<4xi64> {nn.role = #nn.role<tokens>}) {
  return
}

// -----

func.func @forward(%x: tensor<2x3xf32> {nn.role = #nn.role<data>},
                   %i: tensor<2xi64> {nn.role = #nn.role<samples>},
                   %j: tensor<3xi64> {nn.role = #nn.role<positions>},
                   %s: tensor<i64> {nn.role = #nn.role<seed>},
                   %t: tensor<i64> {nn.role = #nn.role<step>}) -> tensor<2x3xf32> {
  // expected-note@+1 {{by 'nn.dropout'}}
  %a = nn.dropout %x samples %i positions %j seed %s step %t
      {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  // expected-error@+1 {{'nn.dropout' draws random numbers with id 1, which is taken}}
  %b = nn.dropout %a samples %i positions %j seed %s step %t
      {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  return %b : tensor<2x3xf32>
}

// -----

nn.state @loss_sum : tensor<f32> sum
func.func @microbatch() {
  // expected-error@+1 {{@microbatch reads state @loss_sum, which only @update and @evaluate_result may}}
  %0 = nn.read @loss_sum : tensor<f32>
  return
}

// -----

nn.state @loss_sum : tensor<f32> sum
func.func @microbatch(%x: tensor<f32> {nn.role = #nn.role<data>}) {
  // expected-error@+1 {{@microbatch replaces @loss_sum, which only @update may}}
  nn.write %x, @loss_sum : tensor<f32>
  return
}

// -----

nn.param @w : tensor<f32> init normal
func.func @evaluate_result(%x: tensor<f32> {nn.role = #nn.role<data>}) {
  // expected-error@+1 {{parameter @w must not be written outside @update}}
  nn.write %x, @w : tensor<f32>
  return
}

// -----

nn.param @w : tensor<f32> init normal frozen
func.func @update(%x: tensor<f32> {nn.role = #nn.role<data>}) {
  // expected-error@+1 {{parameter @w must not be written because it is frozen}}
  nn.write %x, @w : tensor<f32>
  return
}

// -----

nn.state @loss_sum : tensor<f32> sum
func.func @microbatch(%x: tensor<f32> {nn.role = #nn.role<data>}) {
  // expected-note@+1 {{here too}}
  nn.accumulate %x, @loss_sum : tensor<f32>
  // expected-error@+1 {{@loss_sum is accumulated twice; add the values by one nn.sum}}
  nn.accumulate %x, @loss_sum : tensor<f32>
  return
}

// -----

// expected-error@+1 {{gradient @grad.w belongs to no parameter}}
nn.state @grad.w : tensor<4xf32> gradient

// -----

// expected-note@+1 {{@w is 'tensor<5xf32>'}}
nn.param @w : tensor<5xf32> init normal
// expected-error@+1 {{gradient @grad.w is 'tensor<4xf32>', not the f32 gradient of a trainable parameter}}
nn.state @grad.w : tensor<4xf32> gradient of @w

// -----

// expected-note@+1 {{@w is 'tensor<4xbf16>'}}
nn.param @w : tensor<4xbf16> init normal
// expected-error@+1 {{not the f32 gradient of a trainable parameter}}
nn.state @grad.w : tensor<4xbf16> gradient of @w

// -----

// expected-note@+1 {{@w is 'tensor<4xf32>', frozen}}
nn.param @w : tensor<4xf32> init normal frozen
// expected-error@+1 {{not the f32 gradient of a trainable parameter}}
nn.state @grad.w : tensor<4xf32> gradient of @w

// -----

// expected-error@+1 {{@loss must return the loss sum and the number of targets, and possibly the sum of auxiliary losses, each 'tensor<f32>'}}
func.func @loss(%x: tensor<f32> {nn.role = #nn.role<data>}) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// A mean would make gradients depend on how a batch is split.
func.func @loss(%x: tensor<f32> {nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) {
  // expected-error@+1 {{the loss must be a sum over all targets, but 'nn.div' does not add}}
  %mean = nn.div %x, %x : tensor<f32>
  return %mean, %mean : tensor<f32>, tensor<f32>
}

// -----

func.func @loss(%x: tensor<4xf32> {nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) {
  %l = nn.reduce %x [0] : tensor<4xf32> -> tensor<f32>
  // expected-error@+1 {{the number of targets must be a sum over all targets, but 'nn.exp' does not add}}
  %n = nn.exp %l : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

nn.param @w : tensor<2x3xf32> init normal
func.func @loss() -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<2x3xf32>
  // expected-error@+1 {{'nn.row_max' lies between a trainable parameter and the loss, but nn.row_max has no derivative}}
  %m = nn.row_max %w classes 3 : tensor<2x3xf32> -> tensor<2xf32>
  %l = nn.reduce %m [0] : tensor<2xf32> -> tensor<f32>
  %n = nn.constant dense<2.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

func.func @microbatch(%x: tensor<4xf32> {nn.role = #nn.role<data>}) {
  // expected-note@+1 {{of 'nn.exp'}}
  %a = nn.exp %x {nn.bwd} : tensor<4xf32>
  // expected-error@+1 {{'nn.log' is of the forward pass and uses a gradient}}
  %b = nn.log %a : tensor<4xf32>
  return
}

// -----

func.func @microbatch(%x: tensor<4xf32> {nn.role = #nn.role<data>}) {
  // expected-note@+1 {{of 'nn.exp'}}
  %a = nn.exp %x {nn.stage = 1 : i64} : tensor<4xf32>
  // expected-error@+1 {{'nn.log' of stage 0 uses a value of the later stage 1}}
  %b = nn.log %a {nn.stage = 0 : i64} : tensor<4xf32>
  return
}

// -----

func.func @microbatch(%x: tensor<4xf32> {nn.role = #nn.role<data>}) {
  // expected-note@+1 {{of 'nn.exp'}}
  %a = nn.exp %x {nn.bwd, nn.stage = 0 : i64} : tensor<4xf32>
  // expected-error@+1 {{'nn.log' of stage 1 uses a value of the earlier stage 0}}
  %b = nn.log %a {nn.bwd, nn.stage = 1 : i64} : tensor<4xf32>
  return
}

// -----

func.func @microbatch(%x: tensor<4xf32> {nn.role = #nn.role<data>}) {
  %a = nn.exp %x {nn.stage = 0 : i64} : tensor<4xf32>
  // expected-error@+1 {{'nn.log' has no stage, but 'nn.exp' has one}}
  %b = nn.log %a : tensor<4xf32>
  return
}

// -----

nn.param @w : tensor<f32> init normal
nn.state @grad.w : tensor<f32> gradient of @w
// expected-error@+1 {{@update must write @w once, not 0 times}}
func.func @update() {
  return
}

// -----

nn.param @w : tensor<f32> init normal
nn.state @grad.w : tensor<f32> gradient of @w
// expected-error@+1 {{@update must write @grad.w once, not 0 times}}
func.func @update(%x: tensor<f32> {nn.role = #nn.role<data>}) {
  nn.write %x, @w : tensor<f32>
  return
}

// -----

nn.param @w : tensor<f32> init normal
nn.state @grad.w : tensor<f32> gradient of @w
// expected-error@+1 {{@update must write @grad.w once, not 2 times}}
func.func @update(%x: tensor<f32> {nn.role = #nn.role<data>}) {
  nn.write %x, @w : tensor<f32>
  nn.write %x, @grad.w : tensor<f32>
  nn.write %x, @grad.w : tensor<f32>
  return
}

// -----

// An attention with dropout has an id of random numbers, too.
func.func @forward(%x: tensor<2x3x1x4xf32> {nn.role = #nn.role<data>},
                   %y: tensor<2x3xf32> {nn.role = #nn.role<data>},
                   %i: tensor<2xi64> {nn.role = #nn.role<samples>},
                   %j: tensor<3xi64> {nn.role = #nn.role<positions>},
                   %s: tensor<i64> {nn.role = #nn.role<seed>},
                   %t: tensor<i64> {nn.role = #nn.role<step>}) {
  // expected-note@+1 {{by 'nn.attention'}}
  %o, %l = nn.attention %x, %x, %x positions %j, %j samples %i seed %s step %t scale 1.0 {p = 0.1, id = 1}
      : (tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>) -> (tensor<2x3x1x4xf32>, tensor<2x3x1xf32>)
  // expected-error@+1 {{'nn.dropout' draws random numbers with id 1, which is taken}}
  %d = nn.dropout %y samples %i positions %j seed %s step %t {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  return
}

// -----

nn.state @loss_scale : tensor<f32> number first 1.0
func.func @evaluate() {
  // expected-error@+1 {{@evaluate reads state @loss_scale, which only @update and @evaluate_result may}}
  %0 = nn.read @loss_scale : tensor<f32>
  return
}

// -----

nn.state @loss_sum : tensor<f32> sum
func.func @evaluate() {
  // expected-error@+1 {{@evaluate reads state @loss_sum, which only @update and @evaluate_result may}}
  %0 = nn.read @loss_sum : tensor<f32>
  return
}

// -----

// expected-note@+1 {{@w is 'tensor<4xf64>'}}
nn.param @w : tensor<4xf64> init normal
// expected-error@+1 {{not the f32 gradient of a trainable parameter}}
nn.state @grad.w : tensor<4xf32> gradient of @w

// -----

// A loss must not be a constant or an input.
func.func @loss(%x: tensor<f32> {nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) {
  // expected-error@+1 {{the loss must be a sum over all targets, but 'nn.constant' does not add}}
  %n = nn.constant dense<2.0> : tensor<f32>
  return %n, %n : tensor<f32>, tensor<f32>
}

// -----

func.func @loss(
    // expected-error@+1 {{the loss must be a sum over all targets, but 'x' does not add}}
    %x: tensor<f32> {nn.name = "x", nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// An op without a derivative, far from the parameter.
nn.param @w : tensor<2x3xf32> init normal
func.func @loss() -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<2x3xf32>
  %e = nn.exp %w : tensor<2x3xf32>
  // expected-error@+1 {{'nn.row_max' lies between a trainable parameter and the loss}}
  %m = nn.row_max %e classes 3 : tensor<2x3xf32> -> tensor<2xf32>
  %f = nn.exp %m : tensor<2xf32>
  %l = nn.reduce %f [0] : tensor<2xf32> -> tensor<f32>
  %n = nn.constant dense<2.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

// A backward op that has no stage, among others.
func.func @microbatch(%x: tensor<4xf32> {nn.role = #nn.role<data>}) {
  // expected-error@+1 {{'nn.exp' has no stage, but 'nn.log' has one}}
  %a = nn.exp %x : tensor<4xf32>
  %b = nn.log %a {nn.stage = 0 : i64} : tensor<4xf32>
  return
}
