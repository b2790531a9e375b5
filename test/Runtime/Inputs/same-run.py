"""same-run.py A B: the runs that wrote A.json, A.txt, A.ck, A.tb and A.trace,
and the same files of B, were equal except for times. B's host was one step
ahead: it waited for the scalars of step 2 after it had issued step 3."""

import glob
import json
import os
import re
import sys

sys.path += [os.path.join(os.path.dirname(os.path.abspath(__file__)), at)
             for at in (".", "../../Inputs")]
from eventfiles import scalars


def rows(path):
    with open(path) as file:
        return [{key: value for key, value in json.loads(line).items()
                 if key not in ("ms", "tok_s")} for line in file]


def lines(path):
    with open(path) as file:
        text = file.read()
    return re.sub(r"[\d.,]+ (ms|s|tok/s)\b|\S+\.ck/", "#", text).splitlines()


def events(folder):
    path, = glob.glob(f"{folder}/*")
    return {key: value for key, value in scalars(path).items()
            if not key[0].startswith("perf/")}


def saved(folder):
    found = {}
    for path in sorted(glob.glob(f"{folder}/step-*/**/*.safetensors",
                                 recursive=True)):
        with open(path, "rb") as file:
            found[path[len(folder):]] = file.read()
    return found


def order(path):
    """The host's operations per step, in order, on rank 0."""
    with open(path) as file:
        trace = json.load(file)
    trace = trace["traceEvents"] if isinstance(trace, dict) else trace
    done = [(event["ts"], event["name"], event["args"]["step"])
            for event in trace if event.get("name") in ("step", "scalars")
            and "step" in event.get("args", {}) and event["pid"] == 0]
    return [what[1:] for what in sorted(done)]


a, b = sys.argv[1:]
for what, of in ((rows, ".json"), (lines, ".txt"), (events, ".tb"),
                 (saved, ".ck")):
    one, other = what(a + of), what(b + of)
    assert one, a + of
    assert one == other, (one, other) if of != ".ck" else b + of
plain, ahead = order(a + ".trace"), order(b + ".trace")
assert plain == [("step", 2), ("scalars", 2),
                 ("step", 3), ("scalars", 3)], plain
assert ahead == [("step", 2), ("scalars", 1),
                 ("step", 3), ("scalars", 2), ("scalars", 3)], ahead
