"""Reads and modifies checkpoints for tests. checkpoints.py FOLDER removes the
hashes of a checkpoint."""

import json
import os
import re
import struct
import sys


def wholeTensors(path):
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        size = os.fstat(file.fileno()).st_size
    ends = [tensor["data_offsets"][1] for name, tensor in header.items()
            if name != "__metadata__"]
    assert ends and 8 + length + max(ends) == size, path


def latestStep(folder):
    """The step from which --resume continues; all of its files are complete."""
    with open(f"{folder}/latest") as file:
        name = file.read().strip()
    if not os.path.exists(f"{folder}/{name}"):
        name = f".{name}.old"
    path = f"{folder}/{name}"
    files = os.listdir(path)
    assert any(re.fullmatch(r"model(-.*)?\.safetensors", f) for f in files), files
    files += [f"optimizer/{file}" for file in os.listdir(f"{path}/optimizer")]
    assert "optimizer/optim-rank-00000.safetensors" in files, files
    for file in files:
        if file.endswith(".safetensors"):
            wholeTensors(f"{path}/{file}")
    with open(f"{path}/trainer_state.json") as file:
        return json.load(file)["step"]


def rows(path):
    """{step: (loss, norm)} of a log; a killed run may have cut its last row."""
    found = {}
    with open(path) as file:
        for line in file:
            if line.endswith("}\n"):
                row = json.loads(line)
                found[row["step"]] = row["loss"], row["norm"]
    return found


def withoutHashes(folder):
    """Converts a checkpoint to the format of versions without hashes."""
    path = f"{folder}/trainer_state.json"
    with open(path) as file:
        state = json.load(file)
    del state["hashes"], state["hash"]
    with open(path, "w") as file:
        json.dump(state, file, indent=2)


if __name__ == "__main__":
    withoutHashes(sys.argv[1])
