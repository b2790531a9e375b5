"""nonfinite.py write FOLDER: folders of data of Equivalence/Inputs/losses.mlir for
global batches of 8. all: six steps, of which the second has an activation that is
nan, the third gradients whose norm is inf though the loss is finite, and the
fifth a target whose square is inf; counted: the other three.
nonfinite.py compare A B: without skipped steps, the log A has the losses, norms
and validation losses of B, to the last digit.
nonfinite.py near A B: the finite losses and norms of A are those of B up to
rounding.
nonfinite.py same A B: the checkpoints A and B have the same tensors.
nonfinite.py state FOLDER STEP SKIPPED ROW: the counts in a checkpoint."""

import json
import os
import pathlib
import sys

import numpy as np

BAD = {"x": {9: np.nan}, "gain": {19: 1e15}, "labels": {35: 1e30}}


def write(target):
    draw = np.random.default_rng(0)
    good = [*range(8), *range(24, 32), *range(40, 48)]
    for name, width in ("x", 8), ("gain", 8), ("labels", 6):
        values = draw.normal(size=(48, width))
        for sample, value in BAD[name].items():
            values[sample] = value
        for folder, samples in ("all", range(48)), ("counted", good):
            os.makedirs(os.path.join(target, folder), exist_ok=True)
            np.save(os.path.join(target, folder, name + ".npy"),
                    values[[*samples]])


def compare(a, b):
    def losses(path):
        with open(path) as file:
            rows = [json.loads(line) for line in file]
        return [(row.get("loss"), row.get("norm"), row.get("val_loss"))
                for row in rows if not row.get("skipped")]

    a, b = losses(a), losses(b)
    if not b or a != b:
        sys.exit(f"{a}\n{b}")


def near(a, b):
    def rows(path):
        with open(path) as file:
            found = [json.loads(line) for line in file]
        return [[row["loss"], row["norm"]] for row in found
                if row.get("loss") is not None and row["norm"] is not None]

    np.testing.assert_allclose(rows(a), rows(b), rtol=1e-4)


def same(a, b):
    def tensors(folder):
        found = {}
        for path in sorted(pathlib.Path(folder).glob("*.safetensors")):
            data = path.read_bytes()
            end = 8 + int.from_bytes(data[:8], "little")
            header = json.loads(data[8:end])
            header.pop("__metadata__", None)
            found[path.name] = header, data[end:]
        return found

    if not tensors(a) or tensors(a) != tensors(b):
        sys.exit(f"{a} and {b} differ")


def state(folder, *wanted):
    with open(os.path.join(folder, "trainer_state.json")) as file:
        found = json.load(file)
    counts = [found[key] for key in ("step", "skipped_steps", "skipped_nonfinite",
                                     "skipped_nonfinite_in_row")]
    step, skipped, row = map(int, wanted)
    if counts != [step, skipped, skipped, row]:
        sys.exit(f"{folder}: {counts}, not {wanted}")


{"write": write, "compare": compare, "near": near,
 "same": same, "state": state}[sys.argv[1]](*sys.argv[2:])
