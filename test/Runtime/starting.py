"""Starts ranks with too few resources, and launchers that hang.

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


# File descriptors: the soft limit is raised if the hard one allows it.
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


# If /dev/shm is full later on, a write to the ranks' shared memory causes
# SIGBUS.
run = begin("toy-dp2-tp2", "--data", "tokens.bin", "--steps", "10000000",
            env=dict(os.environ, TOY_PAUSE_MS="20"))
while "step" not in run.stdout.readline():
    pass
folder = jobFolder(run)
victim, = [process for process, rank in processes(folder).items() if rank == 1]
# Open MPI's handler runs only for the first signal; then the write is repeated.
for again in range(100):
    try:
        os.kill(victim, signal.SIGBUS)
    except ProcessLookupError:
        break
    time.sleep(0.2)
out, err = run.communicate(timeout=30)
assert run.returncode == 7 and err == (
    f"error: rank 1 (process {victim}) was lost: killed by signal 7 (Bus "
    "error); all other ranks were ended\nnote: signal 7 often means a full "
    "file system, such as /dev/shm, under memory that ranks share\n"), err
requireNothingLeft(folder)

# An mpirun that hangs and ignores signals.
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
    "the others\nnote: the environment variable PCC_START_SECONDS sets this "
    "limit (0: none)\n"), (run.returncode, err)
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

# A start without any progress ends without a second signal.
run, folder = hanging()
run.send_signal(signal.SIGTERM)
out, err = run.communicate(timeout=40)
assert run.returncode == 0 and err == (
    "warning: SIGTERM ended the ranks before they had all started\n"), err
requireNothingLeft(folder)

# The deadline is paused while the job is stopped.
run, folder = hanging(PCC_START_SECONDS="1.5")
run.send_signal(signal.SIGSTOP)
time.sleep(3)
run.send_signal(signal.SIGCONT)
time.sleep(0.3)
assert run.poll() is None
assert run.wait(timeout=20) == 7
requireNothingLeft(folder)
