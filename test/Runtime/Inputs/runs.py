"""Runs of the toy programs that tests start, disturb and end."""

import glob
import os
import re
import signal
import subprocess
import sys
import time

# The environment variables of a rank's number, with mpirun or without.
RANK = re.compile(rb"(?:OMPI_COMM_WORLD_RANK|PCC_RANK)=(\d+)")


def begin(*command, **options):
    """Starts a program; its stdout and stderr are pipes unless given."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
               "text": True, **options}
    # A shell's background jobs and nohup's, such as a test may be, ignore them.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    return subprocess.Popen(command, **options)


def run(*command, **environment):
    """(exit code, stdout, stderr) of a program."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, timeout=120,
                          env=dict(os.environ, **environment))
    return done.returncode, done.stdout, done.stderr


def good(*command, **environment):
    """The output of a program that exits with 0."""
    code, out, err = run(*command, **environment)
    assert code == 0, (code, out, err)
    return out


def requireEqual(*logs):
    """The logs of training runs agree."""
    compare = os.path.join(os.path.dirname(__file__), "compare.py")
    good(sys.executable, compare, "--relative", "2e-6", *logs)


def until(holds, seconds=30, pause=0.01, state=lambda: "it never came"):
    """Waits for a condition; `state` is printed if the wait fails."""
    deadline = time.time() + seconds
    while not holds():
        assert time.time() < deadline, state()
        time.sleep(pause)


def stateOf(process):
    """The letter of /proc/PID/stat; Z for a process that is gone, too."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


def untilWatching(run):
    """Waits until a run handles SIGTERM, shortly after its start."""
    def watches():
        with open(f"/proc/{run.pid}/status") as file:
            masks = dict(line.split(":", 1) for line in file)
        return any(int(masks[name], 16) >> signal.SIGTERM - 1 & 1
                   for name in ("SigCgt", "SigBlk"))
    until(watches)


# The environment variable of the processes of a job.
JOB = re.compile(rb"(?:^|\0)PCC_JOB=([^\0]+)")


def environments():
    """(process, its environment) of all processes that can be read."""
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                yield int(path.split("/")[2]), file.read()
        except OSError:
            continue


def parentOf(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def jobOf(run):
    """The name of the job that this parent started; None: not yet."""
    for process, text in environments():
        match = JOB.search(text)
        if match and parentOf(process) == run.pid:
            return match[1]
    return None


def processes(job):
    """{process: its rank, None for processes that start ranks} of a job."""
    found = {}
    for process, text in environments():
        match = JOB.search(text)
        if match and match[1] == job:
            rank = RANK.search(text)
            found[process] = int(rank[1]) if rank else None
    return found


def requireNothingLeft(job):
    """Requires that no processes of an ended job remain, and no files."""
    until(lambda: not processes(job), 5)
    assert not glob.glob("/dev/shm/*pcc*"), glob.glob("/dev/shm/*")


def ranks(run):
    """{rank: process} of the ranks whose ancestor is the run, under any
    launcher."""
    parents, found = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parents[int(name)] = int(file.read().rsplit(")", 1)[1]
                                         .split()[1])
            with open(f"/proc/{name}/environ", "rb") as file:
                match = RANK.search(file.read())
        except OSError:
            continue
        if match:
            found[int(name)] = int(match[1])

    def below(process):
        while process > 1:
            if process == run.pid:
                return True
            process = parents.get(process, 0)
        return False

    return {rank: process for process, rank in found.items()
            if below(process)}


def untilGone(processes):
    until(lambda: all(stateOf(process) == "Z" for process in processes), 10)


def rows(path):
    """The number of lines of a log."""
    if not os.path.exists(path):
        return 0
    with open(path) as file:
        return file.read().count("\n")
