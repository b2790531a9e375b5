// Invalid plans: each program computes other values than its shardings say.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-verify

// The bias would be added once per rank: before the all_reduce.
dist.mesh @mesh = <["tp"=4]>
func.func @bias(
    %x: tensor<4x16xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>},
    %w: tensor<16x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>},
    %b: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) {
  %y = nn.contract "bk,kn->bn" %x, %w
      {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
      : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  // expected-error @+1 {{adds a partial sum over ["tp"] to operand 1, which is not partial there: it would be counted once per rank}}
  %z = nn.sum %y, %b
      {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
      : tensor<4x8xf32>
  return
}

// -----

// A residual that is replicated, added to a partial value.
dist.mesh @mesh = <["dp"=2, "tp"=2]>
func.func @residual(
    %x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>},
    %y: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}], partial = {"tp"}>}) {
  // expected-error @+1 {{to operand 0, which is not partial there}}
  %z = nn.sum %x, %y
      {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}], partial = {"tp"}>]}
      : tensor<4x8xf32>
  return
}

// -----

// A nonlinear function of a partial sum.
dist.mesh @mesh = <["tp"=2]>
func.func @gelu(
    %x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"tp"}>}) {
  // expected-error @+1 {{is not linear in operand 0, which is partial over ["tp"]}}
  %y = nn.gelu %x
      {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
      : tensor<4x8xf32>
  return
}

// -----

// The product of two partial sums is not a partial sum.
dist.mesh @mesh = <["tp"=2]>
func.func @product(
    %x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"tp"}>}) {
  // expected-error @+1 {{multiplies operands 0 and 1, which are both partial over ["tp"]}}
  %y = nn.mul %x, %x
      {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
      : tensor<4x8xf32>
  return
}

// -----

// A partial lhs with a slice of the rhs.
dist.mesh @mesh = <["tp"=2]>
func.func @contract(
    %x: tensor<4x16xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"tp"}>},
    %w: tensor<16x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}) {
  // expected-error @+1 {{is split over ["tp"], over which operand 0 is partial}}
  %y = nn.contract "bk,kn->bn" %x, %w
      {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]}
      : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// The sum of squares of a partial sum: a wrong norm.
dist.mesh @mesh = <["dp"=2]>
func.func @square(
    %g: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [{}], partial = {"dp"}>}) {
  // expected-error @+1 {{is not linear in operand 0, which is partial over ["dp"]}}
  %n = nn.sum_of_squares %g
      {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp"}>]}
      : tensor<8xf32> -> tensor<f32>
  return
}

// -----

// A norm is declared not linear in its cotangent, although it is.
dist.mesh @mesh = <["tp"=2]>
func.func @norm(
    %dy: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"tp"}>},
    %x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>},
    %r: tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // expected-error @+1 {{is not linear in operand 0}}
  %d = nn.rms_norm_grad_scale %dy, %x rstd %r
      {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"tp"}>]}
      : tensor<4x8xf32>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

// A row-parallel GEMM's result is partial, even if its sharding says otherwise.
dist.mesh @mesh = <["tp"=2]>
func.func @hidden(
    %x: tensor<4x16xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>},
    %w: tensor<16x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}) {
  // expected-error @+1 {{gives result 0 partial over ["tp"], but its sharding says []}}
  %y = nn.contract "bk,kn->bn" %x, %w
      {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]}
      : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// Operands with different shardings.
dist.mesh @mesh = <["tp"=2]>
func.func @mismatch(
    %x: tensor<4x16xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>},
    %w: tensor<16x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) {
  // expected-error @+1 {{takes operand 1 as #dist.sharding<@mesh, [{}, {}]>, which does not fit the op's sharding}}
  %y = nn.contract "bk,kn->bn" %x, %w
      {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
      : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
nn.param @w : tensor<8xf32> init one {dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @grad.w : tensor<8xf32> gradient of @w
    {dist.sharding = #dist.sharding<@mesh, [{}]>}
func.func @accumulate(
    %g: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [{}], partial = {"tp"}>}) {
  // expected-error @+1 {{stores a value with sharding #dist.sharding<@mesh, [{}], partial = {"tp"}> to a symbol with sharding #dist.sharding<@mesh, [{}]>}}
  nn.accumulate %g, @grad.w : tensor<8xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{returns a value that is still partial over ["tp"]}}
func.func @result(
    %x: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [{}], partial = {"tp"}>})
    -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @missing(
    %x: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // expected-error @+1 {{has no sharding}}
  %y = nn.exp %x : tensor<8xf32>
  return
}

// -----

module attributes {dist.spmd} {
dist.mesh @mesh = <["tp"=2]>
func.func @left(%x: tensor<8xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // expected-error @+1 {{is left in a partitioned program}}
  %y = dist.reshard %x from <@mesh, [{}]> to <@mesh, [{"tp"}]> : tensor<8xf32>
  return
}
}

// -----

// f16 and bf16 are equally wide, but a cast between them rounds.
dist.mesh @mesh = <["tp"=2]>
func.func @cast(
    %x: tensor<8xf16> {dist.sharding = #dist.sharding<@mesh, [{}], partial = {"tp"}>}) {
  // expected-error @+1 {{is not linear in operand 0}}
  %y = nn.cast %x {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"tp"}>]}
      : tensor<8xf16> -> tensor<8xbf16>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{is partial over ["tp"]: a parameter must not be partial}}
nn.param @w : tensor<8xf32> init one {dist.sharding = #dist.sharding<@mesh, [{}], partial = {"tp"}>}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{declares that result 0 has sharding #dist.sharding<@mesh, [{"tp"}]>, but it has sharding #dist.sharding<@mesh, [{}]>}}
func.func @result(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [{}]>})
    -> (tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}) {
  return %x : tensor<8xf32>
}

// -----

module attributes {dist.spmd} {
dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{has no dist.global in a partitioned program}}
nn.param @w : tensor<8xf32> init one
}
