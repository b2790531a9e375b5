"""Sends signals to runs at unusual moments, stops and continues them, and
closes their output. With PCC_TEST_ALL=1 at more moments, and every program with
each pair of signals.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files . && %python %s
"""

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from runs import (begin, jobOf, processes, requireNothingLeft, rows,
                  stateOf, until, untilWatching)

ALL = bool(os.environ.get("PCC_TEST_ALL"))
ENDLESS = ["--data", "tokens.bin", "--steps", "10000000"]
SLOW = dict(os.environ, TOY_PAUSE_MS="20")
BEFORE = "stopped by {} before the first step; nothing to save\n"


def logged(program, *arguments, **options):
    """Starts an endless run and waits for its first steps."""
    if os.path.exists("log.json"):
        os.remove("log.json")
    run = begin(program, *ENDLESS, "--log-json", "log.json", *arguments,
                env=SLOW, **options)
    until(lambda: rows("log.json") > 1 or run.poll() is not None)
    assert run.poll() is None, run.communicate()
    return run


def finish(run, code, seconds=20):
    out, err = run.communicate(timeout=seconds)
    assert run.returncode == code, (run.returncode, out, err)
    return out, err


def isFull(pipe):
    """Whether a pipe holds all it can, and nothing more comes."""
    def held():
        count = fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0")
        return int.from_bytes(count, sys.byteorder)
    before = held()
    time.sleep(0.5)
    return held() == before > 60000


# Signals right after the start are remembered until the ranks run, and reported
# by the name that was sent.
FIRST = [("toy-1", signal.SIGTERM, 0), ("toy-dp2-tp2", signal.SIGHUP, 0),
         ("toy-dp2-tp2", signal.SIGUSR1, 0.06),
         ("toy-dp2-tp2", signal.SIGTERM, 0.2)]
if ALL:
    FIRST += [("toy-1", signal.SIGHUP, 0.01), ("toy-dp2-tp2", signal.SIGTERM, 0),
              ("toy-dp2-tp2", signal.SIGHUP, 0.03),
              ("toy-dp2-tp2", signal.SIGHUP, 0.1)]
for program, number, delay in FIRST:
    run = begin(program, *ENDLESS, env=SLOW)
    untilWatching(run)
    time.sleep(delay)
    run.send_signal(number)
    out, err = finish(run, 0)
    assert not err, err
    name = signal.Signals(number).name
    assert re.search(rf"stopped by {name} (before the first|after) step",
                     out), (program, out)

# Before the first step nothing is saved, also if the weights came from a
# checkpoint. A named pipe blocks the run before its first step.
subprocess.run(["toy-1", "--data", "tokens.bin", "--steps", "9", "--save",
                "some", "--stop-after", "2"], check=True, capture_output=True)
os.mkfifo("gate")
run = begin("toy-1", "--resume", "some", "--save", "some", "--log-json", "gate")
untilWatching(run)
run.send_signal(signal.SIGTERM)
gate = os.open("gate", os.O_RDONLY | os.O_NONBLOCK)
out, err = finish(run, 0)
os.close(gate)
assert not err and out.endswith(BEFORE.format("SIGTERM")), (out, err)
assert [name for name in os.listdir("some") if name.startswith("step-")] == \
    ["step-00000002"]

# SIGHUP ends with a checkpoint, but not under nohup.
for program in ("toy-1", "toy-dp2-tp2"):
    run = logged(program, "--save", f"hup-{program}")
    run.send_signal(signal.SIGHUP)
    out, err = finish(run, 0)
    step = int(re.search(r"^stopped by SIGHUP after step (\d+)$", out, re.M)[1])
    assert os.path.exists(f"hup-{program}/step-{step:08d}"), (out, err)
    run = logged(program, preexec_fn=lambda: signal.signal(signal.SIGHUP,
                                                           signal.SIG_IGN))
    run.send_signal(signal.SIGHUP)
    before = rows("log.json")
    until(lambda: rows("log.json") > before + 3)
    run.send_signal(signal.SIGTERM)
    assert "stopped by SIGTERM" in finish(run, 0)[0]

# Batch systems send signals to all processes of a job.
run = logged("toy-dp2-tp2", "--save", "batch")
for process in [run.pid, *processes(jobOf(run))]:
    os.kill(process, signal.SIGTERM)
out, err = finish(run, 0)
assert "stopped by SIGTERM after" in out and not err, (out, err)
assert os.path.exists("batch/latest")

# timeout sends the signal to the process and to its group.
run = begin("timeout", "1", "toy-dp2-tp2", *ENDLESS, "--save", "timed",
            env=SLOW)
out, err = finish(run, 124)
assert "stopped by SIGTERM" in out and not err, (out, err)

# A second signal immediately ends a run that does not stop.
for program in ("toy-1", "toy-dp2-tp2"):
    pairs = [("SIGTERM", "SIGTERM"), ("SIGUSR1", "SIGINT")]
    if not ALL:
        pairs = pairs[:1] if program == "toy-1" else pairs[1:]
    for first, second in pairs:
        # The run blocks because its lines are not read.
        run = begin(program, *ENDLESS)
        until(lambda: isFull(run.stdout))
        job = jobOf(run)
        for process in processes(job) if job else ():
            os.kill(process, signal.SIGSTOP)
        run.send_signal(getattr(signal, first))
        time.sleep(0.3)
        assert run.poll() is None
        begun = time.time()
        number = getattr(signal, second)
        run.send_signal(number)
        out, err = run.communicate(timeout=20)
        # Ctrl-C ends a single process like other programs.
        code = -number if program == "toy-1" and second == "SIGINT" \
            else 128 + number
        assert run.returncode == code, (program, first, second, run.returncode)
        assert time.time() - begun < 10
        if job:
            assert err == (f"warning: {second} ended the ranks before they had "
                           "stopped\n"), err
            requireNothingLeft(job)

# A slow reader is not a rank that hangs.
run = begin("toy-dp2-tp2", *ENDLESS, "--timeout", "1")
until(lambda: isFull(run.stdout))
time.sleep(2)
run.send_signal(signal.SIGTERM)
out, err = finish(run, 0)
assert "stopped by SIGTERM" in out and not err, err

# The parent is killed while its job is stopped: all processes end.
run = logged("toy-dp2-tp2")
job = jobOf(run)
members = processes(job)
assert sorted(members.values(), key=str) == [0, 1, 2, 3, None], members
for process in members:
    os.kill(process, signal.SIGSTOP)
run.kill()
finish(run, -signal.SIGKILL)
until(lambda: not processes(job), 10)

# Ctrl-Z in a shell stops all ranks, fg continues them, Ctrl-C ends them.
for program in ("toy-dp2-tp2", "toy-1"):
    if os.path.exists("log.json"):
        os.remove("log.json")
    shell, terminal = pty.fork()
    if shell == 0:
        os.environ.update(PS1="$ ", TOY_PAUSE_MS="20", TERM="dumb")
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])

    def shown(pattern, text=""):
        """Reads what the terminal shows until it shows this."""
        deadline = time.time() + 30
        while not re.search(pattern, text):
            assert time.time() < deadline, text
            text += os.read(terminal, 4096).decode()
        return text

    def typed(text):
        os.write(terminal, text.encode())

    typed(f"{program} {' '.join(ENDLESS)} --log-json log.json "
          "--log-every 9 --timeout 1\n")
    shown(r"step +9/")
    with open(f"/proc/{shell}/task/{shell}/children") as file:
        parent, = map(int, file.read().split())
    members = [parent]
    if program != "toy-1":
        class Parent:
            pid = parent
        members += processes(jobOf(Parent))
        assert len(members) == 6, members
    for again in range(2):
        typed("\x1a")
        shown("Stopped")
        until(lambda: all(stateOf(member) == "T" for member in members), 5)
        before = rows("log.json")
        time.sleep(2.5 if again == 0 else 0.3)
        assert rows("log.json") == before
        typed("fg\n" if again == 0 else "bg\n")
        until(lambda: rows("log.json") > before + 3)
    typed("fg\n")
    until(lambda: os.tcgetpgrp(terminal) == parent)
    typed("\x03")
    until(lambda: all(stateOf(member) == "Z" for member in members), 10)
    typed("echo code $?\n")
    shown("code 130")
    typed("exit\n")
    os.waitpid(shell, 0)
    os.close(terminal)

# If the reader of its lines goes away, a run without other outputs ends.
for program in ("toy-1", "toy-dp2-tp2"):
    run = begin(program, *ENDLESS, env=SLOW)
    run.stdout.readline()
    job = jobOf(run)
    run.stdout.close()
    assert run.wait(timeout=20) == 0
    assert run.stderr.read() == ""
    if job:
        requireNothingLeft(job)
    # A run that saves or writes a log continues, with one warning.
    for option in ("--save",) if job else ("--log-json",
                                              "--tensorboard-dir"):
        run = begin(program, "--data", "tokens.bin", "--steps", "40", option,
                    f"kept{option}", env=SLOW)
        run.stdout.readline()
        run.stdout.close()
        assert run.wait(timeout=20) == 0
        err = run.stderr.read()
        assert err.count("\n") == 1 and err.endswith(
            "warning: standard output was closed; the run continues without "
            "output\n"), err
    # A full disk under stdout is an error, not a reader that goes away.
    with open("/dev/full", "w") as full:
        run = begin(program, "--data", "tokens.bin", "--steps", "4",
                    stdout=full)
        assert finish(run, 8)[1].endswith(
            "error: cannot write to standard output: No space left on "
            "device\n")
        run = begin(program, "--data", "tokens.bin", "--steps", "4",
                    "--log-json", "full.json", stdout=full)
        assert "continues without output" in finish(run, 0)[1]
    # Without stdout, no file of the run gets its descriptor number.
    run = begin("sh", "-c", f"{program} --data tokens.bin --steps 4 "
                f"--log-json none.json --save none-{program} >&-")
    assert finish(run, 0) == ("", "")
    with open("none.json") as file:
        assert [json.loads(line)["step"] for line in file] == [1, 2, 3, 4]

assert os.path.exists("kept--save/step-00000040")
assert rows("kept--log-json") == 40

for option in ("--help", "--info"):
    readEnd, writeEnd = os.pipe()
    os.close(readEnd)
    run = begin("toy-1", option, stdout=writeEnd)
    os.close(writeEnd)
    assert finish(run, 0) == (None, "")
