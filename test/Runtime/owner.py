"""One run owns a folder of checkpoints. On the same host a lock shows whether
the owner is running, on other hosts the time of its file.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files .
RUN: %cc -shared -fPIC -O1 %S/Inputs/unlocked.c -o unlocked.so -ldl
RUN: %cc -shared -fPIC -O1 %S/Inputs/full.c -o full.so -ldl
RUN: %python %s
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from checkpoints import latestStep, rows
from runs import until

OWNER = "run/.owner"
ENDLESS = ["--data", "tokens.bin", "--steps", "100000", "--lr", "1e-2",
           "--save", "run", "--save-every", "1", "--keep", "2"]
SHORT = ["--data", "tokens.bin", "--steps", "3", "--lr", "1e-2",
         "--save", "run"]


def start(program, *arguments, **environment):
    return subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, **environment))


def toy(*arguments, **environment):
    run = start("toy-1", *arguments, **environment)
    _, err = run.communicate(timeout=60)
    return run.returncode, err


def fresh():
    shutil.rmtree("run", ignore_errors=True)
    os.mkdir("run")


def owner():
    with open(OWNER) as file:
        return json.load(file)


def plant(age, **changes):
    """Leaves the file of another owner, `age` seconds old."""
    fresh()
    entry = {"host": "far", "boot": "another", "pid": 7, "job": "",
             "token": "0", **changes}
    with open(OWNER, "w") as file:
        json.dump(entry, file)
    os.utime(OWNER, (time.time() - age,) * 2)


# A second run with the same folder ends at its start; the first one continues.
for program in "toy-1", "toy-dp2-tp2":
    fresh()
    run = start(program, *ENDLESS)
    until(lambda: os.path.exists("run/latest"))
    code, err = toy(*SHORT)
    assert code == 8, (code, err)
    entry = owner()
    assert f"error: another run (pid {entry['pid']} on host " \
           f"{os.uname().nodename}) saves into 'run'" in err, err
    before = latestStep("run")
    until(lambda: latestStep("run") > before)
    # A killed run owns nothing.
    os.kill(entry["pid"], signal.SIGKILL)
    run.wait()
    until(lambda: not os.path.exists(f"/proc/{entry['pid']}"))
    assert os.path.exists(OWNER)
    code, err = toy("--resume", "run", *ENDLESS[2:], "--stop-after",
                    str(latestStep("run") + 2))
    assert code == 0, err
    # A run that has ended leaves no file.
    assert not os.path.exists(OWNER)

# An owner on another host, and a file system without locks: only the time of
# the file decides.
for environment in {}, {"LD_PRELOAD": "./unlocked.so"}:
    boot = {}
    if environment:
        with open("/proc/sys/kernel/random/boot_id") as file:
            boot = {"boot": file.read().strip()}
    plant(20, **boot)
    code, err = toy(*SHORT, **environment)
    assert code == 8, (code, err)
    assert "another run (pid 7 on host far) saves into 'run'" in err, err
    assert "note: it last updated its .owner file 2" in err, err
    assert os.listdir("run") == [".owner"], os.listdir("run")
    plant(70, **boot)
    code, err = toy(*SHORT, **environment)
    assert code == 0, err
    assert sorted(os.listdir("run")) == ["latest", "step-00000003"]
    # Slurm starts a job again after its processes have ended.
    plant(0, job="123", **boot)
    code, err = toy(*SHORT, SLURM_JOB_ID="123", **environment)
    assert code == 0, err
    plant(0, job="123", **boot)
    code, err = toy(*SHORT, SLURM_JOB_ID="124", **environment)
    assert code == 8, (code, err)

# The lock of a host that is down may remain, but the time of its file does not
# change.
plant(70)
holder = subprocess.Popen([sys.executable, "-c",
                           "import fcntl, sys, time\n"
                           "file = open(sys.argv[1])\n"
                           "fcntl.flock(file, fcntl.LOCK_EX)\n"
                           "print('locked', flush=True)\n"
                           "time.sleep(100)", OWNER], stdout=subprocess.PIPE)
holder.stdout.readline()
code, err = toy(*SHORT)
assert code == 0, err
holder.kill()
holder.wait()

# A file without a valid owner's text has no owner, and a link is not followed.
for text in "", "{", "[1, 2]", '{"pid": "x"}':
    fresh()
    with open(OWNER, "w") as file:
        file.write(text)
    code, err = toy(*SHORT)
    assert code == 0, err
fresh()
os.symlink("../mine", OWNER)
code, err = toy(*SHORT)
assert code == 8 and "cannot write 'run/.owner'" in err, err
assert not os.path.exists("mine")

# A run that lost its folder writes nothing more into it.
fresh()
run = start("toy-1", *ENDLESS)
until(lambda: os.path.exists("run/latest"))
entry = owner()
with open(OWNER + ".new", "w") as file:
    json.dump(dict(entry, pid=7, token="0"), file)
os.replace(OWNER + ".new", OWNER)
_, err = run.communicate(timeout=30)
assert run.returncode == 8, err
assert "error: another run (pid 7 on host" in err, err
assert "took the folder over" in err, err
latestStep("run")

# A folder that is deleted during a save is created again.
for program, file in (("toy-1", "model"), ("toy-1", "trainer_state"),
                      ("toy-pp2", "optim-rank-00001")):
    fresh()
    run = start(program, *SHORT, LD_PRELOAD="./full.so", FULL=file,
                GONE="while [ -e run ] && ! rm -r run; do :; done")
    _, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    assert sorted(os.listdir("run")) == ["latest", "step-00000003"]
    assert latestStep("run") == 3
