"""savings.py NOW FULL: the report NOW says what the plan of FULL needs, and what
each segment keeps."""

import json
import sys

now, full = (json.load(open(path)) for path in sys.argv[1:])
saved = {one["flags"]: one["bytes"] for one in now["savings"]}
needs = max(stage["arena_bytes"] for stage in full["stages"])
assert saved["--recompute full"] == needs, (saved, needs)
assert [s["segment"] for stage in now["stages"] for s in stage["kept"]] == \
    list(range(6)), now["stages"]
for stage in now["stages"]:
    # What is kept is part of the activations.
    kept = sum(s["bytes"] for s in stage["kept"]) * stage["kept_microbatches"]
    assert 0 < kept <= stage["activation_bytes"], (kept, stage)
    # A layer of a full recomputation keeps less.
less = [s["bytes"] for stage in full["stages"] for s in stage["kept"]]
more = [s["bytes"] for stage in now["stages"] for s in stage["kept"]]
assert less[1] < more[1], (less, more)
