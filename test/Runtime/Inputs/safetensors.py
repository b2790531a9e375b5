"""safetensors.py A [--near B | --mean NAME]: lists the tensors of A, each with type and
shape; with --near, B has the same and all values, of F32, within 1e-5; --mean
prints the mean of a tensor of F32."""

import json
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    length, = struct.unpack("<Q", data[:8])
    assert length % 8 == 0, "the header is not padded to 8 bytes"
    header = json.loads(data[8:8 + length])
    assert header.pop("__metadata__")["format"] == "pt"
    return header, data[8 + length:]


header, buffer = read(sys.argv[1])
for name, tensor in header.items():
    print(name, tensor["dtype"], tensor["shape"])
if "--mean" in sys.argv:
    begin, end = header[sys.argv[3]]["data_offsets"]
    values = struct.unpack(f"<{(end - begin) // 4}f", buffer[begin:end])
    print(f"mean {sum(values) / len(values):.6f}")
if "--near" in sys.argv:
    other, otherBuffer = read(sys.argv[3])
    assert sorted(header) == sorted(other)
    for name, tensor in header.items():
        for key in ("dtype", "shape"):
            assert tensor[key] == other[name][key], (name, key)
        values = []
        for entry, data in ((tensor, buffer), (other[name], otherBuffer)):
            begin, end = entry["data_offsets"]
            values.append(struct.unpack(f"<{(end - begin) // 4}f",
                                        data[begin:end]))
        worst = max(abs(a - b) for a, b in zip(*values))
        assert any(values[0]) and worst < 1e-5, (name, worst)
