"""Ends runs of the toy program in several ways.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files . && %python %s
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from runs import ranks, until, untilGone


def start(*arguments, launcher=()):
    command = [*launcher, "toy-dp2-tp2", "--data", "tokens.bin", "--steps",
               "100000", "--log-json", "log.json", *arguments]
    environment = dict(os.environ, TOY_PAUSE_MS="10",
                       OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    run = subprocess.Popen(command, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, env=environment)
    deadline = time.time() + 30
    while not os.path.exists("log.json") or not os.path.getsize("log.json"):
        assert time.time() < deadline and run.poll() is None, run.communicate()
        time.sleep(0.02)
    return run


def finish(run):
    out, err = run.communicate(timeout=20)
    os.remove("log.json")
    return out, err


# A rank that is killed ends all others with one message and code 7.
for victim in (0, 3):
    run = start()
    members = ranks(run)
    assert sorted(members) == [0, 1, 2, 3], members
    begin = time.time()
    os.kill(members[victim], signal.SIGKILL)
    out, err = finish(run)
    assert time.time() - begin < 10
    assert run.returncode == 7, (run.returncode, err)
    assert err.count("error:") == 1, err
    assert (f"error: rank {victim} (process {members[victim]}) was lost: "
            "killed by signal 9 (Killed); all other ranks were ended") in err
    untilGone(members.values())

# Also under a launcher that would not end the others.
mpirun = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "4",
          "--mca", "mpi_yield_when_idle", "1"]
for victim in (0, 3):
    run = start(launcher=[*mpirun, "--enable-recovery"])
    members = ranks(run)
    os.kill(members[victim], signal.SIGKILL)
    untilGone(members.values())
    out, err = finish(run)
    assert err.count("error:") == 1, err
    speaker = 1 if victim == 0 else 0
    assert (f"[rank {speaker}] error: rank {victim} was lost; all other ranks "
            "end") in err, err

# A signal to each rank under a launcher ends the run after a step.
run = start(launcher=mpirun)
run.send_signal(signal.SIGUSR1)
out, err = finish(run)
assert run.returncode == 0 and "error" not in err, (run.returncode, err)
assert "stopped by SIGUSR1" in out

# The parent or the launcher of the ranks is killed: all ranks end.
run = start()
members = ranks(run)
run.kill()
untilGone(members.values())
finish(run)

run = start()
members = ranks(run)
with open(f"/proc/{members[0]}/stat") as file:
    starter = int(file.read().rsplit(")", 1)[1].split()[1])
os.kill(starter, signal.SIGKILL)
out, err = finish(run)
assert run.returncode == 7, run.returncode
assert re.search(r"the process that started it was killed by signal 9", err), err
untilGone(members.values())

# SIGTERM and SIGUSR1 end after a step, with a checkpoint and code 0.
for number in (signal.SIGTERM, signal.SIGUSR1):
    folder = f"ckpt-{number}"
    run = start("--save", folder)
    time.sleep(0.2)
    run.send_signal(number)
    out, err = finish(run)
    assert run.returncode == 0 and not err, (run.returncode, out, err)
    step = int(re.search(r"stopped by \S+ after step (\d+)$", out.strip(),
                         re.M)[1])
    with open(f"{folder}/step-{step:08d}/trainer_state.json") as file:
        assert json.load(file)["step"] == step

# A run that is killed while it saves leaves a checkpoint from which another run
# continues.
for pause in (0.1, 0.13, 0.17):
    often = f"often-{pause}"
    run = start("--save", often, "--save-every", "1", "--keep", "2")
    until(lambda: os.path.exists(f"{often}/latest"))
    time.sleep(pause)
    for process in ranks(run).values():
        # The launcher ends the others when it notices that one has ended.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    finish(run)
    with open(f"{often}/latest") as file:
        step = int(file.read().strip().removeprefix("step-"))
    subprocess.run(["toy-dp2-tp2", "--resume", often, "--save", often,
                    "--stop-after", str(step + 2)], check=True,
                   stdout=subprocess.DEVNULL)
    names = os.listdir(often)
    assert f"step-{step + 2:08d}" in names
    assert not any(name.startswith(".") for name in names), names

# Ctrl-C ends at once.
run = start()
members = ranks(run)
run.send_signal(signal.SIGINT)
finish(run)
assert run.returncode == 130, run.returncode
untilGone(members.values())
