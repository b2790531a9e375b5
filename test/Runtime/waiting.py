"""Threads of ranks spin for a limited time, under any launcher, unless the user
sets another time. Ranks that share cores do not spin at all.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files . && %python %s
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from runs import begin, jobOf, processes, rows, until

NAMES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
PLAIN = {key: value for key, value in os.environ.items() if key not in NAMES}
CORES = sorted(os.sched_getaffinity(0))


def said(process):
    with open(f"/proc/{process}/environ", "rb") as file:
        entries = [entry.split("=", 1)
                   for entry in file.read().decode().split("\0") if "=" in entry]
    assert len(entries) == len({key for key, _ in entries})
    return {key: value for key, value in entries if key in NAMES}


def check(wanted, *command, find, cores=CORES, **given):
    """Checks the environment of the processes that `find` returns for a run."""
    if os.path.exists("log.json"):
        os.remove("log.json")
    run = begin(*command, "--data", "tokens.bin", "--steps", "10000000",
                "--log-json", "log.json", env={**PLAIN, **given},
                stdout=open(os.devnull, "w"),
                preexec_fn=lambda: os.sched_setaffinity(0, cores))
    until(lambda: rows("log.json") or run.poll() is not None, 60)
    found = [said(process) for process in find(run)]
    with open(f"/proc/{run.pid}/comm") as file:
        assert file.read().strip() == os.path.basename(command[0])
    run.terminate()
    _, err = run.communicate(timeout=60)
    assert run.returncode == 0 and not err, (run.returncode, err)
    assert found and all(one == wanted for one in found), (command, found)


def alone(run):
    return [run.pid]


def started(run):
    return [process for process, rank in processes(jobOf(run)).items()
            if rank is not None]


FEW = {"GOMP_SPINCOUNT": "20000"}
check(FEW, "toy-1", find=alone)
for given in ({"GOMP_SPINCOUNT": "7"}, {"OMP_WAIT_POLICY": "active"}):
    check(given, "toy-1", find=alone, **given)
    check(given, "toy-dp2", find=started, **given)
check({"OMP_WAIT_POLICY": "passive"}, "toy-dp2", find=started, cores=CORES[:1])
if len(CORES) > 1:
    check(FEW, "toy-dp2", find=started)
