// Programs that cannot be scheduled.
// RUN: pcc-opt %s -pipe-schedule="kind=1f1b microbatches=2" --split-input-file --verify-diagnostics
// RUN: not pcc-opt %s -pipe-schedule=kind=zigzag 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not pcc-opt %s -pipe-schedule="kind=gpipe microbatches=0" 2>&1 | FileCheck %s --check-prefix=NONE
// KIND: error: no schedule 'zigzag' of 1 microbatches
// NONE: error: no schedule 'gpipe' of 0 microbatches

// expected-error @+1 {{has a task of stage 2, but tasks of 2 stages}}
module {
  pipe.task @f0 stage 0 forward calls @f0.body ()
  pipe.body @f0.body () { pipe.yield }
  pipe.task @f2 stage 2 forward calls @f2.body ()
  pipe.body @f2.body () { pipe.yield }
}

// -----

// expected-error @+1 {{has a task of stage 1, but tasks of 1 stages}}
module {
  pipe.task @f1 stage 1 forward calls @f1.body ()
  pipe.body @f1.body () { pipe.yield }
}

// -----

// expected-error @+2 {{the loss of a whole batch does not follow from those of its parts: it is a root}}
// expected-note @+1 {{it trains in one microbatch, not in 2}}
module attributes {nn.whole_batch = "it is a root"} {
  pipe.task @f0 stage 0 forward calls @f0.body ()
  pipe.body @f0.body () { pipe.yield }
}

// -----

// Valid: stages in any order, and no stages.
module {
  pipe.task @f1 stage 1 forward calls @f1.body ()
  pipe.body @f1.body () { pipe.yield }
  pipe.task @f0 stage 0 forward calls @f0.body ()
  pipe.body @f0.body () { pipe.yield }
}

// -----

module { }
