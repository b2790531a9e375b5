"""kept.py REPORT: checks the bytes per parameter that a rank holds, and the
communication, of a program of one stage with data parallelism only. With d
data ranks, optimizer state is sharded from zero 1 on, including the bf16 or
fp16 shard of the parameter; from zero 2 on the gradients, which microbatches
are reduced to."""

import json
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)
parameters, zero = report["parameters"], report["zero"]
d = report["mesh"]["dp"] * report["mesh"]["cp"]
(stage,) = report["stages"]
is_narrow = report["precision"] != "f32"
wanted = {"param": 4 // (d if is_narrow and zero else 1),
          "gradient": 4 // (d if zero > 1 else 1),
          "state": 8 // (d if zero else 1)}
if is_narrow:
    wanted["copy"] = 2
if zero > 1:
    # Of one microbatch at a time.
    wanted["microbatch_gradient"] = 4
found = {kind: size for kind, size in stage["buffer_bytes"].items()
         if kind in ("copy", "gradient", "param", "state",
                     "microbatch_gradient")}
wanted = {kind: size * parameters for kind, size in wanted.items()}
if found != wanted:
    sys.exit(f"{found}, not {wanted}")
sent = {message["kind"]: message["bytes_sent"] for message in stage["messages"]}
times = report["microbatches"] if zero > 1 else 1
for kind, bytes_each in (("all_gather", 2 if is_narrow else 4),
                         ("reduce_scatter", 4 * times)):
    due = bytes_each * parameters * (d - 1) // d
    if sent[kind + " over dp"] != due:
        sys.exit(f"a rank sends {sent} bytes, not {due} of {kind}")
