"""scales.py --relative R A B...: the logs A, B, ... have the same steps, loss
scales and skipped steps, of which there are some, losses within a relative
difference R of A's and norms within ten times that."""

import json
import sys

assert sys.argv[1] == "--relative"
bound, paths = float(sys.argv[2]), sys.argv[3:]


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def choices(rows):
    return [(row["step"], row["loss_scale"], row.get("skipped", False))
            for row in rows]


reference, *others = map(read, paths)
skipped = sum(row.get("skipped", False) for row in reference)
if not 0 < skipped < len(reference):
    sys.exit(f"{paths[0]}: {skipped} of {len(reference)} steps are skipped")
for path, other in zip(paths[1:], others):
    if choices(other) != choices(reference):
        sys.exit(f"{path}: {choices(other)}, not {choices(reference)}")
    for wanted, found in zip(reference, other):
        for key, factor in (("loss", 1), ("norm", 10)):
            if wanted[key] is None:
                assert found[key] is None and wanted["skipped"]
            elif not abs(found[key] / wanted[key] - 1) <= bound * factor:
                sys.exit(f"{path}: step {wanted['step']}: {key} is "
                         f"{found[key]}, not {wanted[key]}")
