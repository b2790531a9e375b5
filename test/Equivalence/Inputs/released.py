"""released.py REPORT: checks the bytes per parameter that a rank holds, and the
number of collectives, of a program of one stage with data parallelism and
zero 3. Parameters, gradients and moments are sharded over d data ranks;
buckets are whole only while they are used. With n buckets and m
microbatches, n m collectives reduce and at most 2 n m gather."""

import json
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)
parameters, d = report["parameters"], report["mesh"]["dp"] * report["mesh"]["cp"]
(stage,) = report["stages"]
bytes_each = stage["buffer_bytes"]
whole = 4 if report["precision"] == "f32" else 2
wanted = {"param": 4 / d, "gradient": 4 / d, "state": 8 / d,
          "released_copy": whole, "microbatch_gradient": 4}
found = {kind: bytes_each.get(kind) for kind in wanted}
due = {kind: size * parameters for kind, size in wanted.items()}
if found != due or "copy" in bytes_each:
    sys.exit(f"{bytes_each}, not {due}")
sent = {message["kind"]: message for message in stage["messages"]}
reduced = sent["reduce_scatter over dp"]
gathered = sent["all_gather over dp"]
microbatches = report["microbatches"]
rows, rest = divmod(reduced["count"], microbatches)
if rest or not rows * microbatches < gathered["count"] <= 2 * rows * microbatches:
    sys.exit(f"{gathered['count']} gathers, {reduced['count']} reductions in "
             f"{microbatches} microbatches")
most = 2 * microbatches * whole * parameters * (d - 1) // d
if gathered["bytes_sent"] > most:
    sys.exit(f"{gathered['bytes_sent']} bytes gathered, more than {most}")
print(f"{rows} rows, {gathered['count']} gathers")
