"""kept.py REPORT: under bf16 and zero 1 with two ranks of data a parameter has a
copy of 2 bytes and a gradient of 4 on each, and the two share 4 bytes of its own
and 8 of moments; gathers send 2 bytes of it in all."""

import json
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)
parameters = report["parameters"]
(stage,) = report["stages"]
found = {kind: stage["buffer_bytes"][kind]
         for kind in ("copy", "gradient", "param", "state")}
wanted = {"copy": 2 * parameters, "gradient": 4 * parameters,
          "param": 2 * parameters, "state": 4 * parameters}
if found != wanted:
    sys.exit(f"{found}, not {wanted}")
(gather,) = [message for message in stage["messages"]
             if message["kind"] == "all_gather over dp"]
if gather["bytes_sent"] != parameters:
    sys.exit(f"a rank gathers {gather['bytes_sent']} bytes, not {parameters}")
