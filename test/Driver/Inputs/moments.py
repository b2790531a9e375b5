"""moments.py ZERO WIDE NARROW: reports of two ranks of data parallelism with
f32 and bf16 moments: 4 bytes per parameter less, 2 if ZeRO shards them."""

import json
import sys

zero = int(sys.argv[1])
wide, narrow = (json.load(open(path)) for path in sys.argv[2:])
assert (wide["optimizer_state"], narrow["optimizer_state"]) == ("f32", "bf16")
stages = [report["stages"][0] for report in (wide, narrow)]
moments = [stage["optimizer_bytes"] for stage in stages]
saved = stages[0]["arena_bytes"] - stages[1]["arena_bytes"]
due = wide["trained"] * (2 if zero else 4)
# Padding of buckets, and the numbers and the sums of @update.
assert abs(moments[0] - moments[1] - due) <= 0.01 * due, (moments, due)
assert abs(saved - due) <= 0.01 * due, (saved, due)
print("ok", zero, saved, due)
