# --moe-capacity on ep 4: token ids choose experts, evenly in two steps, and all
# the same expert in the third. Without a capacity, and with one in the steps
# that it has room for, losses are equal. Beyond it a run ends with exit code 5,
# also in fp16, where NaN would only lower the loss scale, and in an evaluation;
# the last checkpoint is that of the step before.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %root %t

import json
import os
import subprocess
import sys

import numpy as np

root, work = sys.argv[1:]
BATCH, SEQ, VOCAB, STEPS = 64, 16, 24, 4
os.chdir(work)
tokens = np.random.default_rng(0).integers(0, VOCAB, STEPS * BATCH * SEQ + 1)
tokens[2 * BATCH * SEQ:3 * BATCH * SEQ] = 3
header = np.zeros(256, "<i4")
header[:3] = 20240520, 1, len(tokens)
with open("data.bin", "wb") as file:
    file.write(header.tobytes() + tokens.astype("<u2").tobytes())
for layers in 1, 2:
    text = subprocess.run(
        [sys.executable, os.path.join(root, "test/Inputs/models/make.py"), "moe",
         f"--layers={layers}", f"--seq={SEQ}", f"--vocab={VOCAB}", "--width=16",
         "--inner=8", "--experts=8", "--untied", "--routing=hash",
         "--choices=1", f"--batch={BATCH}"],
        stdout=subprocess.PIPE, text=True, check=True).stdout
    with open(f"{layers}.mlir", "w") as file:
        file.write(f'module attributes {{pcc.phase = "nn"}} {{\n{text}}}\n')


def train(*flags, layers=2, options=()):
    """Compiles and trains; returns the exit code, the losses and the message."""
    report = subprocess.run(
        ["pcc", f"{layers}.mlir", "--report=json", f"--global-batch-size={BATCH}",
         *flags, "-o", "program"], stdout=subprocess.PIPE, text=True, check=True)
    subprocess.run(["rm", "-rf", "saved", "log"], check=True)
    done = subprocess.run(
        ["./program", "--data=data.bin", f"--steps={STEPS}", "--save=saved",
         "--save-every=1", "--log-json=log", *options], capture_output=True,
        text=True)
    with open("log") as file:
        losses = [json.loads(line)["loss"] for line in file]
    stages = json.loads(report.stdout)["stages"]
    return done.returncode, losses, done.stderr, stages[0]["arena_bytes"]


def last_saved():
    with open("saved/latest") as file:
        return file.read().strip()


code, whole, text, memory = train("--dp=4", "--ep=4")
assert code == 0 and len(whole) == STEPS, text
bounded = "--moe-capacity=1.25"
code, losses, text, less = train("--dp=4", "--ep=4", bounded)
assert code == 5 and losses[:2] == whole[:2], (code, losses, whole)
assert ("step 3: tokens chose the experts of a rank more often than "
        "--moe-capacity 1.25 allows") in text, text
assert "the last checkpoint is of step 2" in text, text
assert last_saved() == "step-00000002", last_saved()
assert less < memory, (less, memory)
# Overflows of another stage; of two axes of experts' parts.
for plan in ("--dp=4 --ep=4 --pp=2 --micro-batch-size=16",
             "--dp=2 --ep=2 --tp=2 --etp=1 --precision=fp16"):
    code, losses, text, _ = train(bounded, *plan.split())
    assert code == 5 and "step 3: tokens chose" in text, (code, text)
    assert last_saved() == "step-00000002", last_saved()
code, losses, text, _ = train("--dp=4", "--ep=4", bounded, layers=1, options=(
    "--val-data=data.bin", "--eval-every=1", "--stop-after=1"))
assert code == 5 and "the loss of the evaluation's batch 3 is nan" in text, text
