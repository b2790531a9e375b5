"""converted.py DIR FROM TO: the moments of step TO are those of step FROM,
converted from one of f32 and bf16 to the other: exactly, or to the nearest. No
step between changes them."""

import os
import sys

import numpy as np
from moments import tensors

NAMES = {"BF16": np.uint16, "F32": np.float32}


def read(step):
    folder = os.path.join(sys.argv[1], f"step-{int(step):08d}", "optimizer")
    return {name: (dtype, values)
            for file in sorted(os.listdir(folder))
            for name, place, dtype, values in
            tensors(os.path.join(folder, file))}


def nearest(values):
    """The nearest bf16 of f32 values, ties to even."""
    bits = values.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)


before, after = read(sys.argv[2]), read(sys.argv[3])
assert before.keys() == after.keys() and before
for name, (dtype, values) in before.items():
    other, converted = after[name]
    if dtype == "F32":
        due = nearest(values)
    else:
        due = (values.astype(np.uint32) << 16).view(np.float32)
    assert {dtype, other} == {"F32", "BF16"}, (name, dtype, other)
    assert values.any() and (due == converted).all(), name
print(f"{len(before)} moments of {dtype} are {other}")
