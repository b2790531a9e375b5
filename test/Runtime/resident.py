r"""Outside its arena a rank uses as much memory for 16 layers as for 2, with
ZeRO stage 3 and with stage 1 in bf16; with PCC_TEST_ALL=1 for 24 layers, and in
f32, too. Peak resident memory without shared memory (VmHWM and RssShmem of
/proc/PID/status), which is that of the arenas, grows by at most a twentieth of
the arena's growth. The duration of steps does not matter. A program that leaks
a tenth of the growth is detected.

RUN: rm -rf %t && mkdir %t && cd %t
RUN: %cc -shared -fPIC -O1 %S/Inputs/keep.c -o keep.so
RUN: %python %s %root %build ./keep.so
"""

import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT, BUILD, KEEP = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "test", "Runtime", "Inputs"))
import runs

PLANS = ("--zero 3 --precision bf16", "--zero 1 --precision bf16")
FEW, MANY = 2, 16
if os.environ.get("PCC_TEST_ALL"):
    PLANS, MANY = (*PLANS, "--zero 3"), 24


def compiled(layers, flags):
    """Compiles ./program; returns the bytes of a rank's arena."""
    made = runs.good(
        sys.executable, os.path.join(ROOT, "test/Inputs/models/make.py"), "gpt",
        f"--layers={layers}", "--batch=2", "--seq=16", "--width=192",
        "--inner=768", "--heads=6", "--vocab=256", "--untied")
    with open("model.mlir", "w") as file:
        file.write('module attributes {pcc.phase = "nn"} {\n' + made + "}\n")
    pcc = [os.path.join(BUILD, "bin", "pcc"), "model.mlir", "-q", "--dp", "2",
           "--loss", "causal-lm", *flags.split()]
    runs.good(*pcc, "-o", "program")
    text = runs.good(*pcc, "--emit=rt", "-o", "-")
    return int(re.search(r"rt\.stage 0 arena (\d+)", text)[1])


def mostResident(**environment):
    """The peak resident bytes of rank 0 up to the fourth step, without shared
    memory."""
    if os.path.exists("log"):
        os.remove("log")
    run = runs.begin("./program", "--data",
                     os.path.join(ROOT, "examples/data/gpl-3.bin"), "--steps",
                     "1000000", "--log-json", "log", stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL,
                     env=dict(os.environ, OMP_NUM_THREADS="1", **environment))
    try:
        runs.until(lambda: runs.rows("log") >= 4 or run.poll() is not None, 300)
        with open(f"/proc/{runs.ranks(run)[0]}/status") as file:
            status = file.read()
        peak, shared = (int(re.search(rf"{name}:\s+(\d+)", status)[1]) << 10
                        for name in ("VmHWM", "RssShmem"))
        return peak - shared
    finally:
        found = runs.ranks(run)
        run.terminate()
        run.wait(60)
        runs.untilGone(found.values())


for flags in PLANS:
    arenas, beside = [], []
    for layers in (FEW, MANY):
        arenas.append(compiled(layers, flags))
        beside.append(mostResident())
    more = arenas[1] - arenas[0]
    assert more > 20 << 20, (flags, arenas)
    assert beside[1] - beside[0] <= more // 20, (flags, arenas, beside)
    if flags == PLANS[0]:
        kept = mostResident(LD_PRELOAD=KEEP, KEEP=str(more // 10))
        assert kept - beside[0] > more // 20, (flags, kept)
