#!/usr/bin/env python3
"""Kills runs before calls that change files while they save, one run for each
call: while they save the first checkpoint of a folder, a later one with --keep
1, and one that replaces a checkpoint of the same step, on file systems that can
and cannot exchange names. The next run continues from a complete checkpoint.
Runs are killed at every third call, in each case with another first call; with
PCC_TEST_ALL=1 at every call.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files .
RUN: %cc -shared -fPIC -O1 %S/Inputs/killer.c -o killer.so -ldl
RUN: %python %s
"""

import itertools
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from byhand import prepare
from checkpoints import latestStep, rows

prepare("killer")


def toy(*arguments, **environment):
    run = subprocess.run(["toy-1", *arguments], stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True,
                         env=dict(os.environ, **environment))
    return run.returncode, run.stderr


def must(*arguments):
    code, text = toy(*arguments)
    assert code == 0, (arguments, code, text)


START = ["--data", "tokens.bin", "--steps", "8", "--lr", "1e-2"]
must(*START, "--log-json", "whole.json")
whole = rows("whole.json")
must(*START, "--save", "base", "--save-every", "2", "--stop-after", "3")
os.makedirs("source/chat", exist_ok=True)
for name in "config.json", "chat/tool.jinja":
    with open(f"source/{name}", "w") as file:
        file.write("{}")

AGAIN = ["--resume", "work/step-00000002", "--stop-after", "3"]
cases = {
    # name: folder before, arguments, step before, step after, environment
    "first": (None, [*START, "--stop-after", "3"], 0, 3, {}),
    # In shards, and with the files of a model directory.
    "later": ("base", ["--resume", "work", "--stop-after", "5", "--keep", "1",
                       "--max-shard-size", "4KB"],
              3, 5, {"TOY_EXPORTED": "1"}),
    "again": ("base", AGAIN, 3, 3, {}),
    "again, no exchange": ("base", AGAIN, 3, 3, {"NO_EXCHANGE": "1"}),
}
STRIDE = 1 if os.environ.get("PCC_TEST_ALL") else 3
for number, (name, case) in enumerate(cases.items()):
    before, arguments, least, most, environment = case
    for point in itertools.count(1 + number % STRIDE, STRIDE):
        shutil.rmtree("work", ignore_errors=True)
        if before:
            shutil.copytree(before, "work")
        code, text = toy(*arguments, "--save", "work",
                         LD_PRELOAD="./killer.so", KILL_AT=str(point),
                         **environment)
        if code == 0:
            break
        assert code == -9, (name, point, code, text)
        has = os.path.exists("work/latest")
        step = latestStep("work") if has else 0
        assert has or not before, (name, point)
        assert step in (0, least, most), (name, point, step)
        if has:
            must("--resume", "work", "--save", "work", "--log-json", "rest.json")
        else:
            must(*START, "--save", "work", "--log-json", "rest.json")
        rest = rows("rest.json")
        start = min(rest)
        assert start == step + 1, (name, point, start, step)
        assert all(whole[s] == rest[s] for s in rest), (name, point)
        assert max(rest) == 8
        os.remove("rest.json")
        left = [entry for entry in os.listdir("work") if entry[0] == "."]
        assert not left, (name, point, left)
    assert point > 20, (name, point)
    print(f"{name}: {(point - 1) // STRIDE} points")
