"""Runs under Slurm: srun over several hosts, mpirun in a batch job, signals,
and the batch script of docs/Clusters.md, which requeues and resumes itself.

REQUIRES: slurm
RUN: rm -rf %t && mkdir %t && cd %t && %build/test/Runtime/bin/toy-files .
RUN: %root/scripts/hosts --slurm %python %s %root %build 2>&1
"""

import functools
import os
import re
import shutil
import subprocess
import sys
import time

root, build = sys.argv[1:]
sys.path.insert(0, f"{root}/test/Runtime/Inputs")
from checkpoints import latestStep, rows
from runs import good, requireEqual, run, until as untilSoon

# As docs/Clusters.md says.
os.environ["SLURM_PMIX_FENCE"] = "ring"
until = functools.partial(untilSoon, seconds=90, pause=0.1,
                          state=lambda: good("scontrol", "show", "job"))

TOY = ["./train", "--data", "tokens.bin", "--lr", "1e-2"]
SRUN = ["srun", "--mpi=pmix", "-N", "3", "-n", "4"]
shutil.copy(f"{build}/test/Runtime/bin/toy-dp2-tp2", "train")
os.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"


def stateOf(job):
    return good("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").strip()


def begin(log, *words):
    """Starts TOY by srun; returns when its log has a row."""
    with open(f"{log}.err", "w") as err:
        process = subprocess.Popen(
            [*SRUN, *TOY, "--steps", "100000", "--log-json", log, *words],
            stdout=subprocess.PIPE, stderr=err, text=True,
            env=dict(os.environ, TOY_PAUSE_MS="20"))

    def hasRow():
        told = read(err.name)
        assert process.poll() is None and "error" not in told, told
        return os.path.exists(log) and rows(log)
    until(hasRow)
    return process


def settle():
    """Waits for a free cluster. Slurm counts whole seconds: a job that starts
    in the second in which another one ends may be mistaken for it, and hang."""
    until(lambda: not good("squeue", "-h"))
    time.sleep(1.1)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def read(path):
    with open(path) as file:
        return file.read()


# The same curves; without PMIx an error with the right command.
good(*TOY, "--steps", "12", "--log-json", "one.json")
out = good(*SRUN, *TOY, "--steps", "12", "--log-json", "srun.json")
assert "found srun: joined 4 ranks" in out, out
code, _, err = run("srun", "-N", "2", "-n", "4", *TOY)
assert code == 3 and "start it with 'srun --mpi=pmix -n 4'" in err, (code, err)
write("mpirun.sh", "#!/bin/sh\nmpirun --bind-to none -n 4 " + " ".join(TOY)
      + " --steps 12 --log-json mpirun.json\n")
good("sbatch", "-W", "-N", "2", "-n", "4", "mpirun.sh")
requireEqual("one.json", "srun.json", "mpirun.json")

settle()
# A stopped rank that is alone on its host, where no other rank can end it.
still = begin("still.json", "--timeout", "3")
good("host", "node3", "pkill -STOP -x train")
still.communicate(timeout=60)
err = read("still.json.err")
assert still.returncode == 7, (still.returncode, err)
assert re.search(r"on host node3\) has made no progress for [345] s, since", err), err
good("host", "node3", "! pgrep -x train")

# The signals that Slurm sends at the time limit, and scancel's.
for words, name in (["-s", "USR1"], "SIGUSR1"), ([], "SIGTERM"):
    settle()
    stopped = begin(f"{name}.json", "--save", name)
    job, = good("squeue", "-h", "-o", "%i").split()
    good("scancel", *words, job)
    out, _ = stopped.communicate(timeout=60)
    assert f"stopped by {name} after step" in out, \
        (out, read(f"{name}.json.err"))
    assert latestStep(name) == max(rows(f"{name}.json"))

# The batch script of the documentation: it survives the loss of a rank and of
# the host that saved, and ends when all steps are done.
text = read(f"{root}/docs/Clusters.md")
begin = text.index("    #!/bin/bash\n")
script = "".join(line[4:] + "\n" for line in
                 text[begin:text.index("\n\n", begin)].split("\n"))
assert "steps=10000\n" in script and "--save-every 100 " in script, script
script = script.replace("steps=10000", "steps=120")
script = script.replace("--save-every 100 ", "--save-every 10 "
                        "--lr 1e-2 --log-json batch.json ")
write("job.sh", script)
good(*TOY, "--steps", "120", "--log-json", "whole.json")
job = good("sbatch", "--parsable", "-w", "node2,node3", "-o", "batch.out",
           "--export=ALL,TOY_PAUSE_MS=50", "job.sh").strip()
until(lambda: os.path.exists("run/latest"))
good("host", "node3", "pkill -9 -x train")
until(lambda: stateOf(job) == "PENDING")
first = latestStep("run")
# Slurm waits two minutes before it restarts a job, unless told otherwise. A job
# that starts in the second of its end is mistaken for the ended one.
time.sleep(3)
good("scontrol", "update", f"JobId={job}", "StartTime=now")
until(lambda: latestStep("run") > first)
good("host", "--kill", "node2")
until(lambda: stateOf(job) == "PENDING")
second = latestStep("run")
time.sleep(3)
assert first < second < 120, (first, second)
good("scontrol", "update", f"JobId={job}", "NodeList=", "StartTime=now")
until(lambda: stateOf(job) not in ("PENDING", "CONFIGURING", "RUNNING",
                                   "COMPLETING"))
out = read("batch.out")
assert stateOf(job) == "COMPLETED", out
assert f"resumed    run/step-{first:08d}, {first} steps done" in out, out
assert f"resumed    run/step-{second:08d}, {second} steps done" in out, out
whole, again = rows("whole.json"), rows("batch.json")
assert sorted(again) == list(range(1, 121)), sorted(again)
for step in range(1, 121):
    difference = abs(again[step][0] - whole[step][0])
    assert difference <= 2e-6 * whole[step][0], step
