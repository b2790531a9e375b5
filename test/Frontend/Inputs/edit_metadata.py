"""Sets entries of an ONNX file's metadata: edit_metadata.py IN OUT KEY=VALUE...

Needs nothing but Python.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "Inputs"))
import wire  # noqa: E402

METADATA = 14  # of ModelProto; entries have a key (1) and a value (2)

source, target, *changes = sys.argv[1:]
changes = dict(change.split("=", 1) for change in changes)
with open(source, "rb") as file:
    fields = list(wire.fields(file.read()))
result = b""
for number, _, value in fields:
    if number == METADATA and wire.get(value, 1).decode() in changes:
        continue
    result += wire.put(number, value)
for key, value in changes.items():
    result += wire.put(METADATA, wire.put(1, key) + wire.put(2, value))
with open(target, "wb") as file:
    file.write(result)
