// Two layers through every phase, up to an object: no model file is needed.
// RUN: pcc %s --loss mse --tp 2 --global-batch-size 8 --emit=train -o - -q | FileCheck %s --check-prefix=TRAIN
// RUN: pcc %s --loss mse --tp 2 --pp 2 --stage-cut up --global-batch-size 8 --micro-batch-size 4 --emit=pipeline -o - -q | FileCheck %s --check-prefix=PIPELINE
// RUN: pcc %s --loss mse --dp 2 --optimizer sgd --global-batch-size 8 --emit=rt -o - -q | FileCheck %s --check-prefix=RT
// RUN: pcc %s --loss mse --tp 2 --global-batch-size 8 --emit=obj -o %t.o -q
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=OBJ

// TRAIN: func.func @microbatch
// TRAIN: func.func @update
// PIPELINE: pipe.task @forward.0 stage 0 forward
// PIPELINE: pipe.schedule train stage 1 microbatches 2
// RT: rt.program axes <["dp"=2]>
// RT: rt.all_reduce sum {{.*}} over ["dp"]
// OBJ: pcc_the_program
module attributes {pcc.phase = "nn"} {
  nn.param @down : tensor<8x2xf32> init normal loc("down")
  nn.param @up : tensor<2x8xf32> init normal loc("up")
  func.func @forward(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>})
      -> (tensor<4x8xf32> {nn.name = "y"}) {
    %down = nn.read @down : tensor<8x2xf32> loc("down")
    %h = nn.contract "bc,cm->bm" %x, %down : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32> loc("down")
    %t = nn.tanh %h : tensor<4x2xf32> loc("act")
    %up = nn.read @up : tensor<2x8xf32> loc("up")
    %y = nn.contract "bm,mc->bc" %t, %up : tensor<4x2xf32>, tensor<2x8xf32> -> tensor<4x8xf32> loc("up")
    return %y : tensor<4x8xf32>
  }
}
