"""Fails unless logs have the same losses as the first (2e-6, norms ten times
that)."""

import json
import sys


def rows(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


a, *others = map(rows, sys.argv[1:])
for b in others:
    if not a or len(a) != len(b):
        sys.exit(f"{len(a)} and {len(b)} steps")
    for x, y in zip(a, b):
        for key, bound in (("loss", 2e-6), ("norm", 2e-5)):
            # Written so that a NaN fails.
            if not abs(x[key] - y[key]) <= bound * abs(y[key]):
                sys.exit(f"step {x['step']}: {key} {x[key]} and {y[key]}")
