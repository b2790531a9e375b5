# RUN: %python %s %root %build
"""The shards of parameters, gradients and optimizer state of a rank take the
bytes of each ZeRO stage; experts that are split over ep have fewer shards.
Sharded buckets are live as a whole for at most two neighboring tasks at a time.
Each mesh is compiled with each ZeRO stage in one precision, which alternates,
with f32 or bf16 moments; with PCC_TEST_ALL in all."""

import collections
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT, BUILD = sys.argv[1:]
for inputs in ("Costs/Inputs", "Equivalence/Inputs/plans"):
    sys.path.insert(0, os.path.join(ROOT, "test", inputs))
import lives
import theory

ALL = bool(os.environ.get("PCC_TEST_ALL"))
# Bytes of an element by precision and ZeRO stage: in replicated buffers, and in
# buffers that are sharded over d ranks.
DUE = {"f32": ((16, 0), (8, 8), (4, 12), (0, 16)),
       "bf16": ((18, 0), (6, 12), (2, 16), (0, 18)),
       "f32 --optimizer-state bf16": ((12, 0), (8, 4), (4, 8), (0, 12)),
       "fp16": ((18, 0), (6, 12), (2, 16), (0, 18)),
       "bf16 --optimizer-state bf16": ((14, 0), (6, 8), (2, 12), (0, 14))}
# Mesh, d, microbatches and shape: d is 2, 3 or 4, alone and with other axes.
# The number of classes and the sizes of norms and biases are prime, or twice a
# prime if tp shards them.
PRIME = "--layers=3 --width=31 --inner=61 --heads=1 --vocab=97 --seq=12"
TWICE = "--layers=3 --width=62 --inner=122 --heads=2 --vocab=194 --seq=12"
PLANS = (("--dp 2", 2, 2, PRIME), ("--dp 3", 3, 2, PRIME),
         ("--dp 4", 4, 1, PRIME), ("--dp 2 --cp 2", 4, 2, PRIME),
         ("--dp 2 --tp 2 --sequence-parallel", 2, 2, TWICE),
         ("--dp 3 --pp 2", 3, 4, PRIME),
         ("--dp 2 --tp 2 --pp 2", 2, 2, TWICE))
# Experts, of which 2, 1 and 2 data ranks have the same.
EXPERTS = TWICE.replace("=122", "=61").replace("=62", "=124") + " --experts=4"
EXPERT_PLANS = (("--dp 4 --ep 2", 4, 2, EXPERTS),
                ("--dp 2 --ep 2", 2, 2, EXPERTS),
                ("--dp 2 --tp 2 --ep 2 --cp 2", 4, 1,
                 EXPERTS.replace("--inner=61", "--inner=122")))
KINDS = ("param", "copy", "gradient", "state", "rounded_part")


def compiled(path, flags, folder):
    """(text, report)"""
    out = os.path.join(folder, "program.rt.mlir")
    report = subprocess.run(
        [os.path.join(BUILD, "bin", "pcc"), path, *flags.split(), "--emit=rt",
         "-o", out, "--report=json"], check=True, text=True,
        stdout=subprocess.PIPE).stdout
    with open(out) as file:
        return file.read(), json.loads(report)


def check_whole(stages, what):
    for stage in stages:
        for entry in lives.ENTRIES:
            if entry not in stage.functions:
                continue
            for kind in ("gradient", "copy"):
                most, two = lives.full_rows(stage, entry, kind)
                assert most <= two, (what, entry, kind, most, two)


with tempfile.TemporaryDirectory() as folder:
    for first, (family, plans) in enumerate(
            (("gpt", PLANS), ("llama", PLANS), ("moe", EXPERT_PLANS))):
        for number, (mesh, d, microbatches, shape) in enumerate(plans, first):
            dp = int(mesh.split()[1])
            ep = int(mesh.split("--ep ")[1].split()[0]) if "--ep" in mesh else 1
            path = os.path.join(folder, "model.mlir")
            if family == "llama":
                # RoPE needs an even head size.
                shape = shape.replace("=62", "=124").replace("=31", "=62")
                if mesh.find("--tp") < 0:
                    shape += " --kv-heads=1"
            made = subprocess.run(
                [sys.executable, os.path.join(ROOT, "test/Inputs/models/make.py"),
                 family, f"--batch={dp}", *shape.split()], check=True, text=True,
                stdout=subprocess.PIPE).stdout
            with open(path, "w") as file:
                file.write('module attributes {pcc.phase = "nn"} {\n' + made +
                           "}\n")
            for turn, (precision, stages) in enumerate(DUE.items(), number):
                for zero, (whole, divided) in enumerate(stages):
                    if not ALL and (turn + zero) % len(DUE):
                        continue
                    text, report = compiled(
                        path, f"{mesh} --zero {zero} --precision {precision} "
                        f"--micro-batch-size 1 --global-batch-size "
                        f"{dp * microbatches}", folder)
                    # Experts that no other rank has are live at all times.
                    if zero >= 2 and d > ep:
                        check_whole(lives.parse(text), (family, mesh, precision,
                                                        zero))
                    parts = text.split("rt.stage ")[1:]
                    assert len(parts) == len(report["stages"])
                    for part, stage in zip(parts, report["stages"]):
                        what = (family, mesh, precision, zero)
                        rows = theory.rows_of(part, d, d // ep)
                        members, elements, _ = map(sum, zip(*rows))
                        kept = sum(stage["buffer_bytes"].get(kind, 0)
                                   for kind in KINDS)
                        due = sum(size * whole + size * divided // ranks
                                  for _, size, ranks in rows)
                        assert kept == due, (what, kept, due, stage)
                        # Members are padded by less than 32 elements each.
                        count = part.count(" gradient in @")
                        assert 0 < members <= elements <= members + \
                            theory.UNIT * (count + d * len(rows)), what

# By hand: three buckets of 64 bytes, each live as a whole from its task to its
# reduce_scatter.
ROWS = """\
rt.stage 0 arena 1024 {
  rt.buffer @row.0 : memref<1x16xf32> bucket at 0
  rt.buffer @row.1 : memref<1x16xf32> bucket at 64
  rt.buffer @row.2 : memref<1x16xf32> bucket at 128
  rt.buffer @a : memref<16xf32> gradient in @row.0 element 0 at 0
  rt.buffer @b : memref<16xf32> gradient in @row.1 element 0 at 64
  rt.buffer @c : memref<16xf32> gradient in @row.2 element 0 at 128
  rt.buffer @part : memref<1x8xf32> value at 192
  rt.func @backward.0.body(%arg0: memref<16xf32>) {
    rt.zero %arg0 : memref<16xf32>
  }
  rt.func @reduce(%arg0: memref<1x16xf32>, %arg1: memref<1x8xf32>) {
    rt.reduce_scatter %arg0 to %arg1 over ["dp"] : memref<1x16xf32> to memref<1x8xf32>
  }
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    %c = rt.address @c : memref<16xf32>
    %0 = rt.address @row.0 : memref<1x16xf32>
    %1 = rt.address @row.1 : memref<1x16xf32>
    %2 = rt.address @row.2 : memref<1x16xf32>
    %p = rt.address @part : memref<1x8xf32>
    rt.call @backward.0.body(%c) : memref<16xf32>
    rt.call @backward.0.body(%b) : memref<16xf32>
    FIRST
    rt.call @backward.0.body(%a) : memref<16xf32>
    rt.call @reduce(%1, %p) : memref<1x16xf32>, memref<1x8xf32>
    rt.call @reduce(%0, %p) : memref<1x16xf32>, memref<1x8xf32>
    LAST
  }
}
"""
REDUCE = "rt.call @reduce(%2, %p) : memref<1x16xf32>, memref<1x8xf32>"
for first, last, whole in ((REDUCE, "", 2), ("", REDUCE, 3)):
    stage, = lives.parse(ROWS.replace("FIRST", first).replace("LAST", last))
    assert lives.full_rows(stage, "train", "gradient") == (64 * whole, 128), first
