"""Starts ranks where there is too little of what they need, and where starting
them hangs.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files . && %python %s
"""

import os
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from runs import begin, jobFolder, processes, requireNothingLeft, until

RUN = ["--data", "tokens.bin", "--steps", "2"]


def limited(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


# File descriptors: the soft limit is raised where the hard one allows it.
for limit in (20, 40):
    run = subprocess.run(["toy-dp2-tp2", *RUN], capture_output=True, text=True,
                         timeout=60, preexec_fn=limited(limit, limit))
    match = re.fullmatch(
        r"error: starting 4 ranks needs (\d+) file descriptors, the limit is "
        rf"{limit}\nnote: raise it with 'ulimit -n (\d+)', or have the hard "
        r"limit raised\n", run.stderr)
    assert run.returncode == 3 and match and match[1] == match[2], run
needed = int(match[1])
for soft in (20, needed):
    subprocess.run(["toy-dp2-tp2", *RUN], check=True, capture_output=True,
                   timeout=60, preexec_fn=limited(soft, needed))


# An mpirun that hangs, deaf to signals.
os.mkdir("bin")
with open("bin/mpirun.openmpi", "w") as file:
    file.write("#!/bin/sh\ntrap '' TERM INT HUP USR1\n"
               "while :; do sleep 1; done\n")
os.chmod("bin/mpirun.openmpi", 0o755)
hangs = dict(os.environ, PATH=os.path.abspath("bin") + ":" + os.environ["PATH"])


def hanging(**environment):
    run = begin("toy-dp2-tp2", *RUN, env=dict(hangs, **environment))
    until(lambda: jobFolder(run) and processes(jobFolder(run)))
    return run, jobFolder(run)


run, folder = hanging(PCC_START_SECONDS="1")
out, err = run.communicate(timeout=30)
assert run.returncode == 7 and err == (
    "error: the ranks did not start within 1 s: of 4, 0 started and 0 joined "
    "the others\nnote: the environment variable PCC_START_SECONDS gives them "
    "more (0: any)\n"), (run.returncode, err)
requireNothingLeft(folder)
run = begin("toy-dp2-tp2", *RUN, env=dict(hangs, PCC_START_SECONDS="1m"))
out, err = run.communicate(timeout=30)
assert run.returncode == 2 and err == (
    "error: PCC_START_SECONDS: '1m' is not a number of seconds\n"), err

for first, second in (("SIGTERM", "SIGTERM"), ("SIGUSR1 SIGTERM", "SIGTERM"),
                      ("SIGTERM", "SIGINT"), ("", "SIGINT"), ("", "SIGQUIT")):
    run, folder = hanging()
    for name in first.split():
        run.send_signal(getattr(signal, name))
        time.sleep(0.3)
        assert run.poll() is None
    run.send_signal(getattr(signal, second))
    out, err = run.communicate(timeout=20)
    assert run.returncode == 128 + getattr(signal, second), run.returncode
    assert err.count("\n") == bool(first), err
    requireNothingLeft(folder)

# The deadline does not count the time in which all is stopped.
run, folder = hanging(PCC_START_SECONDS="1.5")
run.send_signal(signal.SIGSTOP)
time.sleep(3)
run.send_signal(signal.SIGCONT)
time.sleep(0.3)
assert run.poll() is None
assert run.wait(timeout=20) == 7
requireNothingLeft(folder)
