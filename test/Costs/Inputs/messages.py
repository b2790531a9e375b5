"""The collectives and transfers of an rt program in a step, computed from its
text.

The entry point @train calls tasks and sends values; tasks have collectives.
Bytes are what one rank sends with a ring: of a value of S bytes among n ranks 2
S (n - 1) / n for an all_reduce, S (n - 1) / n for the other collectives (S: of
the whole value), S for a transfer.
"""

import collections
import math
import re

# Loss and count of a step, each aligned.
SUMS = "memref<32xf32>"
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i8": 1,
         "i1": 1}

def size_of(type_):
    """Bytes of a memref<4x8xf32>."""
    dims, element = re.match(r"memref<((?:\d+x)*)(\w+)", type_).groups()
    return math.prod(map(int, dims.split("x")[:-1])) * BYTES[element]


class Stage:
    def __init__(self):
        self.functions = {}  # name -> list of (kind, axes, bytes) or a call


def read(text):
    """(ranks by axis, stages)"""
    sizes, stages, body, loop = {}, [], None, None
    for line in text.splitlines():
        line = line.strip()
        types = re.findall(r"memref<[^>]*>", line.partition(" : ")[2])
        axes = tuple(re.findall(r'"([^"]*)"', re.search(
            r"over \[([^\]]*)\]", line).group(1))) if " over [" in line else ()
        if line.startswith("rt.program"):
            axes = re.match(r"rt\.program axes <\[(.*?)\]>", line).group(1)
            sizes = {name: int(size) for name, size in
                     re.findall(r'"([^"]*)"=(\d+)', axes)}
        elif line.startswith("rt.stage"):
            stages.append(Stage())
        elif line.startswith("rt.func"):
            body = stages[-1].functions.setdefault(
                re.search(r"@([\w.]+)", line).group(1), [])
        elif line.startswith("rt.for"):
            begin, end = map(int, re.search(r"= (\d+) to (\d+)", line).groups())
            loop, body = (body, end - begin), []
        elif line == "}" and loop:
            outer, times = loop
            outer += body * times
            loop, body = None, outer
        elif line.startswith("rt.call"):
            body.append(re.search(r"@([\w.]+)", line).group(1))
        elif line.startswith("rt.all_reduce"):
            # Its buffers are adjacent: one collective.
            ranks = math.prod(sizes[axis] for axis in axes)
            whole = sum(map(size_of, types))
            scalars = types in (["memref<f32>"], [SUMS])
            body.append(("scalars" if scalars else "all_reduce", axes,
                         2 * whole * (ranks - 1) / ranks))
        elif line.startswith(("rt.all_gather", "rt.reduce_scatter",
                              "rt.all_to_all")):
            ranks = math.prod(sizes[axis] for axis in axes)
            whole = max(map(size_of, types))
            # A bucket of gradients or parameters, not an activation.
            row = all(re.match(r"memref<1x\d+x[a-z]+\d+>$", type_)
                      for type_ in types)
            body.append(("row " * row + line.split()[0][3:], axes,
                         whole * (ranks - 1) / ranks))
        elif line.startswith(("rt.send", "rt.exchange")):
            body.append(("send", ("pp",), size_of(types[0])))
    return sizes, stages


def sent(stage, entry="train"):
    """The communication of a rank of a stage in a step: (kind, axes) -> bytes
    of each collective or transfer. Scalars are a separate kind."""
    total = collections.defaultdict(list)
    for item in stage.functions[entry]:
        if isinstance(item, str):
            for key, more in sent(stage, item).items():
                total[key] += more
        else:
            kind, axes, size = item
            total[kind, axes].append(size)
    return dict(total)
