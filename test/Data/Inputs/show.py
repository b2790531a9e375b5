"""show.py FOLDER: prints each sample's tokens without padding at the end, with those
whose labels are learned in braces; then the kind of its labels."""

import json
import os
import struct
import sys

from tokenizers import Tokenizer

PAD = 0
HERE = os.path.dirname(os.path.abspath(__file__))
tokenizer = Tokenizer.from_file(os.path.join(HERE, "tokenizer/tokenizer.json"))


def load(name):
    with open(os.path.join(sys.argv[1], name + ".npy"), "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    size, = struct.unpack_from("<H", data, 8)
    header = eval(data[10:10 + size])
    assert header["descr"] == "<i4" and not header["fortran_order"]
    rows, columns = header["shape"]
    values = struct.unpack(f"<{rows * columns}i", data[10 + size:])
    return [list(values[i * columns:(i + 1) * columns]) for i in range(rows)]


for ids, labels in zip(load("input_ids"), load("labels")):
    # Each label is ignored, the token after its position, or its own token.
    learned = [at for at, label in enumerate(labels) if label != -100]
    kinds = {shift for shift in (0, 1)
             if all(at + shift == len(ids) or labels[at] == ids[at + shift]
                    for at in learned)}
    assert kinds, (ids, labels)
    shift = min(kinds, key=lambda kind: -kind)
    where = {at + shift for at in learned}
    tokens = ids + ([labels[-1]] if len(ids) in where else [])
    while tokens and tokens[-1] == PAD and len(tokens) - 1 not in where:
        tokens.pop()
    text = ""
    for at, token in enumerate(tokens):
        piece = tokenizer.decode([token], skip_special_tokens=False)
        text += "{" + piece + "}" if at in where else piece
    print(json.dumps(text.replace("}{", "")), "next" if shift else "own")
