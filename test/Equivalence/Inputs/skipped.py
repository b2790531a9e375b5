"""skipped.py LOG DIR: between the checkpoints of each step in DIR, moments stay
as they are if LOG says that the step was skipped, and change otherwise."""

import json
import os
import sys

from moments import tensors


def read(step):
    return {name: values.copy() for name, place, dtype, values in
            tensors(os.path.join(sys.argv[2], f"step-{step:08d}", "optimizer",
                                 "optim-rank-00000.safetensors"))}


with open(sys.argv[1]) as file:
    rows = [json.loads(line) for line in file]
rows = [row for row in rows if "loss_scale" in row]
before, skipped, taken = None, 0, 0
for row in rows:
    now = read(row["step"])
    used = any(values.any() for values in (before or {}).values())
    if used:
        same = all((before[name] == now[name]).all() for name in now)
        assert same == bool(row.get("skipped")), row
        skipped += same
        taken += not same
    before = now
assert skipped >= 2 and taken >= 2, (skipped, taken)
print(f"{skipped} skipped steps, {taken} others")
