"""The host waits for the device once in an ordinary step.

    waits.py BUILD -- --pp 2 --global-batch-size 8

Runs a tiny GPT, compiled with the flags after --, and reads its trace.
"""

import json
import os
import pathlib
import subprocess
import sys

from streams import model, tokens

FIRST, LAST = 3, 8


def spans(path):
    """The host's spans, by rank."""
    events = json.loads(path.read_text())["traceEvents"]
    hosts = {(e["pid"], e["tid"]) for e in events
             if e.get("name") == "thread_name" and e["args"]["name"] == "host"}
    found = {}
    for event in events:
        if event["ph"] == "X" and (event["pid"], event["tid"]) in hosts:
            found.setdefault(event["pid"], []).append(
                (event["ts"], event["name"]))
    return found


def main():
    build, flags = pathlib.Path(sys.argv[1]), sys.argv[3:]
    model(pathlib.Path("model.mlir"))
    tokens(pathlib.Path("tokens.bin"))
    subprocess.run([build / "bin/pcc", "model.mlir", "-q", "--loss", "causal-lm",
                    *flags, "--target", "cuda-emulated", "-o", "train"],
                   check=True)
    subprocess.run(["./train", "--data", "tokens.bin", "--init", "random",
                    "--steps", "12", "--trace", "trace.json", "--trace-steps",
                    f"{FIRST}:{LAST}"], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, OMP_NUM_THREADS="1"))
    ranks = spans(pathlib.Path("trace.json"))
    assert ranks, "the trace shows no host"
    for rank, host in ranks.items():
        steps = sorted(at for at, name in host if name == "step")
        assert len(steps) == LAST - FIRST + 1, (rank, host)
        waits = [at for at, name in host if name == "wait for the device"]
        # The last one is not ordinary: the trace ends with it.
        for begin, end in zip(steps, steps[1:]):
            count = sum(begin <= at < end for at in waits)
            assert count == 1, (rank, count, sorted(host))


main()
