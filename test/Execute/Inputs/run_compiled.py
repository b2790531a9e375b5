"""run_compiled.py [--target cuda-emulated] FILE.mlir FOLDER [RTOL]: compiles
@forward of a file, runs the program on generated numbers, and compares every
result with pcc-run.

A result that is all zeros proves nothing and is an error. Floats are normally
distributed, and positive if an input's name ends in `positive`. Integers are 0
to 3, which are rows of every table; those of one dim are different, and scalars
are 1, 2 and so on."""

import os
import re
import subprocess
import sys

import numpy as np

target = []
if sys.argv[1] == "--target":
    target = sys.argv[1:3]
    del sys.argv[1:3]
file, folder = sys.argv[1:3]
rtol = sys.argv[3] if len(sys.argv) > 3 else "1e-6"
program = os.path.join(folder, "program")
inputs, outputs = os.path.join(folder, "in"), os.path.join(folder, "out")
os.makedirs(inputs, exist_ok=True)
with open(file) as text:
    text = text.read()
head = text[text.index("func.func @forward("):]
head, results = head[:head.index("{\n")].split("->")
rng = np.random.default_rng(0)
arguments, scalars = [], 0
for shape, dtype, name in re.findall(
        r'tensor<((?:\d+x)*)(\w+)> \{nn.name = "(\w+)"', head):
    shape = [int(n) for n in shape.split("x")[:-1]]
    if dtype == "f32":
        value = rng.standard_normal(shape).astype(np.float32)
        value = np.abs(value) + 0.1 if name.endswith("positive") else value
    elif len(shape) == 1:
        value = rng.permutation(shape[0])
    elif shape:
        value = rng.integers(0, 4, shape, dtype=np.int64)
    else:
        scalars += 1
        value = np.array(scalars)
    path = os.path.join(inputs, name + ".npy")
    np.save(path, value)
    arguments.append(f"--arg={name}={path}")
subprocess.run(["pcc", file, "--forward", "-q", *target, "-o", program], check=True)
subprocess.run([program, "--data", inputs, "--outputs", outputs], check=True,
               stdout=subprocess.DEVNULL)
expected = []
for i, name in enumerate(re.findall(r'nn.name = "(\w+)"', results)):
    path = os.path.join(outputs, name + ".npy")
    if not np.load(path).any():
        sys.exit(f"{name} is all zeros")
    expected.append(f"--expect={i}={path}")
sys.exit(subprocess.run(
    ["pcc-run", file, *arguments, *expected, "--rtol", rtol, "--print",
     "none"]).returncode)
