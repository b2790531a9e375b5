"""transpose.py FILE TENSOR OUT: a safetensors file in which one tensor has its
extents in reverse."""

import json
import struct
import sys

path, name, out = sys.argv[1:]
with open(path, "rb") as file:
    length, = struct.unpack("<Q", file.read(8))
    header, data = json.loads(file.read(length)), file.read()
header[name]["shape"].reverse()
text = json.dumps(header).encode()
with open(out, "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
