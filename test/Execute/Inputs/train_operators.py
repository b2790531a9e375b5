"""Trains models of operators.py as PyTorch did.

    train_operators.py DIR NAME... -- FLAGS of pcc

Compiles operators/NAME.onnx, trains it for three steps of plain gradient
descent and compares every loss and gradient norm with the recorded ones. DIR is
for temporary files.
"""

import json
import os
import subprocess
import sys

import numpy as np

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators")
LOSS_BOUND, NORM_BOUND = 1e-5, 1e-4


def train(name, folder, flags):
    """The rows of the program's log."""
    with open(os.path.join(MODELS, name + ".json")) as file:
        recorded = json.load(file)
    data = os.path.join(folder, "data")
    os.makedirs(data, exist_ok=True)
    for key, array in recorded["data"].items():
        np.save(os.path.join(data, key + ".npy"),
                np.array(array["values"], array["type"]).reshape(array["shape"]))
    program, log = (os.path.join(folder, n) for n in ("train", "log.jsonl"))
    subprocess.run(
        ["pcc", os.path.join(MODELS, name + ".onnx"), "-q", "-o", program,
         "--loss", recorded["loss"], "--optimizer", "sgd",
         "--padding-mask", f"--global-batch-size={recorded['samples']}",
         *flags], check=True)
    subprocess.run(
        [program, "--data", data, f"--steps={len(recorded['curve'])}",
         f"--lr={recorded['rate']}", "--lr-schedule=constant",
         "--warmup-steps=0", "--weight-decay=0", "--clip-grad=0",
         f"--log-json={log}"], check=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    with open(log) as file:
        return [json.loads(line) for line in file], recorded["curve"]


def main():
    folder, *rest = sys.argv[1:]
    names, flags = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    for name in names:
        rows, curve = train(name, os.path.join(folder, name), flags)
        assert len(rows) == len(curve)
        for key, bound in (("loss", LOSS_BOUND), ("norm", NORM_BOUND)):
            for step, (row, wanted) in enumerate(zip(rows, curve), 1):
                difference = abs(row[key] - wanted[key]) / abs(wanted[key])
                assert difference <= bound, (
                    f"{name}: {key} of step {step} is {row[key]}, PyTorch's "
                    f"{wanted[key]}")
        print(f"{name}: as PyTorch")


main()
