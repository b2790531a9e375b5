#!/usr/bin/env python3
"""Compares the losses and norms of two JSON logs, step by step:
compare_curves.py FOUND EXPECTED TOLERANCE, the tolerance being relative.
Steps that FOUND lacks at the end are left out."""

import json
import sys

found, expected = (
    [json.loads(line) for line in open(path)] for path in sys.argv[1:3]
)
tolerance, worst = float(sys.argv[3]), 0.0
assert 0 < len(found) <= len(expected)
for a, b in zip(found, expected):
    assert a["step"] == b["step"]
    for key in ("loss", "norm"):
        error = abs(a[key] - b[key]) / abs(b[key])
        if not error <= tolerance:
            sys.exit(f"step {a['step']}: {key} {a[key]}, expected {b[key]}")
        worst = max(worst, error)
print(f"{len(found)} steps agree to {worst:.1e}")
