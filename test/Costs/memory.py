# RUN: %python %s %root %build
"""Arenas are hardly larger than the peak of live bytes; a larger arena is
detected. Each plan is compiled for one of three models; with PCC_TEST_ALL for
each."""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT, BUILD = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "test", "Costs", "Inputs"))
import lives

ALL = bool(os.environ.get("PCC_TEST_ALL"))
BOUND = 1.03
LAYERS = 12
LAYOUTS = ("", "--tp 2 --sequence-parallel", "--dp 2 --cp 2",
           "--dp 2 --precision bf16",
           "--dp 2 --zero 2 --global-batch-size 16",
           "--dp 2 --zero 3 --precision fp16 --global-batch-size 16",
           "--pp 2 --global-batch-size 32",
           "--pp 3 --global-batch-size 8",
           "--pp 3 --tp 2 --schedule gpipe --global-batch-size 16",
           "--recompute selective --precision bf16 --global-batch-size 8",
           "--recompute full --pp 2 --zero 3 --dp 2 --global-batch-size 16",
           # Slots of many buffers die while buckets of gradients become live.
           "--pp 2 --dp 2 --schedule gpipe --zero 2 --global-batch-size 16")


def make(family, folder):
    path = os.path.join(folder, family + ".mlir")
    made = subprocess.run(
        [sys.executable, os.path.join(ROOT, "test/Inputs/models/make.py"),
         family, f"--layers={LAYERS}", "--seq=64", "--width=192", "--inner=768",
         "--heads=6", "--vocab=960"], check=True, text=True,
        stdout=subprocess.PIPE).stdout
    with open(path, "w") as file:
        file.write('module attributes {pcc.phase = "nn"} {\n' + made + "}\n")
    return path


def compiled(path, flags):
    return subprocess.run([os.path.join(BUILD, "bin", "pcc"), path, "-q",
                           *flags.split(), "--emit=rt", "-o", "-"], check=True,
                          text=True, stdout=subprocess.PIPE).stdout


with tempfile.TemporaryDirectory() as folder:
    for first, family in enumerate(("gpt", "llama", "encdec")):
        path = make(family, folder)
        for flags in LAYOUTS if ALL else LAYOUTS[first::3]:
            text = compiled(path, flags)
            for number, (arena, most, where) in enumerate(lives.peaks(text)):
                assert most <= arena <= BOUND * most, \
                    (family, flags, number, arena, most, where)

# Counted by hand, in bytes: @w's 64 are always live, @x's two slots of 128 from
# the start.
SMALL = """\
rt.stage 0 arena 1024 {
  rt.buffer @w : memref<16xf32> param at 0
  rt.buffer @x : memref<32xf32> input at 64 slots 2
  rt.buffer @v : memref<256xi8> value at 320
  rt.buffer @y : memref<16xf32> output at 576
  rt.buffer @frame.task : memref<192xi8> frame at 640
  rt.func @task(%arg0: memref<32xf32>, %arg1: memref<256xi8>) frame 192 {
    %0 = rt.temporary at 0 : memref<16xf32>
    %1 = rt.temporary at 64 : memref<32xf32>
    rt.launch @a ins(%arg0 : memref<32xf32>) outs(%1 : memref<32xf32>)
    rt.launch @b ins(%1 : memref<32xf32>) outs(%0, %arg1 : memref<16xf32>, memref<256xi8>)
  }
  rt.func @train() {
    %0 = rt.address @w : memref<16xf32>
    %1 = rt.address @v : memref<256xi8>
    rt.for %m = 0 to 2 {
      %2 = rt.address @x slot %m : memref<32xf32>
      rt.call @task(%2, %1) frame @frame.task : memref<32xf32>, memref<256xi8>
    }
    %3 = rt.address @y : memref<16xf32>
    rt.launch @c ins(%0, %1 : memref<16xf32>, memref<256xi8>) outs(%3 : memref<16xf32>)
  }
}
"""


def most_of(text):
    (_, most, where), = lives.peaks(text)
    return most, where.split()[1] if " " in where else where


# At the first @b: @x's second slot, both temporaries and @v. The value that @v
# has after it is never read.
assert most_of(SMALL) == (64 + 128 + 192 + 256, "@b"), most_of(SMALL)
# A first slot that is read again is live until then, too.
AGAIN = SMALL.replace("rt.launch @c ins(%0, ", "%4 = rt.address @x : "
                      "memref<32xf32>\n rt.launch @c ins(%4, ")
assert most_of(AGAIN) == (64 + 256 + 192 + 256, "@b"), most_of(AGAIN)
# A write to a part of @v does not overwrite the rest, so @v is always live.
PART = SMALL.replace(
    "outs(%0, %arg1 :", "outs(%0, %2 :").replace(
    "    rt.launch @a", "    %2 = rt.view %arg1 : memref<256xi8> to "
    "memref<128xi8>\n    rt.launch @a")
assert most_of(PART) == (64 + 256 + 256 + 128, "@a"), most_of(PART)
# An output is live from its write to the end.
LARGE = SMALL.replace("@y : memref<16xf32>", "@y : memref<512xf32>").replace(
    "%3 = rt.address @y : memref<16xf32>", "%3 = rt.address @y : memref<512xf32>")
assert most_of(LARGE) == (64 + 256 + 2048, "@c"), most_of(LARGE)

# A gradient is live from its first writer on, and its bucket from the first
# writer of any member; the update reads the bucket.
ROWS = """\
rt.stage 0 arena 1024 {
  rt.buffer @v : memref<64xf32> value at 0
  rt.buffer @a : memref<16xf32> gradient in @row element 0 at 256
  rt.buffer @b : memref<16xf32> gradient in @row element 16 at 320
  rt.buffer @row : memref<1x32xf32> bucket at 256 layout <[1, 32], [[], []]>
  rt.func @train() {
    %0 = rt.address @v : memref<64xf32>
    %1 = rt.address @a : memref<16xf32>
    %2 = rt.address @b : memref<16xf32>
    %3 = rt.address @row : memref<1x32xf32>
    rt.zero %0 : memref<64xf32>
    rt.launch @a ins(%0 : memref<64xf32>) outs(%1 : memref<16xf32>)
    rt.zero %2 : memref<16xf32>
    rt.all_reduce sum %3 over ["dp"] : memref<1x32xf32>
  }
}
"""
assert most_of(ROWS) == (256 + 128, "@a"), most_of(ROWS)
# A gradient without a first writer is live from the start: others add to it.
ADDED = ROWS.replace("rt.zero %2", "rt.all_reduce sum %2 over [\"dp\"]")
assert most_of(ADDED) == (256 + 128, "@a"), most_of(ADDED)
EARLY = ADDED.replace("    rt.zero %0", "    %4 = rt.temporary at 0 : "
                      "memref<128xf32>\n    rt.zero %4 : memref<128xf32>\n"
                      "    rt.all_reduce sum %4 over [\"dp\"] : memref<128xf32>\n"
                      "    rt.zero %0")
assert most_of(EARLY)[0] == 512 + 128, most_of(EARLY)
