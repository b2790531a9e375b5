// The point-to-point channels, each once and in order, and which of them have
// separate streams; and the communicators with an all-to-all. The program only
// prints its description.
// RUN: pcc %s --emit obj -o %t.o -q
// RUN: %cc -I %root %S/Inputs/print-program.c %t.o -o %t \
// RUN:   -Wl,--defsym=pcc_send_async=0,--defsym=pcc_recv_async=0 \
// RUN:   -Wl,--defsym=pcc_send=0,--defsym=pcc_recv=0,--defsym=pcc_zero=0 \
// RUN:   -Wl,--defsym=pcc_copy=0,--defsym=pcc_record=0,--defsym=pcc_wait=0 \
// RUN:   -Wl,--defsym=pcc_all_to_all=0
// RUN: %t | FileCheck %s
// CHECK: comm pp channels 1
// CHECK-NEXT: comm dp exchanges channels 16
// CHECK-NEXT: way from 0 to 1 channel 0 beside
// CHECK-NEXT: way from 0 to 1 channel 2{{$}}
// CHECK-NEXT: way from 1 to 0 channel 1 beside
// CHECK-NEXT: seq

module attributes {pcc.phase = "rt"} {
rt.program axes <["pp"=2, "dp"=2 data]> comms [["pp"], ["dp"]]
    microbatches 1
rt.stage 0 arena 128 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.buffer @b : memref<16xf32> value at 64
  rt.event @done
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    %done = rt.event_of @done : !rt.event
    rt.zero %a : memref<16xf32>
    rt.record %done
    rt.wait %done stream 1
    rt.wait %done stream 2
    rt.send %a to 1 channel 0 stream 1 : memref<16xf32>
    rt.send %a to 1 channel 0 stream 1 : memref<16xf32>
    rt.record %done stream 1
    rt.wait %done
    rt.recv %b from 1 channel 1 stream 2 : memref<16xf32>
    rt.record %done stream 2
    rt.wait %done
    rt.all_to_all %b to %a over ["dp"] : memref<16xf32> to memref<16xf32>
    rt.send %a to 1 channel 2 : memref<16xf32>
  }
}
rt.stage 1 arena 128 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.buffer @b : memref<16xf32> value at 64
  rt.event @done
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    %done = rt.event_of @done : !rt.event
    rt.recv %a from 0 channel 0 stream 2 : memref<16xf32>
    rt.record %done stream 2
    rt.wait %done
    rt.copy %a to %b : memref<16xf32> to memref<16xf32>
    rt.record %done
    rt.wait %done stream 2
    rt.recv %a from 0 channel 0 stream 2 : memref<16xf32>
    rt.record %done stream 2
    rt.wait %done
    rt.copy %a to %b : memref<16xf32> to memref<16xf32>
    rt.record %done
    rt.wait %done stream 1
    rt.send %b to 0 channel 1 stream 1 : memref<16xf32>
    rt.record %done stream 1
    rt.wait %done
    rt.recv %a from 0 channel 2 : memref<16xf32>
    rt.copy %a to %b : memref<16xf32> to memref<16xf32>
  }
}
}
