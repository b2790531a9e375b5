"""empty.py write FOLDER: folders of data of Equivalence/Inputs/losses.mlir for
global batches of 8. all: a step with valid targets, one without, one with valid
targets only in the last microbatch, one more; counted: the same without the
second; none, last: the second and the third; part: both.
empty.py compare A B: the losses of log B are the last ones of A, to the last
digit, without skipped steps."""

import json
import os
import random
import struct
import sys


def save(path, kind, shape, values):
    head = "{'descr': '<%s', 'fortran_order': False, 'shape': %s, }" % (
        kind, tuple(shape))
    head = head.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)))
        file.write(head.encode())
        kind = {"f8": "d", "i8": "q"}[kind]
        file.write(struct.pack(f"<{len(values)}{kind}", *values))


def write(target):
    draw = random.Random(0)
    x = [[draw.gauss(0, 1) for _ in range(16)] for _ in range(32)]
    labels = [draw.randrange(6) for _ in range(32)]
    labels[8:16] = [-100] * 8
    labels[16:22] = [-100] * 6  # only the last microbatch has valid targets
    labels[24:31:2] = [-100] * 4
    for name, samples in (("all", range(32)), ("none", range(8, 16)),
                          ("counted", [*range(8), *range(16, 32)]),
                          ("last", range(16, 24)),
                          ("part", range(8, 24))):
        folder = os.path.join(target, name)
        os.makedirs(folder)
        for key, begin in (("x", 0), ("gain", 8)):
            save(os.path.join(folder, key + ".npy"), "f8", (len(samples), 8),
                 [v for i in samples for v in x[i][begin:begin + 8]])
        save(os.path.join(folder, "labels.npy"), "i8", (len(samples),),
             [labels[i] for i in samples])


def compare(a, b):
    def losses(path):
        with open(path) as file:
            rows = [json.loads(line) for line in file]
        return [(row["loss"], row["norm"]) for row in rows
                if not row.get("skipped")]

    a, b = losses(a), losses(b)
    if not b or a[-len(b):] != b or (None, None) in a:
        sys.exit(f"{a}\n{b}")


{"write": write, "compare": compare}[sys.argv[1]](*sys.argv[2:])
