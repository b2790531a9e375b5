#!/usr/bin/env python3
"""Counts the collectives of a partitioned program, read from stdin.

One line per function and region (forward, backward), in the order of the
program:

    @microbatch forward: 5 all_reduce[tp]; loss 1 all_reduce_max[tp] ...

Activations (rank 3 and more) come first, then collectives of cross entropy
("loss"), then those of matrices and vectors ("small") and of scalars.
"""

import collections
import re
import sys

OP = re.compile(
    r"(?:(%[\w]+)(?::\d+)? = )?"
    r"(?:\"?(dist|nn)\.(\w+)\"?)(.*)$")


def main():
    function, makers, counts = None, {}, collections.OrderedDict()
    for line in sys.stdin:
        line = line.strip()
        start = re.match(r"func\.func @(\w+)", line)
        if start:
            function, makers = start.group(1), {}
            continue
        op = OP.match(line)
        if not op or not function:
            name = re.match(r"(%\w+)(?:, %\w+)* = nn\.(\w+)", line)
            if name and function:
                makers[name.group(1)] = name.group(2)
            continue
        result, dialect, kind, rest = op.groups()
        if result:
            makers[result] = kind
        if dialect != "dist" or kind in ("mesh", "offset", "shard_slice"):
            continue
        region = "backward" if "nn.bwd" in rest else "forward"
        if kind == "all_reduce" and rest.split()[0] == "max":
            kind += "_max"
        axes = re.search(r"over \[([^]]*)\]", rest).group(1).replace('"', "")
        operand = re.search(r"%\w+", rest).group(0)
        shape = re.search(r": tensor<([^>]*)>", rest).group(1)
        rank = shape.count("x")
        if makers.get(operand) in ("row_max", "cross_entropy_stats"):
            what = "loss"
        else:
            what = ("scalar" if rank == 0 else
                    "activation" if rank >= 3 else "small")
        counts.setdefault((function, region), collections.Counter())[
            what, f"{kind}[{axes.replace(', ', '+')}]"] += 1
    for (function, region), table in counts.items():
        parts = []
        for what in ("activation", "loss", "small", "scalar"):
            items = [f"{n} {kind}" for (w, kind), n in sorted(table.items())
                     if w == what]
            if items:
                parts.append(("" if what == "activation" else what + " ")
                             + ", ".join(items))
        print(f"@{function} {region}: " + "; ".join(parts))


main()
