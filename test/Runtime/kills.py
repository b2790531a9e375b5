#!/usr/bin/env python3
"""kills.py [COUNT [PROGRAM DATA]]: kills runs of a program (by default the
toy's, with one rank and with four) at random moments, nearly all of which are
during a save. After any kill, the next run continues from a complete
checkpoint, with the losses of a run that was not killed. The test kills 6 runs;
scripts/test --all: 12.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files .
RUN: %python %s $(test -n "$PCC_TEST_ALL" && echo 12 || echo 6)
"""

import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from byhand import prepare
from checkpoints import latestStep, rows

prepare()

OPTIONS = ["--steps", "100000", "--lr", "1e-2", "--shuffle"]


def descendants(process):
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(name))
    found = [process]
    for parent in found:
        found += children.get(parent, [])
    return found


def folderOf(program):
    return os.path.basename(program) + ".saved"


def killedRun(program, folder, delay):
    """Starts a run, and kills all its processes `delay` after its first save.
    Returns its rows."""
    log = f"{folder}.json"
    if os.path.exists(log):
        os.remove(log)
    before = latestStep(folder) if os.path.exists(f"{folder}/latest") else 0
    source = ["--resume", folder] if before else ["--data", data]
    run = subprocess.Popen([program, *source, *OPTIONS, "--save", folder,
                            "--save-every", "1", "--keep", "2",
                            "--log-json", log], stdout=subprocess.DEVNULL)
    deadline = time.time() + 60
    while not os.path.exists(log) or not rows(log):
        assert time.time() < deadline and run.poll() is None
        time.sleep(0.001)
    time.sleep(delay)
    for process in descendants(run.pid):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
    run.wait()
    found = rows(log)
    assert min(found) == before + 1, (min(found), before)
    return found


count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
programs, data = ["toy-1", "toy-dp2-tp2"], "tokens.bin"
if len(sys.argv) > 2:
    programs, data = [sys.argv[2]], sys.argv[3]
seed = int(os.environ.get("SEED", time.time()))
print(f"SEED={seed}")
random.seed(seed)
found, saving = {}, 0
for number in range(count):
    program = programs[-1] if number % 6 == 5 else programs[0]
    folder = folderOf(program)
    saved = os.path.exists(f"{folder}/latest")
    for step, values in killedRun(program, folder, random.random() / 10).items():
        known = found.setdefault((program, step), values)
        assert known == values, (program, step, known, values)
    saving += any(name.endswith(".tmp") or name.endswith(".gone")
                  for name in os.listdir(folder))
    # The kill may have been during the first save.
    if saved or os.path.exists(f"{folder}/latest"):
        latestStep(folder)
for program in programs:
    last = max(step for name, step in found if name == program)
    subprocess.run([program, "--data", data, *OPTIONS, "--stop-after",
                    str(last), "--log-json", "whole.json"], check=True,
                   stdout=subprocess.DEVNULL)
    whole = rows("whole.json")
    for (name, step), values in found.items():
        assert name != program or whole[step] == values, (step, values)
print(f"{count} kills, {saving} of them within a save; {len(found)} steps agree "
      "with runs that were not killed")
