# RUN: %python %s %root %build
"""Exchanging two gradients of a body with equal types is rejected, also if a
microbatch overwrites them and no sum distinguishes them."""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT, BUILD = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "test", "Faults", "Inputs"))
import faults
from program import Program

MAKE = os.path.join(ROOT, "test", "Inputs", "models", "make.py")
SHAPE = "--layers=3 --batch=4 --seq=8 --width=32 --inner=32 --heads=4 --vocab=50"
# Family, plan, and the minimum number of swaps.
PLANS = (("gpt", "--zero 2 --dp 2", 4), ("gpt", "--zero 3 --dp 2 --pp 2", 6),
         ("gpt", "--zero 3 --dp 2 --tp 2 --sequence-parallel", 4),
         ("llama", "--zero 3 --dp 2 --precision bf16", 3))


def checked(path, text):
    with open(path, "w") as file:
        file.write(text)
    return subprocess.run(
        [os.path.join(BUILD, "bin", "pcc-opt"), path, "--check-pipeline", "-o",
         os.devnull], stderr=subprocess.PIPE, text=True).stderr


with tempfile.TemporaryDirectory() as folder:
    model, out = (os.path.join(folder, name) for name in ("m.mlir", "p.mlir"))
    for family, flags, least in PLANS:
        made = subprocess.run(
            [sys.executable, MAKE, family, *SHAPE.split(), "--untied"],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        with open(model, "w") as file:
            file.write('module attributes {pcc.phase = "nn"} {\n' + made + "}\n")
        subprocess.run(
            [os.path.join(BUILD, "bin", "pcc"), model, "-q", *flags.split(),
             "--global-batch-size=16", "--loss=causal-lm", "--emit=pipeline",
             "-o", out], check=True)
        with open(out) as file:
            program = Program(file.read())
        assert not checked(out, "\n".join(program.lines)), flags
        count = 0
        for what, edit in faults.states_swapped(program):
            if not what.startswith("places of %grad."):
                continue
            said = checked(out, edit())
            assert "stores into '" in said and "the cotangents of '" in said, (
                family, flags, what, said)
            count += 1
        assert count >= least, (family, flags, count)
