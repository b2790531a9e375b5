# RUN: %python %s %root/examples
"""The recorded curves match their hyperparameters, and single precision is
close enough to double for the tests that compare programs with it."""

import glob
import json
import math
import os
import sys


def rows(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def rate(step, h):
    if step <= h["warmup_steps"]:
        return h["lr"] * step / h["warmup_steps"]
    x = (step - h["warmup_steps"]) / (h["steps"] - h["warmup_steps"])
    return h["min_lr"] + (h["lr"] - h["min_lr"]) * (1 + math.cos(math.pi * x)) / 2


def close(a, b, tolerance):
    assert abs(a - b) <= tolerance * abs(b), (a, b)


names = sorted(glob.glob(os.path.join(sys.argv[1], "*", "*curve.json")))
assert len(names) == 4, names
for name in names:
    with open(name) as file:
        h = json.load(file)
    folder = os.path.dirname(name)
    for path in h["models"] + [h["data"]]:
        assert os.path.isfile(os.path.join(folder, path)), path
    stem = name[: -len(".json")]
    single, double = rows(stem + ".f32.jsonl"), rows(stem + ".f64.jsonl")
    assert len(single) == len(double) == h["steps"]
    for step, (a, b) in enumerate(zip(single, double), 1):
        assert a["step"] == b["step"] == step
        close(a["lr"], rate(step, h), 1e-12)
        close(a["loss"], b["loss"], 1e-6)
        close(a["norm"], b["norm"], 1e-5)
    # A uniform guess costs log(256); training gets below it.
    close(single[0]["loss"], math.log(256), 0.02)
    assert single[-1]["loss"] < single[0]["loss"] - 0.5
    # At least one step is clipped, so that clipping is tested.
    assert max(row["norm"] for row in single) > h["clip_grad"]
