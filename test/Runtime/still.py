"""A rank that hangs ends the run, with an error that names it; a slow rank, or
a run that is stopped as a whole, does not.

A save of 30 s with --timeout 5, by hand in a folder with the output of
toy-files:
    SLOW_MS=2000 LD_PRELOAD=./still.so toy-dp2-tp2 --data tokens.bin \\
        --steps 1 --save slow --timeout 5

RUN: rm -rf %t && mkdir %t && cd %t && toy-files .
RUN: %cc -shared -fPIC -O1 %S/Inputs/still.c -o still.so -ldl
RUN: %cc -shared -fPIC -O1 %S/Inputs/strangers.c -o strangers.so -ldl
RUN: %python %s
"""

import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from runs import ranks, untilGone

ENDLESS = ["--data", "tokens.bin", "--steps", "1000000"]
SHORT = ["--data", "tokens.bin", "--steps", "2"]
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "4",
          "--mca", "mpi_yield_when_idle", "1"]


def start(*arguments, launcher=(), **environment):
    return subprocess.Popen(
        [*launcher, "toy-dp2-tp2", *arguments], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
        env=dict(os.environ, TOY_PAUSE_MS="10", OMPI_ALLOW_RUN_AS_ROOT="1",
                 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **environment))


def startEndless(*arguments, launcher=()):
    """Starts a run and waits for its first steps; returns it and its ranks."""
    if os.path.exists("log.json"):
        os.remove("log.json")
    run = start(*ENDLESS, "--log-json", "log.json", *arguments,
                launcher=launcher)
    deadline = time.time() + 60
    while not os.path.exists("log.json") or steps() < 50:
        assert time.time() < deadline and run.poll() is None, run.communicate()
        time.sleep(0.05)
    return run, ranks(run)


def steps():
    with open("log.json") as file:
        return len(file.readlines())


def finish(run, code):
    out, err = run.communicate(timeout=60)
    assert run.returncode == code, (run.returncode, err)
    return out, err


def checkStall(err, speaker, rank, what, why="nothing is heard of it"):
    found = re.findall(r"^(\[rank \d\]) error: (.*); all ranks end$", err,
                       re.M)
    assert len(found) == 1 and err.count("error:") == 1, err
    assert found[0][0] == f"[rank {speaker}]", err
    text = (rf"rank {rank} \(process \d+ on host {os.uname().nodename}\) has "
            rf"made no progress for [234] s, since \d+-\d+-\d+ [0-9:]+, in {what}")
    assert re.fullmatch(text, found[0][1]), (text, err)
    assert f"[rank {speaker}] note: {why}" in err, err
    assert f"; rank {speaker} is in '" in err, err


# A rank that is stopped while it trains, with and without a launcher.
for launcher, victim in ([], 3), ([], 0), (MPIRUN, 1):
    run, members = startEndless("--timeout", "2", launcher=launcher)
    os.kill(members[victim], signal.SIGSTOP)
    _, err = finish(run, 7)
    checkStall(err, int(victim == 0), victim, r"'.*' of step \d+")
    untilGone(members.values())

# A rank that is stopped while it loads or saves, and one that hangs without
# being stopped.
for how, victim, place, what in (
        ("stop", 1, "toy.bin", "'load of the weights' of the start"),
        ("hang", 2, "toy.bin", "'load of the weights' of the start"),
        ("stop", 1, "optim-rank-00001",
         "'flush optim-rank-00001.safetensors' of the save after step 2")):
    run = start(*SHORT, "--save", "save", "--timeout", "2",
                LD_PRELOAD="./still.so", STILL=how, STILL_RANK=str(victim),
                STILL_AT=place)
    _, err = finish(run, 7)
    checkStall(err, 0, victim, what, "its process runs, but neither"
               if how == "hang" else "nothing is heard of it")
    assert not os.path.exists("save/latest")

# A save that takes much longer than the timeout, with many slow writes or one
# slow flush.
for slow in {"SLOW_MS": "500"}, {"SLOW_FLUSH_MS": "5000"}:
    begin = time.time()
    run = start(*SHORT[:-1], "1", "--save", "slow" + [*slow][0], "--timeout",
                "2", LD_PRELOAD="./still.so", **slow)
    out, err = finish(run, 0)
    assert not err and "saved" in out, (out, err)
    assert time.time() - begin > 4

# All ranks are stopped for longer than the timeout, and continue one after
# another.
run, members = startEndless("--timeout", "2")
for process in members.values():
    os.kill(process, signal.SIGSTOP)
time.sleep(4)
before = steps()
for process in members.values():
    os.kill(process, signal.SIGCONT)
    time.sleep(0.3)
while steps() < before + 100:
    assert run.poll() is None, run.communicate()
    time.sleep(0.1)
run.send_signal(signal.SIGUSR1)
finish(run, 0)

# Without a timeout one rank may be stopped for any time.
run, members = startEndless("--timeout", "0")
os.kill(members[1], signal.SIGSTOP)
time.sleep(2.5)
before = steps()
assert run.poll() is None
os.kill(members[1], signal.SIGCONT)
while steps() < before + 10:
    time.sleep(0.05)
run.send_signal(signal.SIGUSR1)
finish(run, 0)

# Unauthenticated connections do not delay the start; on one host those of
# other users are rejected.
run = start(*SHORT, STRANGERS="strangers", launcher=[
    *MPIRUN, "-x", "LD_PRELOAD=./strangers.so", "--mca", "btl", "self,vader"])
out, err = finish(run, 0)
assert "cannot connect" not in err, err
with open("strangers") as file:
    assert set(file.readlines()) == {"127.0.0.1\n"}
