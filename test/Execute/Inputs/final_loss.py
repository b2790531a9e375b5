"""final_loss.py A B BOUND: the mean losses of the last 200 logged steps of two
runs differ by at most BOUND, relative to A's, and the loss of A has fallen."""

import json
import sys


def read(path):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    return [row["loss"] for row in rows if "loss" in row]


a, b = read(sys.argv[1]), read(sys.argv[2])
assert len(a) == len(b) >= 1000, (len(a), len(b))
first, last = a[0], sum(a[-200:]) / 200
other = sum(b[-200:]) / 200
difference = abs(other - last) / last
assert last < 0.5 * first, (first, last)
print(f"losses of the last 200 steps: {last:.4f} and {other:.4f}, "
      + ("within" if difference <= float(sys.argv[3]) else "NOT within")
      + f" {sys.argv[3]}: {difference:.2e}")
