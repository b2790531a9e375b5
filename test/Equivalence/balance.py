# An auxiliary loss for each sample and updated correction biases, against
# PyTorch (Inputs/balance/record.py): losses, norms, auxiliary losses, loads, and
# the last biases. One rank, and 8 ranks with the experts split over tp and ep.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %root %t qwen3-moe-eval-17 1e-6
# RUN: %python %s %root %t deepseek-v3-dynamo 1e-6 --moe-bias-rate=0.01 --tp=2 --pp=2 --dp=2 --ep=2 --etp=1
# In the interpreter: sequences over tp and cp, and ZeRO 3.
# RUN: %python %s %root %t deepseek-v3-dynamo 1e-6 --moe-bias-rate=0.01 --emit=pipeline --tp=2 --cp=2 --dp=2 --sequence-parallel --zero=3

import json
import os
import shutil
import struct
import subprocess
import sys

import numpy as np

root, work, model, bound, *flags = sys.argv[1:]
FLAGS = ("steps", "lr", "min_lr", "warmup_steps", "lr_schedule",
         "weight_decay", "beta1", "beta2", "eps", "clip_grad")
family = model.rsplit("-", 1 if "dynamo" in model else 2)[0]
examples = os.path.join(root, "examples", "models")
with open(os.path.join(examples, "hyperparameters.json")) as file:
    h = json.load(file)
curve = os.path.join(root, "test/Equivalence/Inputs/balance", family + ".jsonl")
with open(curve) as file:
    wanted = [json.loads(line) for line in file]
program, log = os.path.join(work, "program"), os.path.join(work, "log")
saved = os.path.join(work, "saved")
shutil.rmtree(saved, ignore_errors=True)
subprocess.run(["pcc", os.path.join(examples, model + ".onnx"), "-q",
                f"--seq={h['seq']}", "--moe-aux-loss=0.05",
                f"--global-batch-size={h['global_batch_size']}", *flags, "-o",
                program], check=True, stderr=subprocess.DEVNULL)
is_interpreted = "--emit=pipeline" in flags
command = ["pcc-run", program] if is_interpreted else [
    program, f"--save={saved}", f"--save-every={h['steps']}"]
data = os.path.normpath(os.path.join(examples, h["data"]))
subprocess.run([*command, f"--data={data}", f"--log-json={log}",
                *(f"--{f.replace('_', '-')}={h[f]}" for f in FLAGS)],
               check=True, stdout=subprocess.DEVNULL)
with open(log) as file:
    got = [json.loads(line) for line in file]
assert len(got) == len(wanted) == h["steps"]
# A log has 6 digits of the load.
for name, most in ("loss", bound), ("norm", bound), ("aux", bound), ("load", 5e-6):
    worst = max(abs(a[name] / b[name] - 1) for a, b in zip(got, wanted))
    assert worst < float(most), f"{name} differs by {worst}"
if is_interpreted or "biases" not in wanted[-1]:
    sys.exit()
with open(os.path.join(saved, f"step-{h['steps']:08}", "model.safetensors"),
          "rb") as file:
    data = file.read()
size, = struct.unpack_from("<Q", data)
biases = [np.frombuffer(data, "<f4", 8, 8 + size + entry["data_offsets"][0])
          for name, entry in json.loads(data[8:8 + size]).items()
          if name.endswith("correction_bias")]
assert np.array_equal(biases, np.float32(wanted[-1]["biases"])), biases
