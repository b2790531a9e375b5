// One test per constraint of the dialect.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{mesh axis "tp" is declared twice}}
dist.mesh @mesh = <["tp"=2, "tp"=2]>

// -----

// Only values of a rank's program, after partitioning, are a partial maximum.
dist.mesh @mesh = <["tp"=2]>
func.func @max(%x: tensor<4xf32>) {
  // expected-error @+1 {{'partial max' is only allowed after partitioning}}
  %y = nn.exp %x {dist.shardings = [#dist.sharding<@mesh, [{}], partial max = {"tp"}>]} : tensor<4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @both(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis "tp" occurs twice in a sharding}}
  %y = nn.exp %x {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"tp"}, partial max = {"tp"}>]} : tensor<4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2, "dp"=2]>
func.func @again(%x: tensor<4xf32>) {
  // expected-error @+1 {{partial axes are listed twice}}
  %y = nn.exp %x {dist.shardings = [#dist.sharding<@mesh, [{}], partial max = {"tp"}, partial max = {"dp"}>]} : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{mesh axis "tp" has size 1; axes of size 1 are left out}}
dist.mesh @mesh = <["tp"=1]>

// -----

// expected-error @+1 {{a mesh axis needs a name}}
dist.mesh @mesh = <[""=2 data]>

// -----

// expected-error @+1 {{mesh axis "x" needs a role after its size: pipeline, data, sequence, tensor or expert}}
dist.mesh @mesh = <["tp"=2, "x"=2]>

// -----

// expected-error @+1 {{unknown role 'batch'; expected pipeline, data, sequence, tensor or expert}}
dist.mesh @mesh = <["x"=2 batch]>

// -----

// expected-error @+1 {{mesh axis "tp" has role data, but its name implies tensor}}
dist.mesh @mesh = <["tp"=2 data]>

// -----

// expected-error @+1 {{a mesh has at most one axis of role pipeline: a rank's stage is its index along it}}
dist.mesh @mesh = <["pp"=2, "x"=2 pipeline]>

// -----

// expected-note @+1 {{the first one is here}}
dist.mesh @a = <["tp"=2]>
// expected-error @+1 {{is the module's second mesh}}
dist.mesh @b = <["tp"=2]>

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{axis "tp" occurs twice in a sharding}}
nn.param @w : tensor<4x4xf32> init one {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {"tp"}]>}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{axis "tp" occurs twice in a sharding}}
nn.param @w : tensor<4x4xf32> init one {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}], partial = {"tp"}>}

// -----

// expected-error @+1 {{'?' must come last}}
nn.param @w : tensor<4xf32> init one {dist.sharding = #dist.sharding<@mesh, [{?, "tp"}]>}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{sharding names @other, which is not the module's mesh}}
nn.param @w : tensor<4xf32> init one {dist.sharding = #dist.sharding<@other, [{}]>}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{axis "cp" is not one of mesh @mesh}}
nn.param @w : tensor<4xf32> init one {dist.sharding = #dist.sharding<@mesh, [{"cp"}]>}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{axis "cp" is not one of mesh @mesh}}
nn.param @w : tensor<4xf32> init one {dist.sharding = #dist.sharding<@mesh, [{}], partial = {"cp"}>}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{sharding of 2 dims does not fit 'tensor<4xf32>'}}
nn.param @w : tensor<4xf32> init one {dist.sharding = #dist.sharding<@mesh, [{}, {}]>}

// -----

dist.mesh @mesh = <["dp"=2, "tp"=2]>
// expected-error @+1 {{dim 0 of 'tensor<6xf32>' is not a multiple of the 4 ranks it is split over}}
nn.param @w : tensor<6xf32> init one {dist.sharding = #dist.sharding<@mesh, [{"dp", "tp"}]>}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{dim 0 is open, which is only allowed in a seed}}
nn.param @w : tensor<4xf32> init one {dist.sharding = #dist.sharding<@mesh, [{?}]>}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{a seed cannot ask for partial sums}}
nn.param @w : tensor<4xf32> init one {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{}], partial = {"tp"}>, reason = "">]}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{seed for result 1, which does not exist}}
nn.param @w : tensor<4xf32> init one {dist.seeds = [#dist.seed<level = 0, result = 1, sharding = <@mesh, [{}]>, reason = "">]}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{dist.shardings must have one entry for each of 0 results}}
nn.param @w : tensor<4xf32> init one {dist.shardings = [#dist.sharding<@mesh, [{}]>]}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{has the unknown attribute dist.shard}}
nn.param @w : tensor<4xf32> init one {dist.shard = 1}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{declares 'tensor<4xf32>', but 'tensor<2xf32>' is a rank's shard of 'tensor<4xf32>'}}
nn.param @w : tensor<4xf32> init one {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{cannot make a tensor partial over ["tp"]: only a scalar may become partial}}
  %y = dist.reshard %x from <@mesh, [{}]> to <@mesh, [{}], partial = {"tp"}> : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}) -> tensor<4xf32> {
  // expected-error @+1 {{but its input is #dist.sharding<@mesh, [{"tp"}]>}}
  %y = dist.reshard %x from <@mesh, [{}]> to <@mesh, [{"tp"}]> : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis "dp" is not one of mesh @mesh}}
  %y = dist.all_reduce sum %x over ["dp"] : tensor<4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{names axis "tp" twice}}
  %y = dist.all_reduce sum %x over ["tp", "tp"] : tensor<4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{needs at least one axis}}
  %y = dist.all_reduce sum %x over [] : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{needs a dist.mesh in its module}}
  %y = dist.all_reduce sum %x over ["tp"] : tensor<4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{2 shards of 'tensor<4xf32>' form 'tensor<8xf32>', not 'tensor<4xf32>'}}
  %y = dist.all_gather %x dim 0 over ["tp"] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{has no dim 1}}
  %y = dist.reduce_scatter %x dim 1 over ["tp"] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{cannot split dim 1 of 'tensor<4x3xf32>' evenly over 2 ranks}}
  %y = dist.all_to_all %x from 0 to 1 over ["tp"] : tensor<4x3xf32> -> tensor<8x1xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f() {
  // expected-error @+1 {{must return a rank-0 tensor}}
  %y = dist.offset ["tp"] by 2 : tensor<1xi64>
  return
}

// -----

// expected-error @+1 {{a mesh has at most 2147483647 ranks}}
dist.mesh @mesh = <["pp"=65536, "dp"=65536]>

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{axis "cp" is not one of mesh @mesh}}
nn.param @w : tensor<4xf32> init one {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{"cp"}]>}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{declares 'tensor<4xf32>', but 'tensor<2xf32>' is a rank's shard of 'tensor<4xf32>'}}
func.func @f(%x: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}) {
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{dist.global needs a tensor type and a dist.sharding as well}}
func.func @f(%x: tensor<4xf32> {dist.global = tensor<4xf32>}) {
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{reshards to #dist.sharding<@mesh, [{"tp"}]>, but its result is #dist.sharding<@mesh, [{}]>}}
  %y = dist.reshard %x from <@mesh, [{}]> to <@mesh, [{"tp"}]>
      {dist.shardings = [#dist.sharding<@mesh, [{}]>]} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{dist.seeds must be an array}}
nn.param @w : tensor<4xf32> init one {dist.seeds = 1}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{"tp" is not a seed}}
nn.param @w : tensor<4xf32> init one {dist.seeds = ["tp"]}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{"tp" is not a sharding}}
  %y = nn.relu %x {dist.shardings = ["tp"]} : tensor<4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{dist.sharding must be a sharding of a declared tensor}}
nn.param @w : tensor<4xf32> init one {dist.sharding = "tp"}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{dist.sharding must be a sharding of a declared tensor}}
  %y = nn.relu %x {dist.sharding = #dist.sharding<@mesh, [{}]>} : tensor<4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{dist.factors must list axes of the mesh for each factor}}
  %y = nn.relu %x {dist.factors = [["cp"]]} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{dist.id must be an integer}}
  %y = nn.relu %x {dist.id = "one"} : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{dist.spmd must be a unit attribute of a module}}
func.func @f() attributes {dist.spmd} {
  return
}

// -----

// expected-error @+1 {{dist.sharding must be a sharding}}
func.func @f(%x: tensor<4xf32> {dist.sharding = "tp"}) {
  return
}

// -----

// expected-error @+1 {{has an argument or result with the unknown attribute dist.shard}}
func.func @f(%x: tensor<4xf32> {dist.shard}) {
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-error @+1 {{axis "cp" is not one of mesh @mesh}}
func.func @f(%x: tensor<4xf32>)
    -> (tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [{"cp"}]>}) {
  return %x : tensor<4xf32>
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{dim 0 is open, which is only allowed in a seed}}
  %y = dist.reshard %x from <@mesh, [{?}]> to <@mesh, [{}]> : tensor<4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f() {
  // expected-error @+1 {{needs at least one operand}}
  "dist.all_reduce"() <{axes = ["tp"], reduction = 0 : i32}> : () -> ()
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f() {
  // expected-error @+1 {{needs an extent of at least 1, has -2}}
  %y = dist.offset ["tp"] by -2 : tensor<i64>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{dims 1 and 1 must be two different dims of 'tensor<4x4xf32>'}}
  %y = dist.all_to_all %x from 1 to 1 over ["tp"] : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{must return 'tensor<8x2xf32>', not 'tensor<4x4xf32>'}}
  %y = dist.all_to_all %x from 0 to 1 over ["tp"] : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{2 shards of 'tensor<4xf32>' form 'tensor<8xf32>', not 'tensor<4xf32>'}}
  %y = dist.shard_slice %x dim 0 over ["tp"] : tensor<4xf32> -> tensor<4xf32>
  return
}
