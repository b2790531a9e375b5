"""Runs over three hosts under mpirun: the same curves as on one host, the loss
of a host, and a second run on another host.

REQUIRES: hosts
RUN: rm -rf %t && mkdir %t && cd %t && %build/test/Runtime/bin/toy-files .
RUN: pcc %root/examples/gpt2/gpt2.onnx --tp 2 --dp 3 --global-batch-size 12 \
RUN:   -q -o gpt2
RUN: %cc -shared -fPIC -O1 %root/test/Runtime/Inputs/strangers.c \
RUN:   -o strangers.so -ldl
RUN: %root/scripts/hosts %python %s %root %build 2>&1
"""

import functools
import os
import re
import subprocess
import sys
import time

root, build = sys.argv[1:]
sys.path.insert(0, f"{root}/test/Runtime/Inputs")
from checkpoints import latestStep, rows
from runs import good, requireEqual, run, until as untilSoon

until = functools.partial(untilSoon, seconds=60, pause=0.05)

# The hosts share the cores: ranks that wait yield them.
MPIRUN = ["mpirun", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
THREE = ["--host", "node1:1,node2:2,node3:1", "-n", "4"]
SIX = ["--host", "node1:2,node2:2,node3:2", "-n", "6"]
TWO = ["--host", "node1:2,node2:2", "-n", "4"]
TOY = [f"{build}/test/Runtime/bin/toy-dp2-tp2", "--data", "tokens.bin",
       "--lr", "1e-2"]
GPT2 = ["./gpt2", "--data", f"{root}/examples/data/gpl-3.bin", "--steps", "8"]


def ranksOn(host):
    return good("host", host, "pgrep -x toy-dp2-tp2 || true").split()


# The same curves wherever the ranks run.
good(*TOY, "--steps", "12", "--log-json", "toy-1-host.json")
out = good(*MPIRUN, *THREE, *TOY, "--steps", "12", "--log-json",
           "toy-3-hosts.json")
assert "found Open MPI's mpirun: joined 4 ranks" in out, out
requireEqual("toy-1-host.json", "toy-3-hosts.json")
good(*GPT2, "--log-json", "gpt2-1-host.json")
good(*MPIRUN, *SIX, *GPT2, "--log-json", "gpt2-3-hosts.json")
requireEqual("gpt2-1-host.json", "gpt2-3-hosts.json")

# The loss of a host ends the run on all hosts, with a message. The last
# checkpoint resumes on the other hosts.
good(*TOY, "--steps", "60", "--log-json", "whole.json")
saves = ["--save", "run", "--save-every", "10", "--log-json", "log.json"]
lost = subprocess.Popen([*MPIRUN, *THREE, *TOY, "--steps", "60", *saves],
                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                        text=True, env=dict(os.environ, TOY_PAUSE_MS="50"))
until(lambda: os.path.exists("run/latest"))
assert len(ranksOn("node2")) == 2
good("host", "--kill", "node3")
_, err = lost.communicate(timeout=60)
assert lost.returncode != 0
assert "rank 3 was lost" in err or "lost communication" in err, err
until(lambda: not ranksOn("node1") and not ranksOn("node2"), seconds=20)
done = latestStep("run")
assert 10 <= done < 60, done
good(*MPIRUN, *TWO, *TOY, "--resume", "run", *saves)
whole, again = rows("whole.json"), rows("log.json")
assert sorted(again) == list(range(1, 61)), sorted(again)
for step in range(1, 61):
    difference = abs(again[step][0] - whole[step][0])
    assert difference <= 2e-6 * whole[step][0], step
good("host", "--start", "node3")

# A stopped rank that is alone on its host: the last rank, and rank 0.
for host, rank, speaker in ("node3", 3, 0), ("node1", 0, 1):
    still = subprocess.Popen(
        [*MPIRUN, *THREE, *TOY, "--steps", "100000", "--log-json", "still.json",
         "--timeout", "3"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, env=dict(os.environ, TOY_PAUSE_MS="20"))
    until(lambda: os.path.exists("still.json") and rows("still.json"))
    good("host", host, "pkill -STOP -x toy-dp2-tp2")
    _, err = still.communicate(timeout=60)
    assert still.returncode == 7, (still.returncode, err)
    assert re.search(rf"\[rank {speaker}\] error: rank {rank} \(process \d+ on "
                     # Its operation is that of its last heartbeat. The report
                     # comes when the last of the others is stalled, too.
                     rf"host {host}\) has made no progress for [345] s, since .*, in "
                     r"(('.*' of )?the start|'.*' of step)", err), err
    assert err.count("error:") == 1, err
    until(lambda: not any(map(ranksOn, ["node1", "node2", "node3"])),
          seconds=20)
    os.remove("still.json")

# Ranks listen at the addresses by which the hosts reach each other. (Open MPI
# listens at all addresses; an unauthenticated connection would delay it.)
good(*MPIRUN, "-x", "LD_PRELOAD=./strangers.so", "-x", "STRANGERS=strangers",
     "-x", "STRANGERS_COUNT=0", *THREE, *TOY, "--steps", "2")
with open("strangers") as file:
    assert set(file.read().split()) == {
        "10.77.0.1", "10.77.0.2", "10.77.0.3", "0.0.0.0"}

# A network that fails. mpirun itself waits for its daemon on that host.
with open("cut.txt", "w") as file:
    cut = subprocess.Popen(
        [*MPIRUN, *THREE, *TOY, "--steps", "100000", "--log-json", "cut.json",
         "--timeout", "3"], stdout=subprocess.DEVNULL, stderr=file,
        env=dict(os.environ, TOY_PAUSE_MS="20"))
until(lambda: os.path.exists("cut.json") and rows("cut.json"))
good("host", "--cut", "node3")
until(lambda: not any(map(ranksOn, ["node1", "node2", "node3"])),
      seconds=30)
with open("cut.txt") as file:
    text = file.read()
    assert re.search(r"on host node3\) has made no progress for [345] s", text), text
cut.kill()
cut.wait()
good("host", "--mend", "node3")

# A run on another host refuses a folder whose owner runs, or may still run.
one = f"{build}/test/Runtime/bin/toy-1 --data tokens.bin --save shared"
endless = f"{one} --steps 100000 --save-every 1 --keep 2"
owner = subprocess.Popen(["host", "node2", f"{endless} >/dev/null 2>&1"])
until(lambda: os.path.exists("shared/latest"))
code, _, err = run("host", "node3", f"{one} --steps 3")
assert code == 8 and "on host node2) saves into 'shared'" in err, (code, err)
good("host", "--kill", "node2")
assert owner.wait() != 0
# A heartbeat may still be on its way: the run refuses the folder for 60 s,
# which the test skips by changing the file's time.
code, _, err = run("host", "node3", f"{one} --steps 3")
assert code == 8 and "it last updated its .owner file" in err, (code, err)
os.utime("shared/.owner", (time.time() - 70,) * 2)
last = latestStep("shared") + 2
resumed = one.replace("--data tokens.bin", "--resume shared")
good("host", "node3", f"{resumed} --stop-after {last}")
assert latestStep("shared") == last
