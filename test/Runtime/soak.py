#!/usr/bin/env python3
r"""soak.py [STEPS [FLAG ...]]: checks that the resources of a long run do not
grow. Trains a tiny GPT-2, compiled by pcc with the FLAGs (default: --tp 2 --pp
2), for STEPS steps (default 10,000) on 4 ranks that the program starts itself,
with all outputs of a run: checkpoints, of which the last 3 are kept,
evaluations, a log and TensorBoard's files. From a tenth of the run to its end

  memory       may grow by 1 MiB a rank: VmRSS of /proc/PID/status, which is
               the rank's own memory, files that it maps, and shared memory
  descriptors  and threads must not increase in number
  step times   may have a median at most 5 % longer, checked from 2,000 steps;
               on an otherwise idle machine

The first two compare the smallest values in a twentieth of the run, which has
five checkpoints: memory that is needed only while a checkpoint is written does
not count. Prints a table of the whole run and exits with 1 if a resource has
grown.

    ninja -C build pcc && test/Runtime/soak.py

The test, soak.py --test LIBRARY, has 200 steps, and as many in which LIBRARY
leaks memory and descriptors, which must be reported; with PCC_TEST_ALL=1, 1,000
steps.

RUN: rm -rf %t && mkdir %t && cd %t
RUN: %cc -shared -fPIC -O1 %S/Inputs/leak.c -o leak.so -ldl
RUN: env PCC_BUILD=%build nice %python %s --test ./leak.so | FileCheck %s
CHECK: nothing grew
CHECK: rank 0 has grown by {{[0-9]+}} KiB, 1024 are allowed
CHECK: rank 0 has more descriptors or threads: {{[0-9]+}} and {{[0-9]+}}, not {{[0-9]+}} and {{[0-9]+}}
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "Inputs"))
from runs import ranks

PCC = os.path.join(os.environ.get("PCC_BUILD", f"{ROOT}/build"), "bin/pcc")
DATA = f"{ROOT}/examples/data/gpl-3.bin"
GROWTH = 1024  # KiB
SLOWER = 1.05
JUDGED = 2000  # steps from which on times are checked


def sample(process):
    """(resident KiB, anonymous KiB among them, descriptors, threads)"""
    with open(f"/proc/{process}/status") as file:
        status = file.read()
    number = lambda key: int(re.search(rf"^{key}:\s*(\d+)", status, re.M)[1])
    return (number("VmRSS"), number("RssAnon"),
            len(os.listdir(f"/proc/{process}/fd")), number("Threads"))


class Log:
    """The rows of a log that is still being written."""

    def __init__(self, path):
        self.path, self.offset, self.times, self.evaluations = path, 0, [], 0

    def read(self):
        """Reads new rows; returns the number of steps done."""
        if os.path.exists(self.path):
            with open(self.path) as file:
                file.seek(self.offset)
                text = file.read()
            text = text[:text.rfind("\n") + 1]
            self.offset += len(text)
            for row in map(json.loads, text.splitlines()):
                self.evaluations += "val_loss" in row
                if "ms" in row:
                    self.times.append(row["ms"])
        return len(self.times)


def watch(run, log, steps):
    """[(step, {rank: sample})], about a hundred, until the run ends."""
    samples, processes, due = [], {}, 0
    while run.poll() is None:
        step = log.read()
        if step > due and len(processes) < 4:
            processes = ranks(run)
        if step > due and len(processes) == 4:
            try:
                samples.append((step, {rank: sample(process) for rank, process
                                       in processes.items()}))
            except OSError:  # it ends
                break
            due = step + steps // 100
        time.sleep(0.01)
    run.wait()
    log.read()
    return samples


def least(samples, begin, end):
    """{rank: the smallest values} of the samples within these steps; in short
    runs, of the nearest sample."""
    within = [found for step, found in samples if begin <= step <= end]
    if not within:
        within = [min(samples, key=lambda entry: abs(entry[0] - end))[1]]
    return {rank: tuple(map(min, zip(*(found[rank] for found in within))))
            for rank in within[0]}


def report(samples, log, steps):
    """The growth as text."""
    width = steps // 20
    print(f"{'step':>7}  median ms  " + "  ".join(
        f"rank {rank}: MiB  own fds thr" for rank in range(4)))
    for i in range(20):
        begin = i * width
        values = least(samples, begin, begin + width)
        print(f"{begin + width:7}  "
              f"{statistics.median(log.times[begin:begin + width]):9.3f}  "
              + "  ".join("{:11.2f} {:4.1f} {:3} {:3}".format(
                  v[0] / 1024, v[1] / 1024, *v[2:])
                  for _, v in sorted(values.items())))
    # In a short run, enough steps that not all samples are during saves.
    judged = max(width, 60)
    first = least(samples, steps // 10, steps // 10 + judged)
    last = least(samples, steps - judged, steps)
    wrong = []
    for rank in range(4):
        grown = last[rank][0] - first[rank][0]
        print(f"rank {rank}: {grown:+} KiB, {last[rank][2] - first[rank][2]:+} "
              f"descriptors, {last[rank][3] - first[rank][3]:+} threads")
        if grown > GROWTH:
            wrong.append(f"rank {rank} has grown by {grown} KiB, "
                         f"{GROWTH} are allowed")
        if any(b > a for a, b in zip(first[rank][2:], last[rank][2:])):
            wrong.append(
                "rank {} has more descriptors or threads: {} and {}, not "
                "{} and {}".format(rank, *last[rank][2:], *first[rank][2:]))
    begin, count = steps // 100, steps // 10
    before = statistics.median(log.times[begin:begin + count])
    after = statistics.median(log.times[-count:])
    print(f"median of {count} steps: {before:.3f} ms at the beginning, "
          f"{after:.3f} ms at the end, {after / before:.3f} times")
    if steps >= JUDGED and after > SLOWER * before:
        wrong.append(f"steps take {after / before:.3f} times as long, "
                     f"{SLOWER} are allowed; the machine's load is "
                     f"{os.getloadavg()[0]:.1f}")
    return wrong


def compile_program(folder, flags):
    """Returns the path of the program."""
    subprocess.run([PCC, f"{ROOT}/examples/gpt2/gpt2.onnx", "--seq=16",
                    "--global-batch-size=4", "-q", *flags, "-o",
                    f"{folder}/program"], check=True)
    return f"{folder}/program"


def soak(program, steps, preload=""):
    """Runs the program; returns and prints the resources that grew."""
    every = max(1, steps // 100)
    with tempfile.TemporaryDirectory() as folder:
        log = Log(f"{folder}/log.jsonl")
        run = subprocess.Popen(
            [program, "--data", DATA, "--steps", str(steps),
             "--shuffle", "--save", f"{folder}/saved", "--save-every",
             str(every), "--keep", "3", "--val-data", DATA, "--eval-every",
             str(every), "--eval-batches", "2", "--log-json", log.path,
             "--tensorboard-dir", f"{folder}/events"],
            stdout=subprocess.DEVNULL,
            env=dict(os.environ, LD_PRELOAD=preload))
        try:
            samples = watch(run, log, steps)
        finally:
            run.kill()
        assert run.returncode == 0, run.returncode
        assert len(log.times) == steps and log.evaluations >= 100
        kept = [n for n in os.listdir(f"{folder}/saved") if n[:5] == "step-"]
        assert len(kept) == 3, kept
    wrong = report(samples, log, steps)
    print("\n".join(wrong) or "nothing grew", flush=True)
    return wrong


def main():
    arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if arguments[:1] == ["--test"]:
            program = compile_program(folder, ["--tp", "2", "--pp", "2"])
            steps = 1000 if os.environ.get("PCC_TEST_ALL") else 200
            wrong = soak(program, steps)
            soak(program, 200, arguments[1])
        else:
            steps = int(arguments[0]) if arguments else 10000
            flags = arguments[1:] or ["--tp", "2", "--pp", "2"]
            wrong = soak(compile_program(folder, flags), steps)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
