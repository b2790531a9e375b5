# RUN: %python %s %root
"""scripts/mutate changes a text as each class says, and nothing else; its
counts of refused, unchanged and changed mutants are right."""

import os
import sys
import types

sys.dont_write_bytecode = True
ROOT = sys.argv[1]
sys.path.insert(0, os.path.join(ROOT, "test", "Faults", "Inputs"))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import faults
import harmless
from loading import script
from program import Program

SPMD = Program('''\
dist.mesh @mesh = <["dp"=2, "tp"=2, "cp"=3]>
func.func @microbatch(%x: tensor<4xf32>) {
  %0 = dist.all_reduce sum %x over ["tp"] : tensor<4xf32>
  %1 = dist.all_gather %x dim 0 over ["dp"] : tensor<4xf32> -> tensor<8xf32>
  %2 = nn.neg %0 : tensor<4xf32>
  %3 = nn.exp %x : tensor<4xf32>
  nn.accumulate %2, @grad : tensor<4xf32>
  return
}
''')
PIPELINE = Program('''\
pipe.value @value.0 : tensor<4xf32>
pipe.value @value.1 : tensor<4xf32>
pipe.schedule train stage 1 microbatches 2 {
  pipe.recv @value.0 microbatch 0 from 0 channel 2
  pipe.run @forward.1 microbatch 0
  pipe.run @update.1
}
''')
TASKS = Program('''\
pipe.body @t.body (%x: tensor<4xf32>, %s: tensor<4xf32>, %t: tensor<4xf32>, %u: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32> into 2, tensor<4xf32> into 1, tensor<f32> into 3) {
  %0 = nn.sum %s, %x : tensor<4xf32>
  %1:2 = nn.split %t : tensor<4xf32>
  %2 = nn.neg %u : tensor<f32>
  pipe.yield %x, %1#1, %0, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
}
pipe.task @t stage 0 forward calls @t.body (@v, @s, @t, @u) -> (@w, @t, @s, @u)
''')
RT = Program('''\
rt.program axes <["tp"=2]> comms [["tp"]] microbatches 1
rt.stage 0 arena 100 {
  rt.buffer @a : memref<4x2xf32> value at 64 slots 2
  rt.buffer @b : memref<4xf32> state at 0
  rt.func @update.0() {
    %0 = rt.address @a slot 1 : memref<4x2xf32>
    %1 = rt.address @b : memref<4xf32>
    rt.zero %1 : memref<4xf32>
    rt.gemm %0, %0, %1 as <m = 2, n = 2, k = 2> : memref<4x2xf32>
    rt.gemm %0, %0, %1 as <m = 2, beta = 1.000000e+00 : f32> : memref<4x2xf32>
    rt.all_reduce max %1 over ["tp"] : memref<4xf32>
  }
}
''')
ENTRY = Program('''\
rt.func @train() {
  %0 = rt.address @a : memref<4xf32>
  rt.call @reduce(%0) : memref<4xf32>
  %1 = rt.address @b : memref<4xf32>
  rt.wait %2 stream 1
  rt.call @gather.0.body(%1) : memref<4xf32>
  %3 = rt.address @copy : memref<4xf32>
  rt.release %3 : memref<4xf32>
  rt.reduce_scatter %1 to %0 over ["dp"] stream 1 : memref<4xf32>
}
''')
FRAME = Program('''\
rt.stage 0 {
  rt.func @f() frame 192 {
    %0 = rt.temporary at 64 : memref<4xf32>
  }
}
''')


def differences(program, edit):
    """The lines that an edit removes and those that it adds, as sets; "moved"
    if both texts have the same lines."""
    old, new = program.lines, edit().splitlines()
    if sorted(old) == sorted(new):
        return "moved" if old != new else "nothing"
    return ({line.strip() for line in old} - {line.strip() for line in new},
            {line.strip() for line in new} - {line.strip() for line in old})


def expect(function, program, *wanted):
    found = [differences(program, edit) for _, edit in function(program)]
    assert found == list(wanted), f"{function.__name__}: {found}"


REDUCE = '%0 = dist.all_reduce sum %x over ["tp"] : tensor<4xf32>'
GATHER = ('%1 = dist.all_gather %x dim 0 over ["dp"] : '
          'tensor<4xf32> -> tensor<8xf32>')
NEG = "%2 = nn.neg %0 : tensor<4xf32>"
RECV = "pipe.recv @value.0 microbatch 0 from 0 channel 2"
RUN = "pipe.run @forward.1 microbatch 0"
ACCUMULATE = "nn.accumulate %2, @grad : tensor<4xf32>"
MAX = 'rt.all_reduce max %1 over ["tp"] : memref<4xf32>'
A = "rt.buffer @a : memref<4x2xf32> value at 64 slots 2"
B = "rt.buffer @b : memref<4xf32> state at 0"


def changed(line, old, new):
    return {line}, {line.replace(old, new)}


expect(faults.collective_deleted, SPMD,
       ({REDUCE, NEG}, {NEG.replace("%0", "%x")}), ({GATHER}, set()))
expect(faults.collective_deleted, RT, ({MAX}, set()))
expect(faults.collective_doubled, SPMD,
       ({NEG}, {REDUCE.replace("%0", "%twice0").replace("%x", "%0"),
                NEG.replace("%0", "%twice0")}),
       (set(), {GATHER.replace("%1", "%twice1").replace("%x", "%1")}))
expect(faults.collective_over_other_axis, SPMD, changed(REDUCE, "tp", "dp"),
       changed(GATHER, "dp", "tp"))
expect(faults.max_for_sum, SPMD, changed(REDUCE, "sum", "max"))
expect(faults.max_for_sum, RT, changed(MAX, "max", "sum"))
expect(faults.collectives_swapped, SPMD, "moved")
expect(faults.communicators_swapped, SPMD,
       ({REDUCE, GATHER}, {REDUCE.replace("tp", "dp"),
                           GATHER.replace("dp", "tp")}))
expect(faults.schedule_swapped, PIPELINE, "moved", "moved")
expect(faults.peer_changed, PIPELINE, changed(RECV, "from 0", "from 1"))
expect(faults.channel_changed, PIPELINE, changed(RECV, "l 2", "l 1"),
       changed(RECV, "l 2", "l 3"))
expect(faults.slot_changed, PIPELINE,
       changed(RECV, "microbatch 0", "microbatch 1"),
       changed(RUN, "microbatch 0", "microbatch 1"))
SLOT = "%0 = rt.address @a slot 1 : memref<4x2xf32>"
expect(faults.slot_changed, RT, changed(SLOT, "slot 1", "slot 0"),
       changed(SLOT, "slot 1", "slot 2"))
expect(faults.offset_moved, RT, changed(A, "at 64", "at 0"),
       changed(A, "at 64", "at 128"), changed(B, "at 0", "at 64"))
TEMPORARY = FRAME.lines[2].strip()
expect(faults.offset_moved, FRAME, changed(TEMPORARY, "at 64", "at 0"),
       changed(TEMPORARY, "at 64", "at 128"))
expect(faults.update_left_out, SPMD, ({ACCUMULATE}, set()))
BODY, ADD, GIVE, TASK = (TASKS.lines[at].strip() for at in (0, 1, 4, 6))
expect(faults.update_left_out, TASKS, changed(GIVE, "%1#1", "%t"),
       changed(GIVE, "%0", "%s"), changed(GIVE, "%2", "%u"))
expect(faults.first_writer_changed, TASKS, changed(ADD, "%s, ", ""))
expect(faults.states_swapped, TASKS,
       changed(TASK, "@w, @t, @s", "@w, @s, @t"),
       changed(TASK, "@v, @s, @t", "@v, @t, @s"),
       ({BODY, TASK}, {BODY.replace("into 2", "into 9").replace(
           "into 1", "into 2").replace("into 9", "into 1"),
           TASK.replace("@w, @t, @s", "@w, @s, @t")}))
assert list(faults.schedule_swapped(ENTRY))[0][1]().splitlines() == [
    ENTRY.lines[at] for at in (0, 1, 3, 5, 2, 4, 6, 7, 8, 9)]
GATHERED, RELEASED, SCATTERED = (ENTRY.lines[at].strip() for at in (5, 7, 8))
expect(faults.gather_or_release_changed, ENTRY, ({GATHERED}, set()),
       ({RELEASED}, set()), "moved")
assert list(faults.gather_or_release_changed(ENTRY))[2][1]().splitlines() == [
    ENTRY.lines[at] for at in (0, 1, 2, 3, 4, 6, 7, 5, 8, 9)]
WAIT = ENTRY.lines[4].strip()
expect(faults.stream_changed, ENTRY, changed(WAIT, "1", "0"),
       changed(WAIT, "stream 1", "stream 2"), changed(SCATTERED, "m 1", "m 0"),
       changed(SCATTERED, "m 1", "m 2"))
assert list(harmless.wait_added(ENTRY))[0][1]().splitlines() == [
    ENTRY.lines[at] for at in (0, 1, 2, 3, 4, 5, 4, 6, 7, 8, 9)]
expect(faults.update_left_out, PIPELINE, ({"pipe.run @update.1"}, set()))
zero, first, later = (RT.lines[at].strip() for at in (7, 8, 9))
expect(faults.first_writer_changed, RT, ({zero}, set()),
       changed(first, "k = 2", "k = 2, beta = 1.000000e+00 : f32"),
       changed(later, ", beta = 1.000000e+00 : f32", ""))

ROW = Program('''\
nn.state @row : tensor<1x96xf32> bucket members [@a, @b, @c] at [0, 32, 64]
nn.state @other : tensor<4xf32> gradient of @p
rt.stage 0 arena 100 {
  rt.buffer @a : memref<4xf32> param in @row element 0 at 0
  rt.buffer @x : memref<4xf32> param in @other element 0 at 64
  rt.buffer @b : memref<4xf32> param in @row element 32 at 128
}
''')
FAR = Program("""\
nn.state @row : tensor<1x96xf32> bucket members [@a, @b] at [0, 64]
rt.buffer @a : memref<4xf32> param in @row element 64
""")
LAYOUTS = Program("""\
rt.program axes <["dp"=2, "tp"=2, "cp"=3]> comms [] microbatches 1
rt.buffer @a : memref<4x2xf32> param at 0 layout <[8, 2], [["tp"], []]>
""")
expect(faults.layout_changed, LAYOUTS, changed(LAYOUTS.lines[1], "tp", "dp"))
expect(faults.offset_moved, FAR, changed(FAR.lines[0], "[0", "[64"),
       changed(FAR.lines[0], "64]", "0]"), changed(FAR.lines[0], "64]", "128]"),
       changed(FAR.lines[1], "64", "0"), changed(FAR.lines[1], "64", "128"))
expect(faults.member_twice, ROW, changed(ROW.lines[0], "@b", "@a"),
       changed(ROW.lines[0], "@c", "@b"),
       changed(ROW.lines[5].strip(), "element 32", "element 0"))

STREAMS = Program('''\
rt.func @train() {
  %e = rt.event_of @e : !rt.event
  rt.record %e
  rt.wait %e stream 1
}
''')
expect(faults.wait_dropped, STREAMS, ({"rt.record %e"}, set()),
       ({"rt.wait %e stream 1"}, set()))

LOOPS = Program('''\
rt.func @train() {
  rt.for %m = 0 to 8 {
    rt.send %x to 1 channel 0 : memref<4xf32>
  }
}
''')
FOR = "rt.for %m = 0 to 8 {"
expect(faults.loop_bound_changed, LOOPS, changed(FOR, "= 0", "= 1"),
       changed(FOR, "to 8", "to 7"), changed(FOR, "to 8", "to 9"))

use = "%new0"
expect(harmless.value_renamed, SPMD,
       ({REDUCE, NEG}, {REDUCE.replace("%0", use), NEG.replace("%0", use)}),
       changed(GATHER, "%1", "%new1"),
       ({NEG, ACCUMULATE}, {NEG.replace("%2", "%new2"),
                            ACCUMULATE.replace("%2", "%new2")}),
       changed("%3 = nn.exp %x : tensor<4xf32>", "%3", "%new3"))
expect(harmless.symbol_renamed, TASKS,
       ({BODY, TASK}, {BODY.replace("@t.body", "@t.body_renamed"),
                       TASK.replace("@t.body", "@t.body_renamed")}))
SPLIT = "%1:2 = nn.split %t : tensor<4xf32>"
assert differences(TASKS, list(harmless.value_renamed(TASKS))[0][1]) == \
    ({BODY, SPLIT}, {BODY.replace("%t", "%newt"), SPLIT.replace("%t", "%newt")})
expect(harmless.symbol_renamed, RT,
       ({A, SLOT}, {A.replace("@a", "@a_renamed"),
                    SLOT.replace("@a", "@a_renamed")}))
expect(harmless.independent_swapped, SPMD, "moved")
expect(harmless.declarations_swapped, PIPELINE, "moved")
STAGE = "rt.stage 0 arena 100 {"
assert differences(RT, next(harmless.arena_larger(RT))[1]) == \
    changed(STAGE, "100", "1124")
# Two slots of 32 bytes, 64 each in the arena, from its rounded end on.
expect(harmless.buffer_elsewhere, RT,
       ({STAGE, A}, {STAGE.replace("100", "256"), A.replace("64", "128")}))

# A bucket with three slots, two of them at one offset.
ROWS = Program('''\
rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256, 0 slots 3
  rt.buffer @m : memref<32xf32> gradient in @row element 32 at 128, 384, 128 slots 3
  rt.func @train() {
    rt.for %m = 0 to 4 {
      %0 = rt.address @row slot %m among 1 to 3 : memref<1x64xf32>
    }
  }
}
''')
TURN = "%0 = rt.address @row slot %m among 1 to 3 : memref<1x64xf32>"
expect(faults.slot_changed, ROWS,
       changed(TURN, "%m", "%m + 1"),
       changed(TURN, "among 1", "among 0"), changed(TURN, "among 1", "among 2"),
       changed(TURN, "to 3", "to 2"), changed(TURN, "to 3", "to 4"))
STAGE, ROW, MEMBER = (ROWS.lines[at].strip() for at in range(3))
expect(harmless.row_elsewhere, ROWS,
       ({STAGE, ROW, MEMBER},
        {STAGE.replace("512", "768"), ROW.replace("0, 256, 0", "512, 256, 512"),
         MEMBER.replace("128, 384, 128", "640, 384, 640")}),
       ({STAGE, ROW, MEMBER},
        {STAGE.replace("512", "768"), ROW.replace("256", "512"),
         MEMBER.replace("384", "640")}))

# An op whose operand is defined in between may not move up.
NEXT = Program('''\
func.func @f(%x: tensor<4xf32>) {
  %0 = dist.all_reduce sum %x over ["tp"] : tensor<4xf32>
  %1 = dist.all_reduce sum %0 over ["dp"] : tensor<4xf32>
}
''')
expect(faults.collectives_swapped, NEXT)

# The outcome of an edit, with a fake check and a fake interpreter.
mutate = script("mutate")


def text(file):
    with open(file) as lines:
        return lines.read()


plan = types.SimpleNamespace(
    check=lambda phase, file: "it says bad" if "bad" in text(file) else "",
    compute=lambda phase, file: text(file).count("+"),
    results={"spmd": 1, "rt": 1})
for content, phase, wanted in (("bad", "spmd", "refused"),
                               ("a + b", "spmd", "same"),
                               ("a + b + c", "spmd", "other"),
                               ("a + b", "rt", "same"),
                               ("bad", "rt", "refused")):
    result, _ = mutate.outcome(plan, phase, lambda: content, ".", "edits-tmp")
    assert result == wanted, (content, phase, result)
