"""compare.py --relative R A B...: the logs A, B, ... of training runs have the
same steps, losses within a relative difference R of A's, and norms within ten
times that (0 unless given: the same digits). --start N compares the steps from
N on."""

import argparse
import json
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--relative", type=float, default=0)
parser.add_argument("--start", type=int, default=1)
parser.add_argument("logs", nargs="+")
options = parser.parse_args()


def read(path):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    return {row["step"]: row for row in rows
            if "loss" in row and row["step"] >= options.start}


reference = read(options.logs[0])
if not reference:
    sys.exit(f"{options.logs[0]}: no steps")
for path in options.logs[1:]:
    other = read(path)
    if list(other) != list(reference):
        sys.exit(f"{path}: steps {list(other)}, not {list(reference)}")
    for step, row in reference.items():
        for key, factor in (("loss", 1), ("norm", 10), ("lr", 0)):
            bound = options.relative * factor * abs(row[key])
            if not abs(other[step][key] - row[key]) <= bound:
                sys.exit(f"{path}: step {step}: {key} differs: "
                         f"{other[step][key]}, not {row[key]}")
print(f"{len(reference)} steps agree in {len(options.logs)} logs")
