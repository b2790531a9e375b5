"""check_scales.py CHECKPOINT KIND NAME=WEIGHT...: checks that the tensors of a
checkpoint that are scales of norms have exactly these names, and PyTorch's
values of the weights of KIND: first.weight, 1+first.weight, or ? for any
values."""

import json
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
path, kind, *wanted = sys.argv[1:]
with open(f"{HERE}/../../Frontend/Inputs/scales/trained.json") as file:
    trained = json.load(file)[kind]
with open(path, "rb") as file:
    length, = struct.unpack("<Q", file.read(8))
    header, data = json.loads(file.read(length)), file.read()
others = {"__metadata__", "table.weight", "inner.weight", "inner.bias",
          "head.weight"}
wanted = dict(entry.rsplit("=", 1) for entry in wanted)
assert set(header) - others == set(wanted), sorted(set(header) - others)
for name, weight in wanted.items():
    if weight == "?":
        continue
    begin, end = header[name]["data_offsets"]
    values = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
    more = weight.startswith("1+")
    for value, module in zip(values, trained[weight[2 * more:]], strict=True):
        assert abs(value - module - more) < 2e-6, (name, value, module + more)
print(f"{kind}: {len(wanted)} scales agree")
