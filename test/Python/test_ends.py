"""No rank outlives Python, however it ends; orderly ends write checkpoints."""

import os
import signal
import subprocess
import time

import pytest
from conftest import DATA, ENDLESS, step_of, until

BEGIN = f"""
import os, signal, sys, threading, time
import pcc
def train(**flags):
    return pcc.Program(sys.argv[1]).train(data={DATA!r}, steps={ENDLESS},
                                          save="saved", **flags)
"""
LOOP = BEGIN + """
for step in train():
    if step.step == 2:
        print("runs", flush=True)
"""
# The loop's body is where the exception is raised.
BODY = BEGIN + """
run = train()
for step in run:
    print("runs", flush=True)
    time.sleep(1000)
"""
THREAD = BEGIN + """
def loop():
    for step in train():
        if step.step == 2:
            print("runs", flush=True)
threading.Thread(target=loop, daemon=True).start()
time.sleep(1000)
"""
# A child that Python forks holds all of its descriptors.
FORK = BEGIN + """
run = train()
next(run)
if not os.fork():
    os.close(1)
    os.close(2)
    time.sleep(1000)
print("runs", flush=True)
time.sleep(1000)
"""
COMPILE = """
import os, sys, pcc
os.environ["PCC"] = os.path.abspath("pcc")
pcc.compile("model.onnx", "train")
"""


def begin(marked, code, program):
    python = marked.python(code, program.path)
    # A shell's background jobs, such as a test may be, ignore SIGINT.
    line = python.stdout.readline()
    assert line == "runs\n", (line, python.stderr.read())
    return python


@pytest.mark.parametrize("code, number, ended", [
    (LOOP, signal.SIGINT, -signal.SIGINT),
    (BODY, signal.SIGINT, -signal.SIGINT),
    (LOOP, signal.SIGTERM, 143),
    (BODY, signal.SIGHUP, 129),
], ids=["SIGINT", "SIGINT in the body", "SIGTERM", "SIGHUP in the body"])
def test_orderly(code, number, ended, program, marked):
    begun = begin(marked, "import signal; signal.signal(signal.SIGINT, "
                  "signal.default_int_handler)\n" + code, program)
    # As Ctrl-C on a terminal and a closing terminal do.
    os.killpg(begun.pid, number)
    _, errors = begun.communicate(timeout=30)
    assert begun.returncode == ended, errors
    assert not marked.processes()
    with open("saved/latest") as file:
        assert step_of(file.read().strip()) >= 1


@pytest.mark.parametrize("code, number", [
    (LOOP, signal.SIGKILL), (THREAD, signal.SIGKILL), (THREAD, signal.SIGTERM),
    (FORK, signal.SIGKILL)],
    ids=["SIGKILL", "SIGKILL, thread", "SIGTERM, thread", "SIGKILL, fork"])
def test_at_once(code, number, program, marked):
    begun = begin(marked, code, program)
    assert len(marked.processes()) >= 4
    os.kill(begun.pid, number)
    begun.communicate(timeout=20)
    assert begun.returncode == -number
    # Only the fork remains.
    until(lambda: len(marked.processes()) == (code is FORK))


def test_exit_of_python(program, marked):
    begun = begin(marked, BEGIN + """
run = train()
next(run)
print("runs", flush=True)
""", program)
    _, errors = begun.communicate(timeout=30)
    assert begun.returncode == 0 and not errors
    assert not marked.processes() and os.path.exists("saved/latest")


def test_second_interrupt(program, marked):
    """Ctrl-C while the run writes its checkpoint ends it at once."""
    begun = begin(marked, BEGIN + """
signal.signal(signal.SIGINT, signal.default_int_handler)
run = train()
next(run)
# It cannot end.
os.kill(run._child._process.pid, signal.SIGSTOP)
print("runs", flush=True)
run.close()
""", program)
    # The first one may come before the run writes its checkpoint.
    for _ in range(300):
        if begun.poll() is not None:
            break
        begun.send_signal(signal.SIGINT)
        time.sleep(0.1)
    _, errors = begun.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors
    assert not marked.processes()


@pytest.mark.parametrize("code", [COMPILE, COMPILE.replace(
    'compile("model.onnx", "train")', 'verify("model.onnx")')],
    ids=["compile", "verify"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM,
                                    signal.SIGINT])
def test_compile(number, code, marked):
    """pcc gets a signal on which it removes its unfinished files."""
    with open("pcc", "w") as file:
        file.write('#!/bin/sh\ncase "$*" in *--help*) echo "  --tp=<N> - size" ;;'
                   # A second signal must not end rm.
                   "\n*) trap 'trap \"\" TERM; rm begun; exit' TERM; sleep 1000 & "
                   "touch begun; wait; esac\n")
    os.chmod("pcc", 0o755)
    begun = marked.python("import signal; signal.signal(signal.SIGINT, "
                          "signal.default_int_handler)\n" + code)
    until(lambda: os.path.exists("begun"))
    begun.send_signal(number)
    try:
        begun.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        pytest.fail("it did not end")
    marked.wait_until_gone(60)
    assert not os.path.exists("begun")
