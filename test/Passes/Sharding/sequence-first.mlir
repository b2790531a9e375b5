// A model with inputs of [sequence, batch], which nn.dims declares. With the
// same data it computes the same as a model with inputs of [batch, sequence]:
// on one rank, partitioned, and compiled.
// RUN: sed 's/nn.dims = #nn.dims<batch = 1, sequence = 0>, //; s/<6x4x/<4x6x/g' %s > %t.mlir
// RUN: %python -c "import numpy; numpy.random.default_rng(0).integers(20, size=500).astype('<u2').tofile('%t.bin')"
// RUN: pcc-opt %t.mlir -nn-attach-loss -nn-autodiff -nn-optimizer -o %t.first
// RUN: pcc-run %t.first --data %t.bin --steps 3 --exact --seed 3 --print none --save @wte=%t.npy --log-json %t.json
//
// RUN: pcc-opt %s -nn-attach-loss -nn-autodiff -nn-optimizer -o %t.train
// RUN: FileCheck %s --check-prefix=TARGETS < %t.train
// TARGETS: %{{.*}}: tensor<6x4xi64> {nn.dims = #nn.dims<batch = 1, sequence = 0>, nn.name = "targets", nn.role = #nn.role<targets>}
// RUN: pcc-run %t.train --data %t.bin --steps 3 --exact --seed 3 --print none --expect @wte=%t.npy --rtol 1e-10
// RUN: rm -rf %t.arrays && mkdir %t.arrays
// RUN: %python -c "import numpy; text = numpy.random.default_rng(1).integers(20, size=(12, 7)); numpy.save('%t.arrays/ids', text[:, :-1]); numpy.save('%t.arrays/labels', text[:, 1:])"
// RUN: pcc-run %t.first --data %t.arrays --steps 3 --exact --seed 3 --print none --save @wte=%t.arrays.npy
// RUN: not cmp -s %t.npy %t.arrays.npy
// RUN: pcc-run %t.train --data %t.arrays --steps 3 --exact --seed 3 --print none --expect @wte=%t.arrays.npy --rtol 1e-10
//
// RUN: pcc-opt %t.train -dist-mesh="dp=2 cp=3 tp=2" %sequence -o %t.plan
// RUN: FileCheck %s --check-prefix=PLAN < %t.plan
// PLAN: func @microbatch
// PLAN-SAME: tensor<6x4xi64> {dist.sharding = #dist.sharding<@mesh, [{"cp"}, {"dp"}]>
// PLAN: nn.embedding {{.*}}partial = {"tp"}
// PLAN: dist.reshard {{.*}} to <@mesh, [{"cp", "tp"}, {"dp"}, {}]> {{.*}} : tensor<6x4x8xf32>
// RUN: pcc-opt %t.plan -dist-partition -cse -dist-verify -o %t.spmd
// RUN: pcc-run %t.spmd --data %t.bin --steps 3 --exact --seed 3 --print none --expect @wte=%t.npy --rtol 1e-10
//
// RUN: pcc %s --dp 2 --cp 3 --tp 2 --sp --global-batch-size 4 -o %t.exe -q
// RUN: %t.exe --data %t.bin --steps 3 --seed 3 --log-json %t.exe.json
// RUN: %python %root/test/Execute/Inputs/compare_curves.py %t.exe.json %t.json 1e-5

module attributes {pcc.phase = "nn"} {
nn.param @wte : tensor<20x8xf32> init normal
nn.param @up : tensor<8x16xf32> init normal
nn.param @down : tensor<16x8xf32> init normal
nn.param @head : tensor<8x20xf32> init normal
func.func @forward(%ids: tensor<6x4xi64> {nn.dims = #nn.dims<batch = 1, sequence = 0>, nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<6x4x20xf32> {nn.name = "logits"}) {
  %wte = nn.read @wte : tensor<20x8xf32>
  %up = nn.read @up : tensor<8x16xf32>
  %down = nn.read @down : tensor<16x8xf32>
  %head = nn.read @head : tensor<8x20xf32>
  %x = nn.embedding %ids, %wte : tensor<6x4xi64>, tensor<20x8xf32> -> tensor<6x4x8xf32>
  %h = nn.contract "abk,kn->abn" %x, %up : tensor<6x4x8xf32>, tensor<8x16xf32> -> tensor<6x4x16xf32>
  %a = nn.gelu %h : tensor<6x4x16xf32>
  %y = nn.contract "abk,kn->abn" %a, %down : tensor<6x4x16xf32>, tensor<16x8xf32> -> tensor<6x4x8xf32>
  %r = nn.sum %x, %y : tensor<6x4x8xf32>
  %z = nn.contract "abk,kn->abn" %r, %head : tensor<6x4x8xf32>, tensor<8x20xf32> -> tensor<6x4x20xf32>
  return %z : tensor<6x4x20xf32>
}
}
