"""A compile and a verification that a signal ends leave no files.

RUN: rm -rf %t && mkdir %t && cd %t
RUN: (echo 'module attributes {pcc.phase = "nn"} {'; %python %root/test/Inputs/models/make.py gpt --layers 2 --batch 2 --seq 8 --vocab 37 --width 16 --inner 32; echo '}') > gpt.mlir
RUN: %python %s
"""

import os
import signal
import subprocess
import time

os.mkdir("tmp")
os.mkdir("out")
# A test that runs in the background may have it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)


def left():
    return sorted(os.listdir("tmp") + os.listdir("out"))


def files():
    return [name for _, _, names in os.walk("tmp") for name in names]


def interrupted(number, *command):
    """Whether the signal came while the command had an object file."""
    running = subprocess.Popen(["pcc", *command], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, TMPDIR="tmp"))
    while running.poll() is None and not any(n.endswith(".o") for n in files()):
        time.sleep(0.001)
    running.send_signal(number)
    _, errors = running.communicate()
    assert running.returncode in (0, -number), (running.returncode, errors)
    # The signal may come when the program is complete.
    is_done = running.returncode == 0
    if os.path.exists("out/train"):
        is_done = True
        subprocess.run(["out/train", "--info"], stdout=subprocess.DEVNULL,
                       check=True)
        os.remove("out/train")
    assert not left(), (number, command, left())
    return not is_done


for number, command in (
        (signal.SIGINT, ["gpt.mlir", "-q", "-o", "out/train"]),
        (signal.SIGTERM, ["gpt.mlir", "-q", "-o", "out/train"]),
        (signal.SIGHUP, ["gpt.mlir", "-q", "-o", "out/train"]),
        (signal.SIGTERM, ["verify", "gpt.mlir", "--dp", "2", "-q"])):
    # A busy machine may let the command end before the signal, each time: then
    # this run proves nothing.
    any(interrupted(number, *command) for _ in range(10))
