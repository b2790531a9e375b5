#!/usr/bin/env python3
"""Trains modules that scripts/fuzz exports once found wrong, without PyTorch.

    test/Fuzz/kept.py [--pcc FILE] [NAME]...

Each folder of test/Fuzz/kept holds the smallest module that failed (module.py,
choices.json), its export, its data and expected.json: pcc's flags, the
program's flags, PyTorch's curve and the bounds of losses and of the first norm.
`scripts/fuzz exports --case DIR` writes these files again from the first two.
Exits with 1 if one fails.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(HERE, "kept")


def relative(a, b):
    return abs(a - b) / max(abs(b), 1e-30)


def problem(folder, pcc):
    """The failure of a case, or None."""
    with open(os.path.join(folder, "expected.json")) as file:
        expected = json.load(file)
    with tempfile.TemporaryDirectory() as work:
        program, log = (os.path.join(work, n) for n in ("program", "log"))
        for command in (
                [pcc, os.path.join(folder, "model.onnx"), "-o", program,
                 *expected["flags"]],
                [program, "--data=" + os.path.join(folder, expected["data"]),
                 "--log-json=" + log, *expected["training"]]):
            done = subprocess.run(command, cwd=work, text=True,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=300)
            if done.returncode:
                return f"exit {done.returncode}: {done.stdout[-500:]}"
        with open(log) as file:
            rows = [r for r in map(json.loads, file) if "loss" in r]
    curve, bounds = expected["curve"], expected["bounds"]
    if len(rows) != len(curve):
        return f"{len(rows)} steps instead of {len(curve)}"
    off = relative(rows[0]["norm"], curve[0]["norm"])
    if not off <= bounds["norm"]:
        return f"norm differs by {off:.1e}"
    for step, (a, b) in enumerate(zip(rows, curve)):
        off = relative(a["loss"], b["loss"])
        if not off <= bounds["loss"][step]:
            return f"loss of step {step + 1} differs by {off:.1e}"
    return None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pcc", default="build/bin/pcc")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or sorted(os.listdir(KEPT))
    bad = 0
    for name in names:
        text = problem(os.path.join(KEPT, name),
                       os.path.abspath(options.pcc))
        print(f"{name}: {text or 'as PyTorch'}")
        bad += text is not None
    print(f"{len(names) - bad} of {len(names)} train as PyTorch does")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
