// Every op of rt on the arenas of two ranks.
// RUN: pcc-run %s --arg x=[1,2,3,4,5,6,7,8] | FileCheck %s
// CHECK: result sum : tensor<4xf32> = [12, 16, 20, 24]
// CHECK-NEXT: result max : tensor<4xf32> = [5, 6, 7, 8]
// CHECK-NEXT: result scattered : tensor<8xf32> = [4, 8, 12, 16, 20, 24, 28, 32]
// CHECK-NEXT: result swapped : tensor<8xf32> = [1, 2, 5, 6, 3, 4, 7, 8]
// CHECK-NEXT: result slice : tensor<8xf32> = [1, 2, 3, 4, 5, 6, 7, 8]
// CHECK-NEXT: result index : tensor<2xi64> = [0, 3]
// CHECK-NEXT: result product : tensor<4xf32> = [17, 38, 43, 96]
// CHECK-NEXT: result key : tensor<i64> = 7
// CHECK-NEXT: result half : tensor<4xbf16> = [1, 2, 3, 4]

// A rank that reads unwritten memory,
// RUN: sed '/rt.copy %%x to %%y/d' %s | not pcc-run --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: 'rt.launch' op reads byte 64 of the arena of rank {{[01]}}, which nothing has written
// UNWRITTEN: note: called as @double here
// also to copy it,
// RUN: sed 's/rt.copy %%x to %%y/rt.copy %%y to %%z/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=COPY
// COPY: 'rt.copy' op reads byte 64 of the arena
// or to add to it,
// RUN: sed '/rt.reduce_scatter .* memref<8xf32>/d' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=ADDS
// ADDS: 'rt.reduce_scatter' op reads byte 448 of the arena
// a scratch buffer that ends after the arena, a buffer that does or is not
// aligned,
// RUN: sed 's/arena 1088/arena 1024/' %s | not pcc-run --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BEHIND
// BEHIND: 'rt.buffer' op has the bytes [1024, 1088) of an arena of 1024
// RUN: sed 's/input at 0/input at 32/' %s | not pcc-run --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALIGNED
// ALIGNED: 'rt.buffer' op is at offset 32, which is not a multiple of 64
// an address in the scratch buffer of another,
// RUN: sed 's/frame @frame/frame @far/' %s | not pcc-run --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FRAME
// FRAME: 'rt.launch' op writes operand 1 over operand 0, which it reads
// an out over an in that the kernel does not allow, or the launch does not say,
// RUN: sed 's/ {rt.inplace = 0 : i64}//' %s | not pcc-run --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INPLACE
// INPLACE: 'rt.launch' op writes out 0 over in 0, which @twice does not allow
// RUN: sed 's/ inplace \[0\]//' %s | not pcc-run --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SILENT
// SILENT: 'rt.launch' op writes operand 1 over operand 0, which it reads
// a GEMM that overwrites its own operand,
// RUN: sed 's/, %%c as/, %%b as/' %s | not pcc-run --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: 'rt.gemm' op writes operand 2 over operand 0, which it reads
// a constant that is written,
// RUN: sed 's/rt.copy %%seven to %%key/rt.copy %%key to %%seven/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: 'rt.copy' op writes to a constant
// ranks without a communicator, buffers that are not adjacent,
// RUN: sed 's/comms \[\["dp"\]\]/comms []/' %s | not pcc-run --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COMM
// COMM: 'rt.all_gather' op is over ["dp"], which is no communicator
// RUN: sed 's/all_reduce sum %%y over \["dp"\] : /all_reduce sum %%y, %%sum over ["dp"] : memref<4xf32>, /' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=PIECES
// PIECES: 'rt.all_reduce' op reduces buffers at once of which number 1 does not follow
// a number of blocks other than the number of ranks,
// RUN: sed 's/"dp"=2/"dp"=3/; s/layout <\[8\]/layout <[12]/; s/layout <\[2\]/layout <[3]/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: 'rt.all_gather' op turns 4 elements into 8 on 3 ranks
// an element type that the runtime does not support,
// RUN: sed 's/rt.event @e$/&\n  rt.buffer @odd : memref<4xi7> value at 960/; s/rt.zero %%c : memref<4xf32>/%%odd = rt.address @odd : memref<4xi7>\n    rt.zero %%odd : memref<4xi7>/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: 'rt.zero' op has elements of type 'i7', which the runtime does not know
// a wait without a record, and an entry point that does not exist.
// RUN: sed '/rt.record/d' %s | not pcc-run --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOTHING
// NOTHING: 'rt.wait' op waits for an event that was not recorded
// RUN: not pcc-run %s --entry evaluate --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENTRY
// ENTRY: 'rt.stage' op has no entry point @evaluate

module attributes {pcc.phase = "rt", dist.spmd} {
func.func private @twice(%x: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %y = nn.scale %x by 2.0 : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @narrow(%x: tensor<4xf32>) -> tensor<4xbf16>
    attributes {rt.kernel} {
  %y = nn.cast %x : tensor<4xf32> -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}
rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 1088 {
  rt.buffer @x : memref<4xf32> input at 0 layout <[8], [["dp"]]>
      {role = "data", name = "x"}
  rt.buffer @y : memref<4xf32> value at 64
  rt.buffer @z : memref<4xf32> value at 128
  rt.buffer @all : memref<8xf32> value at 192
  rt.buffer @c : memref<4xf32> value at 256
  rt.buffer @sum : memref<4xf32> output at 320 {name = "sum"}
  rt.buffer @max : memref<4xf32> output at 384 {name = "max"}
  rt.buffer @scattered : memref<4xf32> output at 448
      layout <[8], [["dp"]]> {name = "scattered"}
  rt.buffer @swapped : memref<4xf32> output at 512
      layout <[8], [["dp"]]> {name = "swapped"}
  rt.buffer @slice : memref<4xf32> output at 576
      layout <[8], [["dp"]]> {name = "slice"}
  rt.buffer @index : memref<1xi64> output at 640
      layout <[2], [["dp"]]> {name = "index"}
  rt.buffer @product : memref<4xf32> output at 704 {name = "product"}
  rt.buffer @key : memref<i64> output at 768 {name = "key"}
  rt.buffer @half : memref<4xbf16> output at 832 {name = "half"}
  rt.buffer @far : memref<64xi8> frame at 64
  rt.buffer @frame : memref<64xi8> frame at 1024
  rt.event @e
  rt.func @double(%x: memref<4xf32>) frame 64 {
    %t = rt.temporary at 0 : memref<4xf32>
    rt.launch @twice ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
    rt.copy %t to %x : memref<4xf32> to memref<4xf32>
    rt.launch @twice ins(%t : memref<4xf32>) outs(%t : memref<4xf32>)
        inplace [0]
  }
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %y = rt.address @y : memref<4xf32>
    %z = rt.address @z : memref<4xf32>
    %all = rt.address @all : memref<8xf32>
    %c = rt.address @c : memref<4xf32>
    %sum = rt.address @sum : memref<4xf32>
    %max = rt.address @max : memref<4xf32>
    %scattered = rt.address @scattered : memref<4xf32>
    %swapped = rt.address @swapped : memref<4xf32>
    %slice = rt.address @slice : memref<4xf32>
    %index = rt.address @index : memref<1xi64>
    %product = rt.address @product : memref<4xf32>
    %key = rt.address @key : memref<i64>
    %half = rt.address @half : memref<4xbf16>
    rt.copy %x to %y : memref<4xf32> to memref<4xf32>
    rt.call @double(%y) frame @frame : memref<4xf32>
    rt.all_gather %x to %all over ["dp"] : memref<4xf32> to memref<8xf32>
    rt.all_reduce sum %y over ["dp"] : memref<4xf32>
    rt.copy %y to %sum : memref<4xf32> to memref<4xf32>
    rt.copy %x to %max : memref<4xf32> to memref<4xf32>
    rt.all_reduce max %max over ["dp"] : memref<4xf32>
    rt.reduce_scatter %all to %scattered over ["dp"] : memref<8xf32> to memref<4xf32>
    rt.reduce_scatter %all to %scattered over ["dp"] adds
        : memref<8xf32> to memref<4xf32>
    rt.all_to_all %x to %swapped over ["dp"] : memref<4xf32> to memref<4xf32>
    rt.shard_slice %all to %slice over ["dp"] : memref<8xf32> to memref<4xf32>
    %third = rt.comm_index over ["dp"] times 3 : memref<1xi64>
    rt.copy %third to %index : memref<1xi64> to memref<1xi64>
    // 2 [[2, 3], [6, 7]] [[1, 2], [3, 4]]' + [[1, 2], [3, 4]]
    %a = rt.view %all offset 1 : memref<8xf32>
        to memref<2x2xf32, strided<[4, 1]>>
    %b = rt.view %all : memref<8xf32> to memref<4xf32>
    rt.copy %b to %c : memref<4xf32> to memref<4xf32>
    rt.gemm %a, %b, %c as <m = 2, n = 2, k = 2, trans_b = true, lda = 4,
        ldb = 2, ldc = 2, alpha = 2.0 : f32, beta = 1.0 : f32>
        : memref<2x2xf32, strided<[4, 1]>>, memref<4xf32>, memref<4xf32>
    rt.copy %c to %product : memref<4xf32> to memref<4xf32>
    %seven = rt.constant 7 : memref<i64>
    rt.copy %seven to %key : memref<i64> to memref<i64>
    %e = rt.event_of @e : !rt.event
    rt.record %e
    rt.wait %e
    rt.zero %c : memref<4xf32>
    rt.launch @narrow ins(%b : memref<4xf32>) outs(%half : memref<4xbf16>)
  }
}
}
