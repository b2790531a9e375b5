// Transfers move to communication streams, and events order them with compute.
// RUN: pcc-opt %s -split-input-file --rt-streams | FileCheck %s
// RUN: pcc-opt %s -split-input-file --rt-streams --rt-plan --rt-verify \
// RUN:   | FileCheck %s --check-prefix=PLAN

// Stage 0 sends each of six transfers from one of two slots: before a slot is
// overwritten its last transfer has been sent; in the first two iterations
// there is none. Stage 1 receives one ahead. At the end all are complete.

// CHECK-LABEL: rt.stage 0
// CHECK: rt.event @a.sent slots 2
// CHECK: rt.event @issued
// CHECK: rt.func @train() {
// CHECK-NEXT: %[[E0:.*]] = rt.event_of @a.sent : !rt.event
// CHECK-NEXT: rt.record %[[E0]]{{$}}
// CHECK-NEXT: %[[E1:.*]] = rt.event_of @a.sent slot 1 : !rt.event
// CHECK-NEXT: rt.record %[[E1]]{{$}}
// CHECK-NEXT: rt.for %m = 0 to 6 {
// CHECK-NEXT: %[[X:.*]] = rt.address @x slot %m
// CHECK-NEXT: %[[A:.*]] = rt.address @a slot %m
// CHECK-NEXT: %[[FREE:.*]] = rt.event_of @a.sent slot %m : !rt.event
// CHECK-NEXT: rt.wait %[[FREE]]{{$}}
// CHECK-NEXT: rt.call @make(%[[X]], %[[A]])
// CHECK-NEXT: %[[I:.*]] = rt.event_of @issued : !rt.event
// CHECK-NEXT: rt.record %[[I]]{{$}}
// CHECK-NEXT: rt.wait %[[I]] stream 1
// CHECK-NEXT: rt.send %[[A]] to 1 channel 0 stream 1
// CHECK-NEXT: %[[SENT:.*]] = rt.event_of @a.sent slot %m : !rt.event
// CHECK-NEXT: rt.record %[[SENT]] stream 1
// CHECK-NEXT: }
// CHECK-NEXT: %[[LAST:.*]] = rt.event_of @a.sent slot 1 : !rt.event
// CHECK-NEXT: rt.wait %[[LAST]]{{$}}
// CHECK-NEXT: }

// CHECK-LABEL: rt.stage 1
// CHECK: rt.event @a.received slots 2
// CHECK: rt.func @train() {
// CHECK-NEXT: %[[A0:.*]] = rt.address @a : memref<16xf32>
// CHECK-NEXT: rt.recv %[[A0]] from 0 channel 0 stream 1
// CHECK-NEXT: %[[R0:.*]] = rt.event_of @a.received : !rt.event
// CHECK-NEXT: rt.record %[[R0]] stream 1
// CHECK-NEXT: rt.for %m = 0 to 5 {
// CHECK-NEXT: %[[NEXT:.*]] = rt.address @a slot %m + 1
// CHECK-NEXT: %[[I:.*]] = rt.event_of @issued : !rt.event
// CHECK-NEXT: rt.record %[[I]]{{$}}
// CHECK-NEXT: rt.wait %[[I]] stream 1
// CHECK-NEXT: rt.recv %[[NEXT]] from 0 channel 0 stream 1
// CHECK-NEXT: %[[COMING:.*]] = rt.event_of @a.received slot %m + 1 : !rt.event
// CHECK-NEXT: rt.record %[[COMING]] stream 1
// CHECK-NEXT: %[[A:.*]] = rt.address @a slot %m
// CHECK-NEXT: %[[Y:.*]] = rt.address @y
// CHECK-NEXT: %[[HERE:.*]] = rt.event_of @a.received slot %m : !rt.event
// CHECK-NEXT: rt.wait %[[HERE]]{{$}}
// CHECK-NEXT: rt.copy %[[A]] to %[[Y]]
// CHECK-NEXT: }
// CHECK: %[[HERE:.*]] = rt.event_of @a.received slot 5 : !rt.event
// CHECK-NEXT: rt.wait %[[HERE]]{{$}}
// CHECK-NEXT: rt.copy
// CHECK-NOT: rt.wait
// PLAN: rt.stage 0
rt.stage 0 {
  rt.buffer @x : memref<16xf32> input slots 6 {role = "data", name = "x"}
  rt.buffer @a : memref<16xf32> value slots 2
  rt.func @make(%x: memref<16xf32>, %a: memref<16xf32>) {
    rt.copy %x to %a : memref<16xf32> to memref<16xf32>
  }
  rt.func @train() {
    rt.for %m = 0 to 6 {
      %x = rt.address @x slot %m : memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      rt.call @make(%x, %a) : memref<16xf32>, memref<16xf32>
      rt.send %a to 1 channel 0 : memref<16xf32>
    }
  }
}
rt.stage 1 {
  rt.buffer @a : memref<16xf32> value slots 2
  rt.buffer @y : memref<16xf32> output {name = "y"}
  rt.func @train() {
    %a0 = rt.address @a : memref<16xf32>
    rt.recv %a0 from 0 channel 0 : memref<16xf32>
    rt.for %m = 0 to 5 {
      %next = rt.address @a slot %m + 1 : memref<16xf32>
      rt.recv %next from 0 channel 0 : memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      rt.copy %a to %y : memref<16xf32> to memref<16xf32>
    }
    %a5 = rt.address @a slot 5 : memref<16xf32>
    %y = rt.address @y : memref<16xf32>
    rt.copy %a5 to %y : memref<16xf32> to memref<16xf32>
  }
}

// -----

// A stage that forwards a received value: one stream waits for the other. Each
// channel has a stream, and an exchange stays on the compute stream. A body
// runs on the stream of its ops.

// CHECK-LABEL: rt.stage 0
// CHECK: rt.func @train() {
// CHECK: rt.recv %[[A:.*]] from 1 channel 1 stream 5
// CHECK-NEXT: %[[R:.*]] = rt.event_of @a.received : !rt.event
// CHECK-NEXT: rt.record %[[R]] stream 5
// CHECK-NEXT: %[[W:.*]] = rt.event_of @a.received : !rt.event
// CHECK-NEXT: rt.wait %[[W]] stream 4
// CHECK-NEXT: rt.send %[[A]] to 1 channel 0 stream 4
// CHECK-NEXT: %[[S:.*]] = rt.event_of @a.sent : !rt.event
// CHECK-NEXT: rt.record %[[S]] stream 4
// CHECK-NEXT: %[[W:.*]] = rt.event_of @a.received : !rt.event
// CHECK-NEXT: rt.wait %[[W]] stream 3
// CHECK-NEXT: %[[S:.*]] = rt.event_of @a.sent : !rt.event
// CHECK-NEXT: rt.wait %[[S]] stream 3
// CHECK-NEXT: rt.call @reduce(%[[A]])
// CHECK-NEXT: %[[D:.*]] = rt.event_of @a.done : !rt.event
// CHECK-NEXT: rt.record %[[D]] stream 3
// CHECK: rt.exchange %{{.*}} to 1 channel 2, %{{.*}} from 1 channel 2 :
rt.program axes <["pp"=2, "dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 {
  rt.buffer @w : memref<16xf32> param
  rt.buffer @a : memref<16xf32> value
  rt.buffer @b : memref<16xf32> value
  rt.func @reduce(%a: memref<16xf32>) {
    rt.all_reduce sum %a over ["dp"] stream 3 : memref<16xf32>
  }
  rt.func @train() {
    %w = rt.address @w : memref<16xf32>
    %a = rt.address @a : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    rt.recv %a from 1 channel 1 : memref<16xf32>
    rt.send %a to 1 channel 0 : memref<16xf32>
    rt.call @reduce(%a) : memref<16xf32>
    rt.exchange %w to 1 channel 2, %b from 1 channel 2
        : memref<16xf32>, memref<16xf32>
    rt.copy %a to %w : memref<16xf32> to memref<16xf32>
  }
}
rt.stage 1 {
  rt.buffer @w : memref<16xf32> param
  rt.buffer @a : memref<16xf32> value
  rt.func @train() {
    %w = rt.address @w : memref<16xf32>
    %a = rt.address @a : memref<16xf32>
    rt.send %w to 0 channel 1 : memref<16xf32>
    rt.recv %a from 0 channel 0 : memref<16xf32>
    rt.exchange %w to 0 channel 2, %a from 0 channel 2
        : memref<16xf32>, memref<16xf32>
  }
}

// -----

// A buffer in transfer keeps its bytes until stream 0 has waited for it: @b may
// not share @a's bytes, @c may.

// CHECK-LABEL: rt.stage 0
// CHECK: rt.func @train() {
// PLAN-LABEL: rt.stage 0 arena 192
// PLAN: rt.buffer @a : memref<16xf32> value at [[A:[0-9]+]]
// PLAN-NOT: rt.buffer @b : memref<16xf32> value at [[A]]
// PLAN: rt.buffer @c : memref<16xf32> value at [[A]]
rt.stage 0 {
  rt.buffer @w : memref<16xf32> param
  rt.buffer @a : memref<16xf32> value
  rt.buffer @b : memref<16xf32> value
  rt.buffer @c : memref<16xf32> value
  rt.func @train() {
    %w = rt.address @w : memref<16xf32>
    %a = rt.address @a : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    %c = rt.address @c : memref<16xf32>
    rt.zero %a : memref<16xf32>
    rt.send %a to 1 channel 0 : memref<16xf32>
    rt.zero %b : memref<16xf32>
    rt.copy %b to %w : memref<16xf32> to memref<16xf32>
    rt.zero %a : memref<16xf32>
    rt.copy %a to %w : memref<16xf32> to memref<16xf32>
    rt.zero %c : memref<16xf32>
    rt.copy %c to %w : memref<16xf32> to memref<16xf32>
  }
}
rt.stage 1 {
  rt.buffer @a : memref<16xf32> value
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    rt.recv %a from 0 channel 0 : memref<16xf32>
  }
}

// -----

// A body that only communicates has a stream for its mesh axes. It starts when
// its operands are computed, and users of its results, and writers of its
// operands, wait for it. A member of a bucket counts as the bucket, by either
// name.

// CHECK-LABEL: rt.stage 0
// CHECK: rt.func @reduce(
// CHECK-NEXT: rt.reduce_scatter %{{.*}} to %{{.*}} over ["dp"] stream 1
// CHECK: rt.func @norms(
// CHECK-NEXT: rt.all_reduce sum %{{.*}} over ["tp"] stream 2
// CHECK: rt.func @mixed(
// CHECK-NEXT: rt.all_reduce sum %{{.*}} over ["dp"] :
// CHECK-NEXT: rt.copy
// CHECK: rt.func @add(
// CHECK-NEXT: %[[CAME:.*]] = rt.temporary
// CHECK-NEXT: rt.reduce_scatter %{{.*}} to %[[CAME]] over ["dp"] stream 1
// CHECK-NEXT: rt.launch @sum ins(%{{.*}}, %[[CAME]] {{.*}} inplace [0] stream 1
// CHECK: rt.func @add_more(
// CHECK-NEXT: rt.temporary
// CHECK-NEXT: rt.reduce_scatter %{{.*}} over ["dp"] :
// CHECK-NEXT: rt.launch @sum {{.*}} inplace [-1, 0]{{$}}
// CHECK: rt.func @train() {
// CHECK: rt.call @back(
// CHECK: rt.record %[[I:.*]]{{$}}
// CHECK-NEXT: rt.wait %[[I]] stream 1
// CHECK-NEXT: rt.call @reduce(
// CHECK-NEXT: %[[PART:.*]] = rt.event_of @row.done : !rt.event
// CHECK-NEXT: rt.record %[[PART]] stream 1
// CHECK: rt.call @norms(
// CHECK-NEXT: %[[N:.*]] = rt.event_of @n.done : !rt.event
// CHECK-NEXT: rt.record %[[N]] stream 2
// CHECK: rt.call @back(
// CHECK: %[[FREE:.*]] = rt.event_of @row.done : !rt.event
// CHECK-NEXT: rt.wait %[[FREE]]{{$}}
// CHECK-NEXT: rt.zero
// CHECK: rt.event_of @n.done : !rt.event
// CHECK-NEXT: rt.wait
// CHECK: rt.call @mixed(
// PLAN: rt.stage 0
rt.program axes <["dp"=2, "tp"=2]> comms [["dp"], ["tp"]] microbatches 1
rt.stage 0 {
  rt.buffer @row : memref<1x64xf32> bucket
  rt.buffer @g : memref<32xf32> sum in @row element 0
  rt.buffer @h : memref<32xf32> sum in @row element 32
  rt.buffer @part : memref<1x32xf32> value
  rt.buffer @n : memref<16xf32> state
  rt.buffer @x : memref<32xf32> value
  rt.buffer @y : memref<1x32xf32> output {name = "y"}
  rt.func @back(%x: memref<32xf32>) {
    rt.zero %x : memref<32xf32>
  }
  rt.func @reduce(%row: memref<1x64xf32>, %part: memref<1x32xf32>) {
    rt.reduce_scatter %row to %part over ["dp"]
        : memref<1x64xf32> to memref<1x32xf32>
  }
  rt.func @norms(%n: memref<16xf32>) {
    rt.all_reduce sum %n over ["tp"] : memref<16xf32>
  }
  rt.func @mixed(%n: memref<16xf32>, %part: memref<1x32xf32>,
                 %y: memref<1x32xf32>) {
    rt.all_reduce sum %n over ["dp"] : memref<16xf32>
    rt.copy %part to %y : memref<1x32xf32> to memref<1x32xf32>
  }
  // A kernel that adds a received value to a sum is on the transfer's stream,
  rt.func @add(%row: memref<1x64xf32>, %part: memref<1x32xf32>) {
    %came = rt.temporary : memref<1x32xf32>
    rt.reduce_scatter %row to %came over ["dp"]
        : memref<1x64xf32> to memref<1x32xf32>
    rt.launch @sum ins(%part, %came : memref<1x32xf32>, memref<1x32xf32>)
        outs(%part : memref<1x32xf32>) inplace [0]
  }
  // a kernel that computes something else from it is not.
  rt.func @add_more(%row: memref<1x64xf32>, %part: memref<1x32xf32>) {
    %came = rt.temporary : memref<1x32xf32>
    rt.reduce_scatter %row to %came over ["dp"]
        : memref<1x64xf32> to memref<1x32xf32>
    rt.launch @sum ins(%part, %came : memref<1x32xf32>, memref<1x32xf32>)
        outs(%came, %part : memref<1x32xf32>, memref<1x32xf32>) inplace [-1, 0]
  }
  rt.func @train() {
    %h = rt.address @h : memref<32xf32>
    rt.call @back(%h) : memref<32xf32>
    %row = rt.address @row : memref<1x64xf32>
    %part = rt.address @part : memref<1x32xf32>
    rt.call @reduce(%row, %part) : memref<1x64xf32>, memref<1x32xf32>
    %n = rt.address @n : memref<16xf32>
    rt.call @norms(%n) : memref<16xf32>
    %x = rt.address @x : memref<32xf32>
    rt.call @back(%x) : memref<32xf32>
    %g = rt.address @g : memref<32xf32>
    rt.zero %g : memref<32xf32>
    %y = rt.address @y : memref<1x32xf32>
    rt.call @mixed(%n, %part, %y)
        : memref<16xf32>, memref<1x32xf32>, memref<1x32xf32>
  }
}

// -----

// The first transfers of an iteration wait for all compute of the previous one,
// like the rest of the iteration: @b is not received while @c is used.

// CHECK-LABEL: rt.stage 0
// CHECK: rt.for %m = 0 to 4 {
// CHECK: %[[I:.*]] = rt.event_of @issued : !rt.event
// CHECK-NEXT: rt.record %[[I]]{{$}}
// CHECK-NEXT: rt.wait %[[I]] stream 1
// CHECK-NEXT: rt.recv %{{.*}} from 1 channel 0 stream 1
// CHECK: rt.copy
// CHECK: rt.wait %{{.*}} stream 1
// CHECK-NEXT: rt.recv %{{.*}} from 1 channel 0 stream 1
// CHECK: rt.copy
// PLAN: rt.buffer @b : memref<16xf32> value at [[#B:]]
// PLAN: rt.buffer @c : memref<16xf32> value at [[#B]]
rt.stage 0 {
  rt.buffer @b : memref<16xf32> value
  rt.buffer @c : memref<16xf32> value
  rt.buffer @y : memref<16xf32> output {name = "y"}
  rt.func @train() {
    rt.for %m = 0 to 4 {
      %b = rt.address @b : memref<16xf32>
      %c = rt.address @c : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      rt.recv %b from 1 channel 0 : memref<16xf32>
      rt.copy %b to %y : memref<16xf32> to memref<16xf32>
      rt.recv %c from 1 channel 0 : memref<16xf32>
      rt.copy %c to %y : memref<16xf32> to memref<16xf32>
    }
  }
}
rt.stage 1 {
  rt.buffer @w : memref<16xf32> param
  rt.func @train() {
    rt.for %m = 0 to 4 {
      %w = rt.address @w : memref<16xf32>
      rt.send %w to 0 channel 0 : memref<16xf32>
      rt.send %w to 0 channel 0 : memref<16xf32>
    }
  }
}

// -----

// Transfers over the channel of an exchange stay on the compute stream with it,
// on both sides: the two use one communicator.
// CHECK-LABEL: rt.stage 0
// CHECK: rt.send %{{.*}} to 1 channel 0 :
// CHECK: rt.exchange
// CHECK-LABEL: rt.stage 1
// CHECK: rt.recv %{{.*}} from 0 channel 0 :
// CHECK: rt.recv %{{.*}} from 0 channel 0 :
// CHECK: rt.send %{{.*}} to 0 channel 1 :
rt.stage 0 {
  rt.buffer @a : memref<4xf32> value
  rt.buffer @b : memref<4xf32> value
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    rt.zero %a : memref<4xf32>
    rt.send %a to 1 channel 0 : memref<4xf32>
    rt.exchange %a to 1 channel 0, %b from 1 channel 1
        : memref<4xf32>, memref<4xf32>
  }
}
rt.stage 1 {
  rt.buffer @a : memref<4xf32> value
  rt.buffer @b : memref<4xf32> value
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    rt.recv %a from 0 channel 0 : memref<4xf32>
    rt.copy %a to %b : memref<4xf32> to memref<4xf32>
    rt.recv %a from 0 channel 0 : memref<4xf32>
    rt.copy %a to %b : memref<4xf32> to memref<4xf32>
    rt.send %b to 0 channel 1 : memref<4xf32>
  }
}
