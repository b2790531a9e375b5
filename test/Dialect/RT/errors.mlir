// One test per constraint of the dialect.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{mesh axis "x" needs a role after its size}}
rt.program axes <["dp"=2, "x"=2]> comms [] microbatches 1

// -----

// expected-error @+1 {{has a communicator over "cp", which is not an axis of the mesh}}
rt.program axes <["tp"=2]> comms [["cp"]] microbatches 1

// -----

// expected-error @+1 {{has a communicator over "cp", which is not an axis of the mesh}}
rt.program axes <["tp"=2]> comms [["tp"]] beside [["cp"]] microbatches 1

// -----

// expected-error @+1 {{has two communicators over ["tp"]}}
rt.program axes <["tp"=2]> comms [["tp"], ["tp"]] microbatches 1

// -----

rt.stage 0 {
  // expected-error @+1 {{layout has 1 extents but axes for 2 dims}}
  rt.buffer @w : memref<4xf32> param layout <[4], [[], []]>
}

// -----

rt.stage 0 {
  // expected-error @+1 {{must be contiguous}}
  rt.buffer @w : memref<4xf32, strided<[2]>> param
}

// -----

rt.stage 0 {
  rt.func @train() {
    // expected-error @+1 {{names @w, which is not an rt.buffer}}
    %w = rt.address @w : memref<4xf32>
  }
}

// -----

rt.stage 0 {
  // expected-note @+1 {{it is declared as 'memref<4xf32>'}}
  rt.buffer @w : memref<4xf32> param
  rt.func @train() {
    // expected-error @+1 {{uses @w as 'memref<5xf32>'}}
    %w = rt.address @w : memref<5xf32>
  }
}

// -----

rt.stage 0 {
  rt.buffer @w : memref<4xf32> input slots 2
  rt.func @train() {
    // expected-error @+1 {{names slot 2, but the buffer has 2}}
    %w = rt.address @w slot 2 : memref<4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>) {
    // expected-error @+1 {{ends at byte 20 of a source of 16}}
    %v = rt.view %a offset 3 : memref<4xf32> to memref<2xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x4xf32>) {
    // expected-error @+1 {{touches 80 bytes of A, which has 64}}
    rt.gemm %a, %a, %a as <m = 4, n = 4, k = 5,
        lda = 5, ldb = 4, ldc = 4> : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x4xf32>) {
    // expected-error @+1 {{gemm has a leading dimension below its row length}}
    rt.gemm %a, %a, %a as <m = 4, n = 4, k = 4,
        lda = 4, ldb = 4, ldc = 3> : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>, %b: memref<6xf32>) {
    // expected-error @+1 {{splits 6 elements into blocks of 4}}
    rt.all_gather %a to %b over ["tp"] : memref<4xf32> to memref<6xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>) {
    // expected-error @+1 {{computes in place of operand 1 of 1}}
    rt.launch @k ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) inplace [1]
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>) {
  }
  rt.func @train() {
    // expected-error @+1 {{calls @f with other argument types than it takes}}
    rt.call @f()
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>, %b: memref<5xf32>) {
    // expected-error @+1 {{needs buffers of equal size, but copies 'memref<4xf32>' to 'memref<5xf32>'}}
    rt.copy %a to %b : memref<4xf32> to memref<5xf32>
  }
}

// -----

// expected-error @+1 {{mesh axis "tp" has size 0}}
rt.program axes <["tp"=0]> comms [] microbatches 1

// -----

rt.stage 0 {
  rt.buffer @w : memref<8xf32> param
  rt.func @f() {
    %w = rt.address @w : memref<8xf32>
    // expected-error @+1 {{must be memref of numbers with constant extents and strides and no offset}}
    %v = rt.view %w : memref<8xf32> to memref<2xf32, strided<[1], offset: 2>>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<8xf32>) {
    // expected-error @+1 {{must be memref of numbers with constant extents and strides and no offset}}
    %v = rt.view %a : memref<8xf32> to memref<2xf32, strided<[?]>>
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{failed to satisfy constraint: type attribute of memref of numbers}}
  rt.buffer @w : memref<4xindex> param
}

// -----

rt.stage 0 {
  // expected-error @+1 {{failed to satisfy constraint: type attribute of memref of numbers}}
  rt.buffer @w : memref<4x0xf32> param
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has no vector, which 'bias' needs}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> epilogue <bias>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has no vector, which 'sum_b' needs}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> epilogue <sum_b>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has no matrix, which 'gelu_grad' needs}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> epilogue <gelu_grad>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has a vector, but 'none' uses none}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> vector %v : memref<8xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has a vector, but 'gelu_grad' uses none}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> epilogue <gelu_grad> vector %v : memref<8xf32> matrix %c : memref<4x8xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has a matrix, but 'bias' uses none}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> epilogue <bias> vector %v : memref<8xf32> matrix %c : memref<4x8xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has a vector 'memref<8xf32>', but 'sum_a' needs 4 elements of 'f32', contiguous}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> epilogue <sum_a> vector %v : memref<8xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xbf16>) {
    // expected-error @+1 {{has a vector 'memref<8xbf16>', but 'bias' needs 8 elements of 'f32', contiguous}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> epilogue <bias> vector %v : memref<8xbf16>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has a matrix 'memref<8xf32>', but 'gelu' needs 32 elements of 'f32', contiguous}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> epilogue <gelu> matrix %v : memref<8xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has epilogue 'gelu', which needs beta 0}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8, beta = 1.0 : f32> epilogue <gelu>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has epilogue 'bias', which does not support a batch}}
    rt.gemm %a, %b, %c as <m = 2, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8, batch = [2, 1], a = [4, 0], c = [16, 0]> epilogue <bias> vector %v : memref<8xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %h: memref<4x4xf32>) {
    // expected-error @+1 {{has a matrix of 4 columns, but ldc is 8; both must be the same multiple of 8}}
    rt.gemm %a, %b, %c as <m = 4, n = 4, k = 2, lda = 2, ldb = 8, ldc = 8> epilogue <gelu> matrix %h : memref<4x4xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xbf16>, %b: memref<2x8xbf16>, %c: memref<4x8xbf16>, %v: memref<8xbf16>) {
    // expected-error @+1 {{has epilogue 'sum_b', which does not support results of 'bf16'}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> epilogue <sum_b> vector %v : memref<8xbf16>
        : memref<4x2xbf16>, memref<2x8xbf16>, memref<4x8xbf16>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{has 'added', which needs a nonzero beta and the epilogue 'none' or 'bias'}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8> added %c : memref<4x8xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32>, %b: memref<2x8xf32>, %c: memref<4x8xf32>, %v: memref<8xf32>) {
    // expected-error @+1 {{adds 'memref<8xf32>' to 'memref<4x8xf32>'}}
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8, beta = 1.0 : f32> added %v : memref<8xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<2x2xf32>, %b: memref<2x2xf64>) {
    // expected-error @+1 {{does not support operands of 'f32' and 'f64' with a result of 'f32'}}
    rt.gemm %a, %b, %a as <m = 2, n = 2, k = 2, lda = 2, ldb = 2, ldc = 2>
        : memref<2x2xf32>, memref<2x2xf64>, memref<2x2xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<2x2xbf16>, %b: memref<2x2xf16>, %c: memref<2x2xf32>) {
    // expected-error @+1 {{does not support operands of 'bf16' and 'f16' with a result of 'f32'}}
    rt.gemm %a, %b, %c as <m = 2, n = 2, k = 2, lda = 2, ldb = 2, ldc = 2>
        : memref<2x2xbf16>, memref<2x2xf16>, memref<2x2xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<2x2xbf16>, %c: memref<2x2xf16>) {
    // expected-error @+1 {{does not support operands of 'bf16' and 'bf16' with a result of 'f16'}}
    rt.gemm %a, %a, %c as <m = 2, n = 2, k = 2, lda = 2, ldb = 2, ldc = 2>
        : memref<2x2xbf16>, memref<2x2xbf16>, memref<2x2xf16>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<2x2xf32>, %c: memref<2x2xbf16>) {
    // expected-error @+1 {{does not support operands of 'f32' and 'f32' with a result of 'bf16'}}
    rt.gemm %a, %a, %c as <m = 2, n = 2, k = 2, lda = 2, ldb = 2, ldc = 2>
        : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xbf16>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<2x2xf64>, %c: memref<2x2xf32>) {
    // expected-error @+1 {{does not support operands of 'f64' and 'f64' with a result of 'f32'}}
    rt.gemm %a, %a, %c as <m = 2, n = 2, k = 2, lda = 2, ldb = 2, ldc = 2>
        : memref<2x2xf64>, memref<2x2xf64>, memref<2x2xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<2x2xi32>) {
    // expected-error @+1 {{does not support operands of 'i32' and 'i32' with a result of 'i32'}}
    rt.gemm %a, %a, %a as <m = 2, n = 2, k = 2, lda = 2, ldb = 2, ldc = 2>
        : memref<2x2xi32>, memref<2x2xi32>, memref<2x2xi32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x4xf32>) {
    // expected-error @+1 {{gemm has a negative stride}}
    rt.gemm %a, %a, %a as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4,
        a = [-4, 0]> : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>, %b: memref<8xf64>) {
    // expected-error @+1 {{mixes elements of 'memref<4xf32>' and 'memref<8xf64>'}}
    rt.all_gather %a to %b over ["tp"] : memref<4xf32> to memref<8xf64>
  }
}

// -----

rt.stage 0 {
  rt.func @f() {
    // expected-error @+1 {{must return one i64, not 'memref<2xi64>'}}
    %a = rt.comm_index over ["tp"] : memref<2xi64>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32, strided<[4, 1]>>) {
    // expected-error @+1 {{needs contiguous buffers}}
    rt.send %a to 1 channel 0 : memref<4x2xf32, strided<[4, 1]>>
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{is an entry point, which takes no arguments}}
  rt.func @train(%a: memref<4xf32>) {
  }
}

// -----

rt.stage 0 {
  rt.func @f() {
    // expected-error @+1 {{is in @f, which is not an entry point}}
    rt.call @f()
  }
}

// -----

rt.stage 0 {
  rt.func @evaluate() {
  }
  rt.func @train() {
    // expected-error @+1 {{calls @evaluate, which is an entry point}}
    rt.call @evaluate()
  }
}

// -----

rt.stage 0 {
  rt.buffer @w : memref<4xf32> param
  rt.func @f() {
    // expected-error @+1 {{is in @f, which is not an entry point}}
    %w = rt.address @w : memref<4xf32>
  }
}

// -----

rt.stage 0 {
  rt.buffer @w : memref<4xi8> frame
  rt.func @forward() {
    // expected-error @+1 {{names @w, which is a buffer for frames}}
    %w = rt.address @w : memref<4xi8>
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{layout needs lists of axis names, has [1]}}
  rt.buffer @w : memref<4xf32> param layout <[4], [[1]]>
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x4xf32>) {
    // expected-error @+1 {{gemm has two batch dims, not 1}}
    rt.gemm %a, %a, %a as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4,
        batch = [1]> : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x4xf32>) {
    // expected-error @+1 {{gemm has extents below 1}}
    rt.gemm %a, %a, %a as <m = 4, n = 0, k = 4, lda = 4, ldb = 4, ldc = 4>
        : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x4xf32>, %b: memref<4x3xf32>) {
    // expected-error @+1 {{touches 64 bytes of B, which has 48}}
    rt.gemm %a, %b, %a as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4>
        : memref<4x4xf32>, memref<4x3xf32>, memref<4x4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x4xf32>, %b: memref<4x3xf32>) {
    // expected-error @+1 {{touches 128 bytes of C, which has 64}}
    rt.gemm %a, %a, %a as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4,
        batch = [2, 1], c = [16, 0]>
        : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

// expected-error @+1 {{has communicator "tp", which is not a list of axes}}
rt.program axes <["tp"=2]> comms ["tp"] microbatches 1

// -----

rt.stage 0 {
  // expected-error @+1 {{cannot be part of a stage}}
  func.func private @f()
}

// -----

rt.stage 0 {
  // expected-error @+1 {{needs at least one slot}}
  rt.buffer @w : memref<4xf32> value slots -1
}

// -----

rt.stage 0 {
  // expected-error @+1 {{has a slot at 96, which is not a multiple of 64}}
  rt.buffer @w : memref<4xf32> value at 0, 96 slots 2
}

// -----

rt.stage 0 {
  // expected-error @+1 {{has 3 offsets; only a value, a bucket or a frame may have several, one per slot}}
  rt.buffer @w : memref<4xf32> value at 0, 64, 128 slots 2
}

// -----

rt.stage 0 {
  // expected-error @+1 {{has 2 offsets; only a value, a bucket or a frame may have several, one per slot}}
  rt.buffer @w : memref<4xf32> value at 0, 128
}

// -----

rt.stage 0 {
  // expected-error @+1 {{has 2 offsets; only a value, a bucket or a frame may have several, one per slot}}
  rt.buffer @w : memref<4xf32> input at 0, 128 slots 2
}

// -----

rt.stage 0 {
  rt.func @f() {
    // expected-error @+1 {{cannot be part of an rt.func}}
    %x = nn.constant dense<0.0> : tensor<2xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>) {
    // expected-error @+1 {{changes the element type}}
    %v = rt.view %a : memref<4xf32> to memref<2xf64>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>) {
    // expected-error @+1 {{begins 4 bytes before its source}}
    %v = rt.view %a offset -1 : memref<4xf32> to memref<2xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32, strided<[2]>>) {
    // expected-error @+1 {{needs contiguous buffers, has 'memref<4xf32, strided<[2]>>'}}
    rt.launch @k outs(%a : memref<4xf32, strided<[2]>>)
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>) {
    // expected-error @+1 {{needs at least one out}}
    rt.launch @k ins(%a : memref<4xf32>)
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>) {
    // expected-error @+1 {{has 1 outs, but 2 entries of 'inplace'}}
    rt.launch @k ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) inplace [0, 0]
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32, strided<[4, 1]>>, %b: memref<4x2xf32>) {
    // expected-error @+1 {{needs contiguous buffers}}
    rt.copy %b to %a : memref<4x2xf32> to memref<4x2xf32, strided<[4, 1]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32, strided<[4, 1]>>) {
    // expected-error @+1 {{needs contiguous buffers}}
    rt.zero %a : memref<4x2xf32, strided<[4, 1]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32, strided<[4, 1]>>) {
    // expected-error @+1 {{needs contiguous buffers}}
    rt.all_reduce sum %a over ["tp"] : memref<4x2xf32, strided<[4, 1]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f() {
    // expected-error @+1 {{needs a buffer}}
    "rt.all_reduce"() <{axes = ["tp"], reduction = #rt<reduction sum>}> : () -> ()
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>, %b: memref<4xf64>) {
    // expected-error @+1 {{needs buffers of one element type}}
    rt.all_reduce sum %a, %b over ["tp"] : memref<4xf32>, memref<4xf64>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>, %b: memref<6xf32>) {
    // expected-error @+1 {{splits 6 elements into blocks of 4}}
    rt.reduce_scatter %b to %a over ["tp"] : memref<6xf32> to memref<4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>, %b: memref<6xf32>) {
    // expected-error @+1 {{splits 6 elements into blocks of 4}}
    rt.shard_slice %b to %a over ["tp"] : memref<6xf32> to memref<4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4xf32>, %b: memref<8xf32>) {
    // expected-error @+1 {{sends 4 elements but receives 8}}
    rt.all_to_all %a to %b over ["tp"] : memref<4xf32> to memref<8xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32, strided<[4, 1]>>, %b: memref<4xf32>) {
    // expected-error @+1 {{needs contiguous buffers}}
    rt.recv %a from 1 channel 0 : memref<4x2xf32, strided<[4, 1]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32, strided<[4, 1]>>, %b: memref<4xf32>) {
    // expected-error @+1 {{needs contiguous buffers}}
    rt.exchange %a to 1 channel 0, %b from 1 channel 1
        : memref<4x2xf32, strided<[4, 1]>>, memref<4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<4x2xf32, strided<[4, 1]>>, %b: memref<4xf32>) {
    // expected-error @+1 {{needs contiguous buffers}}
    rt.exchange %b to 1 channel 0, %a from 1 channel 1
        : memref<4xf32>, memref<4x2xf32, strided<[4, 1]>>
  }
}

// -----

rt.stage 0 {
  rt.func @train() {
    // expected-error @+1 {{names @g, which is not an rt.func}}
    rt.call @g()
  }
}

// -----

rt.stage 0 {
  rt.buffer @w : memref<4xf32> value slots 2
  rt.func @train() {
    // expected-error @+1 {{names slot -1}}
    %w = rt.address @w slot -1 : memref<4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f() frame 128 {
    // expected-error @+1 {{has offset 32, which is not a multiple of 64}}
    %a = rt.temporary at 32 : memref<4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f() frame 128 {
    // expected-error @+1 {{has offset -64, which is not a multiple of 64}}
    %a = rt.temporary at -64 : memref<4xf32>
  }
}

// -----

// Its size is rounded up to a multiple of 64.
rt.stage 0 {
  rt.func @f() frame 64 {
    // expected-error @+1 {{ends at byte 128 of a frame of 64}}
    %a = rt.temporary at 0 : memref<17xf32>
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{has a frame of 127 bytes, which is not a multiple of 64}}
  rt.func @f() frame 127 {
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{has a frame of -64 bytes, which is not a multiple of 64}}
  rt.func @f() frame -64 {
  }
}

// -----

rt.stage 0 {
  rt.func @f() {
    // expected-error @+1 {{ends at byte 64 of a frame of 0}}
    %a = rt.temporary at 0 : memref<4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f() {
    // expected-error @+1 {{must be contiguous, is 'memref<4xf32, strided<[2]>>'}}
    %a = rt.temporary : memref<4xf32, strided<[2]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f() {
    // expected-error @+1 {{must return one i64, not 'memref<2xi64>'}}
    %a = rt.constant 1 : memref<2xi64>
  }
}

// -----

rt.stage 0 {
  rt.func @f() {
    // expected-error @+1 {{must return one i64, not 'memref<i32>'}}
    %a = rt.constant 1 : memref<i32>
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{is an entry point, which has no frame}}
  rt.func @train() {
    %a = rt.temporary : memref<4xf32>
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{is an entry point, which has no frame}}
  rt.func @evaluate() frame 64 {
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{is an entry point, which takes no arguments}}
  rt.func @forward(%a: memref<4xf32>) {
  }
}

// -----

rt.stage 0 {
  rt.buffer @frame.f : memref<64xi8> frame
  rt.func @f() {
  }
  rt.func @train() {
    // expected-error @+1 {{passes @f a frame, but it needs none}}
    rt.call @f() frame @frame.f
  }
}

// -----

rt.stage 0 {
  rt.func @f() frame 64 {
  }
  rt.func @train() {
    // expected-error @+1 {{passes @f no frame, but it needs 64 bytes}}
    rt.call @f()
  }
}

// -----

rt.stage 0 {
  rt.buffer @v : memref<64xi8> value
  rt.func @f() frame 64 {
  }
  rt.func @train() {
    // expected-error @+1 {{names @v, which is not a buffer for frames}}
    rt.call @f() frame @v
  }
}

// -----

rt.stage 0 {
  rt.func @f() frame 64 {
  }
  rt.func @train() {
    // expected-error @+1 {{names @f, which is not a buffer for frames}}
    rt.call @f() frame @f
  }
}

// -----

rt.stage 0 {
  rt.buffer @frame.f : memref<127xi8> frame
  rt.func @f() frame 128 {
  }
  rt.func @train() {
    // expected-error @+1 {{passes @f a frame of 127 bytes, but it needs 128}}
    rt.call @f() frame @frame.f
  }
}

// -----

rt.stage 0 {
  rt.buffer @frame.f : memref<128xi8> frame slots 2
  rt.func @f() frame 128 {
  }
  rt.func @train() {
    // expected-error @+1 {{passes @f a frame of 2 slots, which is only allowed in a loop}}
    rt.call @f() frame @frame.f
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{needs at least one slot}}
  rt.event @e slots 0
}

// -----

rt.stage 0 {
  rt.func @train() {
    // expected-error @+1 {{names @e, which is not an rt.event}}
    %e = rt.event_of @e : !rt.event
  }
}

// -----

rt.stage 0 {
  rt.event @e slots 2
  rt.func @train() {
    // expected-error @+1 {{names slot -2}}
    %e = rt.event_of @e slot -2 : !rt.event
  }
}

// -----

rt.stage 0 {
  rt.event @e
  rt.func @f() {
    // expected-error @+1 {{is in @f, which is not an entry point}}
    %e = rt.event_of @e : !rt.event
  }
}

// -----

rt.stage 0 {
  rt.event @e
  rt.func @train() {
    %e = rt.event_of @e : !rt.event
    // expected-error @+1 {{attribute 'stream' failed to satisfy constraint}}
    rt.record %e stream -1
  }
}

// -----

rt.stage 0 {
  rt.func @f(%x: memref<4xf32>) {
    // expected-error @+1 {{attribute 'stream' failed to satisfy constraint}}
    rt.send %x to 1 channel 0 stream -1 : memref<4xf32>
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{takes 'tensor<4xf32>', which is neither a buffer nor an event}}
  rt.func @f(%x: tensor<4xf32>) {
  }
}

// -----

rt.stage 0 {
  rt.func @f(%e: !rt.event) {
  }
  rt.func @train() {
    // expected-error @+1 {{calls @f with other argument types than it takes}}
    rt.call @f()
  }
}

// -----

rt.stage 0 {
  rt.func @train() {
    // expected-error @+1 {{has the empty range 3 to 3}}
    rt.for %m = 3 to 3 {
    }
  }
}

// -----

rt.stage 0 {
  rt.func @body() {
    // expected-error @+1 {{is in @body, which is not an entry point}}
    rt.for %m = 0 to 3 {
    }
  }
}

// -----

rt.stage 0 {
  rt.func @train() {
    rt.for %m = 0 to 3 {
      // expected-error @+1 {{cannot be part of a loop}}
      rt.for %n = 0 to 3 {
      }
    }
  }
}

// -----

rt.stage 0 {
  rt.buffer @w : memref<4xf32> value slots 2
  rt.func @train() {
    rt.for %m = 1 to 3 {
      // expected-error @+1 {{names slot -1}}
      %w = rt.address @w slot %m + -2 : memref<4xf32>
    }
  }
}

// -----

rt.stage 0 {
  rt.buffer @w : memref<4xf32> input slots 2
  rt.func @train() {
    rt.for %m = 1 to 3 {
      // expected-error @+1 {{names slot 2, but the buffer has 2}}
      %w = rt.address @w slot 2 : memref<4xf32>
    }
  }
}

// -----

rt.stage 0 {
  rt.buffer @w : memref<4xf32> input slots 4
  rt.func @train() {
    rt.for %m = 1 to 4 {
      // expected-error @+1 {{names slot 4, but the buffer has 4}}
      %w = rt.address @w slot %m + 1 : memref<4xf32>
    }
  }
}

// -----

rt.stage 0 {
  rt.buffer @row : memref<1x64xf32> bucket slots 3
  rt.func @train() {
    // expected-error @+1 {{names slot 3, but the buffer has 3}}
    %w = rt.address @row slot 3 : memref<1x64xf32>
  }
}

// -----

rt.stage 0 {
  rt.buffer @row : memref<1x64xf32> bucket slots 3
  rt.func @train() {
    rt.for %m = 0 to 2 {
      // expected-error @+1 {{names another slot of @row in each iteration, which needs 'among'}}
      %w = rt.address @row slot %m : memref<1x64xf32>
    }
  }
}

// -----

rt.stage 0 {
  rt.buffer @row : memref<1x64xf32> bucket slots 3
  rt.func @train() {
    rt.for %m = 0 to 8 {
      // expected-error @+1 {{has 'among' with slots up to 3, but the buffer has 3}}
      %w = rt.address @row slot %m among 2 to 4 : memref<1x64xf32>
    }
  }
}

// -----

rt.stage 0 {
  rt.buffer @row : memref<1x64xf32> bucket slots 3
  rt.func @train() {
    rt.for %m = 0 to 8 {
      // expected-error @+1 {{names slot -1}}
      %w = rt.address @row slot %m + -1 among 1 to 3 : memref<1x64xf32>
    }
  }
}

// -----

rt.stage 0 {
  rt.buffer @row : memref<1x64xf32> bucket slots 3
  rt.func @train() {
    // expected-error @+1 {{has 'among', which needs a slot relative to a loop and a nonempty range of slots}}
    %w = rt.address @row slot 1 among 1 to 3 : memref<1x64xf32>
  }
}

// -----

rt.stage 0 {
  rt.buffer @row : memref<1x64xf32> bucket slots 3
  rt.func @train() {
    rt.for %m = 0 to 8 {
      // expected-error @+1 {{has 'among', which needs a slot relative to a loop and a nonempty range of slots}}
      %w = rt.address @row slot %m among 2 to 2 : memref<1x64xf32>
    }
  }
}

// -----

rt.stage 0 {
  rt.buffer @w : memref<4xf32> value slots 4
  rt.func @train() {
    rt.for %m = 0 to 8 {
      // expected-error @+1 {{has 'among' for slots of @w, which is neither a bucket nor in one}}
      %w = rt.address @w slot %m among 0 to 2 : memref<4xf32>
    }
  }
}

// -----

rt.stage 0 {
  rt.buffer @row : memref<1x64xf32> bucket slots 2
  // expected-error @+1 {{has 1 slots, but its bucket @row has 2}}
  rt.buffer @w : memref<4xf32> gradient in @row element 32
}

// -----

// A rank's shard of a bucket has one offset,
rt.stage 0 {
  rt.buffer @row : memref<1x64xf32> bucket slots 2
  // expected-error @+1 {{is a shard of a bucket, which must have one slot}}
  rt.buffer @own : memref<1x32xf32> part in @row slots 2 layout <[1, 64], [[], ["dp"]]>
}

// -----

// and so has a bucket of which ranks have only shards.
rt.stage 0 {
  // expected-error @+1 {{is a bucket, which must have the shape [1, n], be in no bucket and, if it is sharded, have one slot}}
  rt.buffer @row : memref<1x32xf32> bucket slots 2 layout <[1, 64], [[], ["dp"]]>
}

// -----

rt.stage 0 {
  rt.event @e slots 2
  rt.func @train() {
    rt.for %m = 0 to 4 {
      // expected-error @+1 {{names slot -1}}
      %e = rt.event_of @e slot %m + -1 : !rt.event
    }
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{lists argument 1 of 1 in 'gives_up', which lists buffers in ascending order}}
  rt.func @f(%x: memref<4xf32>) attributes {gives_up = array<i64: 1>} {
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{lists argument 0 of 1 in 'gives_up', which lists buffers in ascending order}}
  rt.func @f(%e: !rt.event) attributes {gives_up = array<i64: 0>} {
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{is refilled, but is not an input}}
  rt.buffer @x : memref<4xf32> value slots 2 refilled
}

// -----

rt.stage 0 {
  rt.buffer @x : memref<4xf32> input slots 2
  rt.func @train() {
    %x = rt.address @x slot 1 : memref<4xf32>
    // expected-error @+1 {{needs the address of an input that is refilled}}
    rt.fill %x : memref<4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%x: memref<4xf32>) {
    // expected-error @+1 {{needs the address of an input that is refilled}}
    rt.fill %x : memref<4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @body() {
    // expected-error @+1 {{is in @body, which is not an entry point}}
    rt.graph 0
  }
}

// -----

rt.stage 0 {
  rt.func @train() {
    rt.graph 3
  }
  rt.func @evaluate() {
    // expected-error @+1 {{has number 3, which an earlier graph of the stage has}}
    rt.graph 3
  }
}

// -----

rt.stage 0 {
  rt.func @train() {
    // expected-error @+1 {{attribute 'turns' failed to satisfy constraint}}
    rt.graph 0 turns 0
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xf32>, %k: memref<2x8x2x64xbf16>, %v: memref<2x8x2x64xbf16>, %o: memref<2x8x4x64xbf16>,
             %s: memref<2x8x4xf32, strided<[32, 1, 8]>>) {
    // expected-error @+1 {{needs elements of bf16 or f16, has 'memref<2x8x4x64xf32>'}}
    rt.attention %q, %k, %v to %o, %s scale 1.0
        : memref<2x8x4x64xf32>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x3x64xbf16>, %v: memref<2x8x2x64xbf16>, %o: memref<2x8x4x64xbf16>,
             %s: memref<2x8x4xf32, strided<[32, 1, 8]>>) {
    // expected-error @+1 {{needs q of [b, s, h, d] and k of [b, t, g, d], h a multiple of g; has 'memref<2x8x4x64xbf16>' and 'memref<2x8x3x64xbf16>'}}
    rt.attention %q, %k, %v to %o, %s scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x3x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %v: memref<2x8x2x64xf16>, %o: memref<2x8x4x64xbf16>,
             %s: memref<2x8x4xf32, strided<[32, 1, 8]>>) {
    // expected-error @+1 {{needs v to have the shape and element type of k, 'memref<2x8x2x64xbf16>'; has 'memref<2x8x2x64xf16>'}}
    rt.attention %q, %k, %v to %o, %s scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xf16>,
          memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %v: memref<2x8x2x64xbf16, strided<[1024, 128, 1, 2]>>, %o: memref<2x8x4x64xbf16>,
             %s: memref<2x8x4xf32, strided<[32, 1, 8]>>) {
    // expected-error @+1 {{needs contiguous rows at multiples of 16 bytes, has 'memref<2x8x2x64xbf16, strided<[1024, 128, 1, 2]>>'}}
    rt.attention %q, %k, %v to %o, %s scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16, strided<[1024, 128, 1, 2]>>,
          memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16, strided<[2080, 260, 64, 1]>>, %k: memref<2x8x2x64xbf16>, %v: memref<2x8x2x64xbf16>, %o: memref<2x8x4x64xbf16>,
             %s: memref<2x8x4xf32, strided<[32, 1, 8]>>) {
    // expected-error @+1 {{at multiples of 16 bytes, has 'memref<2x8x4x64xbf16, strided<[2080, 260, 64, 1]>>'}}
    rt.attention %q, %k, %v to %o, %s scale 1.0
        : memref<2x8x4x64xbf16, strided<[2080, 260, 64, 1]>>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %v: memref<2x8x2x64xbf16>, %o: memref<2x8x4x64xbf16, strided<[4096, 512, 64, 1]>>,
             %s: memref<2x8x4xf32, strided<[32, 1, 8]>>) {
    // expected-error @+1 {{needs a contiguous result, has 'memref<2x8x4x64xbf16, strided<[4096, 512, 64, 1]>>'}}
    rt.attention %q, %k, %v to %o, %s scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x4x64xbf16, strided<[4096, 512, 64, 1]>>, memref<2x8x4xf32, strided<[32, 1, 8]>>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %v: memref<2x8x2x64xbf16>, %o: memref<2x8x4x64xbf16>,
             %s: memref<2x8x4xf32>) {
    // expected-error @+1 {{needs stats of f32, [b, s, h], stored as [b, h, s]; has 'memref<2x8x4xf32>'}}
    rt.attention %q, %k, %v to %o, %s scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x4x64xbf16>, memref<2x8x4xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %s: memref<2x8x4xf32, strided<[32, 1, 8]>>,
             %do: memref<2x8x4x64xbf16, strided<[4096, 512, 64, 1]>>, %dq: memref<2x8x4x64xbf16>, %dk: memref<2x8x2x64xbf16>,
             %w: memref<64xi8>) {
    // expected-error @+1 {{needs d_result to be contiguous, has 'memref<2x8x4x64xbf16, strided<[4096, 512, 64, 1]>>'}}
    rt.attention_grad %do, %q, %k, %k, %q, %s to %dq, %dk, %dk workspace %w
        samples 2 scale 1.0
        : memref<2x8x4x64xbf16, strided<[4096, 512, 64, 1]>>, memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>,
          memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<64xi8>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %s: memref<2x8x4xf32, strided<[32, 1, 8]>>,
             %do: memref<2x8x4x64xbf16>, %dq: memref<2x8x4x64xbf16>, %dk: memref<2x8x2x64xbf16, strided<[1056, 132, 64, 1]>>,
             %w: memref<64xi8>) {
    // expected-error @+1 {{needs contiguous rows at multiples of 16 bytes, has 'memref<2x8x2x64xbf16, strided<[1056, 132, 64, 1]>>'}}
    rt.attention_grad %do, %q, %k, %k, %q, %s to %dq, %dk, %dk workspace %w
        samples 2 scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>,
          memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16, strided<[1056, 132, 64, 1]>>, memref<2x8x2x64xbf16, strided<[1056, 132, 64, 1]>>, memref<64xi8>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %s: memref<2x8x4xf32, strided<[32, 1, 8]>>,
             %do: memref<2x8x4x64xbf16>, %dq: memref<2x8x4x64xbf16>, %dk: memref<2x8x4x64xbf16>,
             %w: memref<64xi8>) {
    // expected-error @+1 {{needs dk to have the shape and element type of k, 'memref<2x8x2x64xbf16>'; has 'memref<2x8x4x64xbf16>'}}
    rt.attention_grad %do, %q, %k, %k, %q, %s to %dq, %dk, %dk workspace %w
        samples 2 scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>,
          memref<2x8x4x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x4x64xbf16>, memref<64xi8>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %s: memref<2x8x4xf32, strided<[32, 1, 8]>>,
             %do: memref<2x8x4x64xbf16>, %dq: memref<2x8x4x64xbf16>, %dk: memref<2x8x2x64xbf16>,
             %w: memref<64xf32>) {
    // expected-error @+1 {{needs a workspace of i8, has 'memref<64xf32>'}}
    rt.attention_grad %do, %q, %k, %k, %q, %s to %dq, %dk, %dk workspace %w
        samples 2 scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>,
          memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<64xf32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %s: memref<2x8x4xf32, strided<[32, 1, 8]>>,
             %do: memref<2x8x4x64xbf16>, %dq: memref<2x8x4x64xbf16>, %dk: memref<2x8x2x64xbf16>,
             %w: memref<64xi8>) {
    // expected-error @+1 {{processes 3 samples at a time, which does not divide 2}}
    rt.attention_grad %do, %q, %k, %k, %q, %s to %dq, %dk, %dk workspace %w
        samples 3 scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>,
          memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<64xi8>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x7x1x64xbf16>, %s: memref<2x7x1xf32, strided<[7, 1, 7]>>,
             %do: memref<2x7x1x64xbf16>, %dq: memref<2x7x1x64xbf16>, %w: memref<64xi8>) {
    // expected-error @+1 {{processes 1 samples at a time, whose 7 stats are not a multiple of 16 bytes}}
    rt.attention_grad %do, %q, %q, %q, %q, %s to %dq, %dq, %dq workspace %w
        samples 1 scale 1.0
        : memref<2x7x1x64xbf16>, memref<2x7x1x64xbf16>, memref<2x7x1x64xbf16>,
          memref<2x7x1x64xbf16>, memref<2x7x1x64xbf16>, memref<2x7x1xf32, strided<[7, 1, 7]>>,
          memref<2x7x1x64xbf16>, memref<2x7x1x64xbf16>, memref<2x7x1x64xbf16>, memref<64xi8>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %s: memref<2x8x4xf32, strided<[32, 1, 8]>>,
             %w: memref<64xi8>) {
    // expected-error @+1 {{processes 3 key heads at a time, which does not divide 2}}
    rt.attention_grad %q, %q, %k, %k, %q, %s to %q, %k, %k workspace %w
        samples 1 key_heads 3 scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>,
          memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<64xi8>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %s: memref<2x8x4xf32, strided<[32, 1, 8]>>,
             %w: memref<64xi8>) {
    // expected-error @+1 {{processes 0 key heads at a time, which does not divide 2}}
    rt.attention_grad %q, %q, %k, %k, %q, %s to %q, %k, %k workspace %w
        samples 1 key_heads 0 scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>,
          memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<64xi8>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<2x8x4x64xbf16>, %k: memref<2x8x2x64xbf16>, %s: memref<2x8x4xf32, strided<[32, 1, 8]>>,
             %w: memref<64xi8>) {
    // expected-error @+1 {{processes 1 of 2 key heads at a time, so it must process 1 sample at a time, not 2 samples}}
    rt.attention_grad %q, %q, %k, %k, %q, %s to %q, %k, %k workspace %w
        samples 2 key_heads 1 scale 1.0
        : memref<2x8x4x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>,
          memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>,
          memref<2x8x4x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<64xi8>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%q: memref<1x7x4x64xbf16>, %k: memref<1x7x2x64xbf16>, %s: memref<1x7x4xf32, strided<[28, 1, 7]>>,
             %w: memref<64xi8>) {
    // expected-error @+1 {{processes 1 key heads at a time, whose 14 stats are not a multiple of 16 bytes}}
    rt.attention_grad %q, %q, %k, %k, %q, %s to %q, %k, %k workspace %w
        samples 1 key_heads 1 scale 1.0
        : memref<1x7x4x64xbf16>, memref<1x7x4x64xbf16>, memref<1x7x2x64xbf16>,
          memref<1x7x2x64xbf16>, memref<1x7x4x64xbf16>, memref<1x7x4xf32, strided<[28, 1, 7]>>,
          memref<1x7x4x64xbf16>, memref<1x7x2x64xbf16>, memref<1x7x2x64xbf16>, memref<64xi8>
  }
}

// -----

rt.stage 0 {
  // expected-error @+1 {{has a first value, but is not a number}}
  rt.buffer @x : memref<f32> sum first 1.0
}

// -----

rt.stage 0 {
  // expected-error @+1 {{has a record, but is input, which is no parameter or state}}
  rt.buffer @x : memref<4xf32> input record <decay>
}

// -----

rt.stage 0 {
  // expected-error @+1 {{has a source of 2 strides and 2 valid extents for 1 dims}}
  rt.buffer @w : memref<4xf32> param record <init one copies [<
      name = "w", file = "m.onnx", offset = 64, type = tensor<4x1xf32>,
      file_size = 1000, digest = 7, base = 0, strides = [1, 1],
      valid = [4, 1]>]>
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<12x8xf32>, %w: memref<4x32x8xf32>, %c: memref<12x8xf32>, %e: memref<4xi32>) {
    // expected-error @+1 {{has shapes that do not match the form 'nt'}}
    rt.grouped_gemm nt %a, %w, %c ends %e : memref<12x8xf32>, memref<4x32x8xf32>, memref<12x8xf32>, memref<4xi32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<12x8xf32>, %w: memref<4x32x8xf32>, %c: memref<12x32xf32>, %e: memref<3xi32>) {
    // expected-error @+1 {{needs ends of i32, one for each of 4 groups}}
    rt.grouped_gemm nt %a, %w, %c ends %e : memref<12x8xf32>, memref<4x32x8xf32>, memref<12x32xf32>, memref<3xi32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<12x8xf32>, %w: memref<4x32x8xf32>, %c: memref<12x32xf32>, %e: memref<4xi32>) {
    // expected-error @+1 {{adds, which only the form 'tn' can}}
    rt.grouped_gemm nt %a, %w, %c ends %e adds : memref<12x8xf32>, memref<4x32x8xf32>, memref<12x32xf32>, memref<4xi32>
  }
}

// -----

rt.stage 0 {
  rt.func @f(%a: memref<12x8xbf16>, %w: memref<4x32x8xf32>, %c: memref<12x32xf32>, %e: memref<4xi32>) {
    // expected-error @+1 {{does not support operands of 'bf16' and 'f32' with a result of 'f32'}}
    rt.grouped_gemm nt %a, %w, %c ends %e : memref<12x8xbf16>, memref<4x32x8xf32>, memref<12x32xf32>, memref<4xi32>
  }
}

// -----

// expected-error @+1 {{has 64 offloaded bytes, which must be a positive multiple of 2097152 within the arena}}
rt.stage 0 arena 128 offloaded 64 {
}

// -----

// expected-error @+1 {{has 4194304 offloaded bytes, which must be a positive multiple of 2097152 within the arena}}
rt.stage 0 arena 2097152 offloaded 4194304 {
}
