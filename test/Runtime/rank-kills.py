#!/usr/bin/env python3
"""Kills one of three ranks with shards of parameters and moments, before calls
that change files while they save. The others end, and a program with another
sharding continues from a complete checkpoint. PCC_TEST_ALL=1 kills at more of
these calls.

RUN: rm -rf %t && mkdir %t && cd %t && toy-odd-files .
RUN: %cc -shared -fPIC -O1 %S/Inputs/killer.c -o killer.so -ldl
RUN: %python %s
"""

import itertools
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from checkpoints import latestStep, rows
from runs import good, run

START = ["--data", "tokens.bin", "--steps", "6", "--lr", "1e-2"]
# One rank; three with all parameters; three with shards of the parameters.
NEXT = itertools.cycle(["toy-odd", "toy-odd-zero1", "toy-odd-zero3"])
LOST = 7
STRIDES = ((0, 19), (2, 5)) if os.environ.get("PCC_TEST_ALL") else (
    (0, 37), (2, 13))

good("toy-odd", *START, "--log-json", "whole.json")
whole = rows("whole.json")
good("toy-odd-zero3", *START, "--save", "base", "--stop-after", "2")

# Rank 0 creates and renames the folder, other ranks write their files.
for rank, stride in STRIDES:
    steps = set()
    for point in itertools.count(1, stride):
        shutil.rmtree("work", ignore_errors=True)
        shutil.copytree("base", "work")
        code, _, text = run("toy-odd-zero3", "--resume", "work", "--save", "work",
                            "--stop-after", "4", "--keep", "1",
                            LD_PRELOAD="./killer.so", KILL_AT=str(point),
                            KILL_RANK=str(rank))
        if code == 0:
            break
        assert code == LOST, (rank, point, code, text)
        steps.add(latestStep("work"))
        program = next(NEXT)
        good(program, "--resume", "work", "--save", "work", "--log-json",
             "rest.json")
        rest = rows("rest.json")
        assert min(rest) in (3, 5) and max(rest) == 6, (rank, point, rest)
        for step, (loss, norm) in rest.items():
            assert abs(loss - whole[step][0]) <= 2e-6 * loss, (program, step)
            assert abs(norm - whole[step][1]) <= 2e-5 * norm, (program, step)
        os.remove("rest.json")
        left = [name for name in os.listdir("work") if name[0] == "."]
        assert not left, (rank, point, left)
    assert point > 2 * stride, (rank, point)
    assert 2 in steps, (rank, steps)
    print(f"rank {rank}: {point // stride} kills, at steps {sorted(steps)}")
