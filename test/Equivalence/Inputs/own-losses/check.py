"""Trains models that compute their loss, and compares with PyTorch's curves.

    check.py OUT LAYOUT [NAME...]

LAYOUT is one of those below, or all. Names are those of the files here without
.onnx; all if none is given.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LAYOUTS = {
    "one": ["--micro-batch-size=8"],
    "single": ["--micro-batch-size=1"],
    "four": ["--micro-batch-size=2"],
    "two": ["--dp=2", "--micro-batch-size=2"],
    "context": ["--cp=2", "--micro-batch-size=2"],
    "staged": ["--pp=2", "--dp=2", "--schedule=gpipe", "--zero=3",
               "--recompute=full", "--micro-batch-size=1"],
    "eight": ["--tp=2", "--pp=2", "--dp=2", "--micro-batch-size=1"],
}
# PyTorch's own rounding in f32 over five steps.
BOUND = 1e-5


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        return done.stdout.strip()[-600:] or f"ends with {done.returncode}"
    return None


def check(name, layout, wanted, folder):
    program = os.path.join(folder, f"{name}-{layout}")
    log = program + ".jsonl"
    problem = call("pcc", os.path.join(HERE, name + ".onnx"), "-q",
                   "--optimizer=sgd",
                   "--global-batch-size=8", *LAYOUTS[layout], "-o", program)
    problem = problem or call(
        program, "--data", os.path.join(HERE, "data"), "--steps=5", "--lr=0.1",
        "--lr-schedule=constant", "--weight-decay=0", "--log-json", log)
    if problem:
        return problem
    with open(log) as file:
        rows = [json.loads(line) for line in file]
    if len(rows) != len(wanted):
        return f"{len(rows)} steps"
    worst = 0
    for row, other in zip(rows, wanted):
        for key, bound in (("loss", BOUND), ("norm", 10 * BOUND)):
            gap = abs(row[key] - other[key]) / abs(other[key])
            worst = max(worst, gap if key == "loss" else 0)
            if not gap <= bound:
                return (f"step {row['step']}: {key} {row[key]}, PyTorch's "
                        f"{other[key]}")
    print(f"ok {name} {layout} {worst:.1e}")
    return None


def main():
    folder, layout, *names = sys.argv[1:]
    with open(os.path.join(HERE, "curves.json")) as file:
        curves = json.load(file)
    layouts = list(LAYOUTS) if layout == "all" else [layout]
    names = names or sorted(f[:-5] for f in os.listdir(HERE)
                            if f.endswith(".onnx"))
    failed = 0
    for name in names:
        for one in layouts:
            problem = check(name, one, curves[name.rsplit("-", 1)[0]], folder)
            if problem:
                failed += 1
                print(f"FAILED {name} {one}: {problem}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
