"""forward-init.py MODEL FOLDER: the forward-only program of MODEL computes with
the weights of FOLDER's checkpoints: `whole` has them in bf16, `wide` in f32."""

import subprocess
import sys

import numpy as np

model, folder = sys.argv[1:]


def run(*command):
    subprocess.run(command, check=True)


run("mkdir", "inputs")
np.save("inputs/input_ids.npy", np.arange(32).reshape(1, 32))
run(f"./{folder}/dp4", "--resume", f"{folder}/whole/step-00000015", "--save",
    "wide", "--save-dtype", "f32")
run("pcc", model, "--forward", "--no-dropout", "--seq=32", "-q", "-o",
    "forward")
logits = {}
for name, weights in (("none", []),
                      ("bf16", ["--init", f"{folder}/whole/step-00000020"]),
                      ("f32", ["--init", "wide/step-00000020"])):
    run("./forward", "--data", "inputs", "--outputs", name, *weights)
    logits[name] = np.load(f"{name}/logits.npy")


def difference(a, b):
    return abs(logits[a] - logits[b]).max() / abs(logits[b]).max()


assert 0 < difference("bf16", "f32") < 0.02, difference("bf16", "f32")
assert difference("none", "f32") > 0.1, difference("none", "f32")
