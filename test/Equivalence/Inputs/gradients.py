"""gradients.py BEFORE EXACT OTHER...: compares the gradients of two programs,
which one step of SGD at a learning rate of 1 subtracts from a model. Every
tensor's is within 3e-2 of EXACT's, in the relative L2 norm. A third of
c_attn's biases are the keys', whose gradient is only rounding."""

import json
import struct
import sys

import numpy as np

BOUND = 3e-2


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    length, = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, info in json.loads(data[8:8 + length]).items():
        if name == "__metadata__":
            continue
        assert info["dtype"] == "F32", (name, info)
        begin, end = info["data_offsets"]
        values = np.frombuffer(data[8 + length + begin:8 + length + end],
                               np.float32).astype(np.float64)
        if name.endswith("c_attn.bias"):
            values = np.delete(values.reshape(3, -1), 1, axis=0)
        tensors[name] = values.reshape(-1)
    return tensors


before, exact, *others = map(read, sys.argv[1:])
worst, count = 0, 0
for other in others:
    assert list(other) == list(exact) == list(before)
    for name, start in before.items():
        gradient = start - exact[name]
        size = np.linalg.norm(gradient)
        assert size > 0, name
        gap = np.linalg.norm(other[name] - exact[name]) / size
        # Written so that a NaN fails.
        if not gap <= BOUND:
            sys.exit(f"{name}: {gap:.1e}")
        worst, count = max(worst, gap), count + 1
print(f"{count} gradients within {worst:.1e}")
