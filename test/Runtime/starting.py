"""Starts ranks with too few resources, and processes that hang before they start
ranks.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files .
RUN: %cc -shared -fPIC -O1 %S/Inputs/hangs.c -o hangs.so
RUN: %python %s
"""

import os
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from runs import begin, jobOf, processes, requireNothingLeft, until

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


# A rank whose memory cannot be provided gets SIGBUS.
run = begin("toy-dp2-tp2", "--data", "tokens.bin", "--steps", "10000000",
            env=dict(os.environ, TOY_PAUSE_MS="20"))
while "step" not in run.stdout.readline():
    pass
job = jobOf(run)
victim, = [process for process, rank in processes(job).items() if rank == 1]
# The first one could come from a file, for which a handler looks; a page that
# is not there causes it again.
for again in range(2):
    os.kill(victim, signal.SIGBUS)
    time.sleep(0.2)
out, err = run.communicate(timeout=30)
assert run.returncode == 7 and err == (
    f"error: rank 1 (process {victim}) was lost: killed by signal 7 (Bus "
    "error); all other ranks were ended\nnote: signal 7 often means that "
    "memory ran out, or that a file which the program reads was shortened\n"), err
requireNothingLeft(job)

# A process that hangs before it starts ranks, and ignores signals.
hangs = dict(os.environ, LD_PRELOAD=os.path.abspath("hangs.so"))


def hanging(**environment):
    run = begin("toy-dp2-tp2", *RUN, env=dict(hangs, **environment))
    until(lambda: jobOf(run) and processes(jobOf(run)))
    return run, jobOf(run)


run, job = hanging(PCC_START_SECONDS="1")
out, err = run.communicate(timeout=30)
assert run.returncode == 7 and err == (
    "error: the ranks did not start within 1 s: of 4, 0 started and 0 joined "
    "the others\nnote: the environment variable PCC_START_SECONDS sets this "
    "limit (0: none)\n"), (run.returncode, err)
requireNothingLeft(job)
run = begin("toy-dp2-tp2", *RUN, env=dict(hangs, PCC_START_SECONDS="1m"))
out, err = run.communicate(timeout=30)
assert run.returncode == 2 and err == (
    "error: PCC_START_SECONDS: '1m' is not a number of seconds\n"), err

for first, second in (("SIGTERM", "SIGTERM"), ("SIGUSR1 SIGTERM", "SIGTERM"),
                      ("SIGTERM", "SIGINT"), ("", "SIGINT"), ("", "SIGQUIT")):
    run, job = hanging()
    for name in first.split():
        run.send_signal(getattr(signal, name))
        time.sleep(0.3)
        assert run.poll() is None
    run.send_signal(getattr(signal, second))
    out, err = run.communicate(timeout=20)
    assert run.returncode == 128 + getattr(signal, second), run.returncode
    assert err.count("\n") == bool(first), err
    requireNothingLeft(job)

# A start without any progress ends without a second signal.
run, job = hanging()
run.send_signal(signal.SIGTERM)
out, err = run.communicate(timeout=40)
assert run.returncode == 0 and err == (
    "warning: SIGTERM ended the ranks before they had all started\n"), err
requireNothingLeft(job)

# The deadline is paused while the job is stopped.
run, job = hanging(PCC_START_SECONDS="1.5")
run.send_signal(signal.SIGSTOP)
time.sleep(3)
run.send_signal(signal.SIGCONT)
time.sleep(0.3)
assert run.poll() is None
assert run.wait(timeout=20) == 7
requireNothingLeft(job)
