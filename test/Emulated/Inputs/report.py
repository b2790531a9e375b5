"""Counts of a run on the emulated device: two more steps add two waits of the
host, and twice the launches in the program's text.

    report.py BUILD
"""

import json
import os
import pathlib
import re
import subprocess
import sys

from streams import model, tokens

FEW, MANY = 4, 6


def report(steps):
    subprocess.run(["./train", "--data", "tokens.bin", "--init", "random",
                    "--steps", str(steps), "--report", "report.json"], check=True,
                   stdout=subprocess.DEVNULL,
                   env=dict(os.environ, OMP_NUM_THREADS="1"))
    (rank,) = json.loads(pathlib.Path("report.json").read_text())["step"]
    return rank


def launches_of(text):
    """{kernel: launches} of a step; there are no loops."""
    found = {}
    bodies = {part.split("(")[0]: part for part in text.split("rt.func @")[1:]}

    def add(part):
        for call, kernel in re.findall(r"rt\.(?:call @(\S+?)\(|launch @(\S+))", part):
            if call:
                add(bodies[call])
            else:
                found[kernel] = found.get(kernel, 0) + 1

    assert "rt.for" not in bodies["train"]
    add(bodies["train"])
    return found


def main():
    pcc = [pathlib.Path(sys.argv[1]) / "bin/pcc", "model.mlir", "-q", "--loss",
           "causal-lm", "--target", "cuda-emulated"]
    model(pathlib.Path("model.mlir"))
    tokens(pathlib.Path("tokens.bin"))
    subprocess.run([*pcc, "-o", "train"], check=True)
    subprocess.run([*pcc, "--emit=rt", "-o", "rt.mlir"], check=True)
    few, many = report(FEW), report(MANY)
    waits = many["host_waits"] - few["host_waits"]
    assert waits == MANY - FEW, (few["host_waits"], many["host_waits"])
    due = launches_of(pathlib.Path("rt.mlir").read_text())
    assert len(due) > 5
    for before, after in zip(few["kernels"], many["kernels"], strict=True):
        name = before["kernel"]
        assert after["kernel"] == name
        more = after["launches"] - before["launches"]
        assert more == (MANY - FEW) * due.pop(name, 0), (name, more)
        assert not more or (after["read_sectors"] > before["read_sectors"] and
                            after["written_sectors"] > before["written_sectors"])
    assert not due, due


main()
