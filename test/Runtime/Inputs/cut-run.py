"""cut-run.py FOLDER: flips the last bit of a checkpoint's third optimizer file,
which must contain a run of elements that is not a whole shard."""

import json
import struct
import sys

path = f"{sys.argv[1]}/optimizer/optim-rank-00002.safetensors"
with open(path, "r+b") as file:
    length, = struct.unpack("<Q", file.read(8))
    notes = json.loads(file.read(length))["__metadata__"]
    assert any("run" in note for note in notes.values()), notes
    file.seek(-1, 2)
    last = file.read(1)[0]
    file.seek(-1, 2)
    file.write(bytes([last ^ 1]))
