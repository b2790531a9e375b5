"""split_safetensors.py FILE: writes each F32 tensor of a file as <name>.npy."""

import json
import struct
import sys

import numpy as np

with open(sys.argv[1], "rb") as file:
    length, = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(length))
    data = file.read()
header.pop("__metadata__", None)
for name, tensor in header.items():
    begin, end = tensor["data_offsets"]
    values = np.frombuffer(data[begin:end], np.float32)
    np.save(f"{name}.npy", values.reshape(tensor["shape"]))
