#!/usr/bin/env python3
"""Trains a model of this folder and compares with PyTorch.

    check.py BUILD WORK NAME-KIND [FLAG...]

Prints pcc's warnings; fails unless losses agree to 1e-5 and gradient norms to
1e-4. The training step of one rank is interpreted. The first call for a model in
WORK also trains on tp 2 x pp 2 x dp 2, or without dp if the batch is fixed:
models of COMPILED by a program, others by the interpreter. With PCC_TEST_ALL=1
every call trains programs, for one rank and for this mesh.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LAYOUTS = ([], ["--tp", "2", "--pp", "2", "--dp", "2"])
# A model of each kind of parameter or gradient that kernels know: a repeated
# block, columns, a row per sample, rows without gradients, single elements,
# frequencies, a table that is also the head.
COMPILED = {"albert", "computed", "expanded", "padding", "scalars", "sines",
            "tied"}
TRAINING = ("--steps 5 --lr 1e-2 --min-lr 1e-2 --lr-schedule constant "
            "--weight-decay 0.1 --beta2 0.95 --clip-grad 1.0").split()


def rows(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


build, work, case, *flags = sys.argv[1:]
program, log = os.path.join(work, "train"), os.path.join(work, "log.jsonl")
model = case.split("-")[0]
seen = os.path.join(work, model)
runs = [("interpreted", []),
        ("compiled" if model in COMPILED else "interpreted", LAYOUTS[1])]
if os.environ.get("PCC_TEST_ALL"):
    runs = [("compiled", layout) for layout in LAYOUTS]
elif os.path.exists(seen):
    runs = runs[:1]
open(seen, "w").close()
for how, layout in runs:
    if case.endswith("-fixed"):
        layout = layout[:4]
    compiled = how == "compiled"
    step = program + ".mlir"
    done = subprocess.run(
        [os.path.join(build, "bin", "pcc"), case + ".onnx",
         "--loss", "causal-lm", "--global-batch-size", "8", "-q",
         *(["-o", program] if compiled else ["--emit=pipeline", "-o", step]),
         *layout, *flags],
        cwd=HERE, stderr=subprocess.PIPE, text=True)
    if done.returncode or not layout:
        print(done.stderr, end="")
    if done.returncode:
        sys.exit(1)
    command = [program]
    if not compiled:
        command = [os.path.join(build, "bin", "pcc-run"), step]
    subprocess.run(
        [*command, "--data", os.path.join(HERE, "tokens.bin"), *TRAINING,
         "--log-json", log],
        cwd=HERE, check=True, stdout=subprocess.DEVNULL)
    got = rows(log)
    expected = rows(os.path.join(HERE, model + ".jsonl"))
    if len(got) != len(expected):
        sys.exit(f"{case}: {len(got)} steps of {len(expected)}")
    for a, b in zip(got, expected):
        for key, bound in (("loss", 1e-5), ("norm", 1e-4)):
            # Written so that a NaN fails.
            if not abs(a[key] - b[key]) <= bound * abs(b[key]):
                sys.exit(f"{case} {layout}: step {a['step']}: {key} {a[key]}, "
                         f"PyTorch {b[key]}")
print(f"{case} trains as in PyTorch")
