"""moments.py A B: the last checkpoints of A and B, of programs that round
moments at random, have the same moments, except for elements whose f32 values
differ in the last digits: few, and by one bf16."""

import glob
import json
import os
import struct
import sys

import numpy as np

# The share of a tensor's elements that may be rounded differently, if it has at
# least LEAST. Sums in another order differ by 1e-7 to 1e-5, and so round an
# element differently with a probability of up to 1e-5 / 2^-8. Other bits round
# every third differently.
MOST, LEAST = 5e-2, 1000


def tensors(path):
    """The moments in a file: name, place, type and elements."""
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    notes = header.pop("__metadata__")
    for name, entry in header.items():
        if not name.startswith("exp_avg"):
            continue
        begin, end = entry["data_offsets"]
        element = {"BF16": np.uint16, "F32": np.float32}[entry["dtype"]]
        yield (name, json.loads(notes[name]), entry["dtype"],
               np.frombuffer(data[begin:end], element))


def read(folder):
    """The moments of a checkpoint, assembled from all ranks' shards."""
    step = sorted(glob.glob(os.path.join(folder, "step-*")))[-1]
    whole = {}
    for path in glob.glob(os.path.join(step, "optimizer", "*.safetensors")):
        for name, place, dtype, values in tensors(path):
            assert dtype == "BF16", (name, dtype)
            full = whole.setdefault(name, np.zeros(place["shape"], np.uint16))
            part = full[tuple(slice(b, b + n) for b, n in
                              zip(place["offset"], place["extent"]))]
            begin, end = place.get("run", (0, part.size))
            flat = part.reshape(-1).copy()
            flat[begin:end] = values
            part[...] = flat.reshape(part.shape)
    return whole


def main():
    a, b = (read(folder) for folder in sys.argv[1:3])
    assert a.keys() == b.keys() and a
    different = elements = 0
    for name, mine in sorted(a.items()):
        other = b[name]
        common = tuple(slice(0, min(n, m)) for n, m in
                       zip(mine.shape, other.shape))
        gap = np.count_nonzero(mine[common] != other[common])
        size = mine[common].size
        elements += size
        different += gap
        if size >= LEAST and gap > MOST * size:
            sys.exit(f"{sys.argv[2]}: {gap} of {size} elements of {name} "
                     "differ")
    print(f"{different} of {elements} moments differ")


if __name__ == "__main__":
    main()
