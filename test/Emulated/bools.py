# Rows of bools on a device, where each takes a byte: their maxima, minima, and
# the index of the first that is true.
# RUN: %python %s %root %t

import os
import shutil
import subprocess
import sys

import numpy as np

root, work = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "test/Inputs"))
from onnx_files import INT64, ints, model, node

shutil.rmtree(work, ignore_errors=True)
os.makedirs(os.path.join(work, "in"))
path, program = os.path.join(work, "bools.onnx"), os.path.join(work, "program")
with open(path, "wb") as file:
    file.write(model(
        [node("Less", ["ids", "limit"], ["flag"]),
         node("ReduceMax", ["flag", "one"], ["most"], keepdims=0),
         node("ReduceMin", ["flag", "one"], ["least"], keepdims=0),
         node("ArgMax", ["flag"], ["first"], axis=1, keepdims=0),
         node("Cast", ["most"], ["a"], to=1), node("Cast", ["least"], ["b"], to=1),
         node("Cast", ["first"], ["c"], to=1),
         node("Concat", ["a", "b", "c"], ["y"], axis=0)],
        [("ids", INT64, [5, 300])], [ints("limit", [60]), ints("one", [1])],
        opset=20))
ids = np.random.default_rng(0).integers(0, 100, (5, 300))
ids[0], ids[1], ids[2, :5], ids[3] = 70, 3, 80, 90
ids[3, 250] = 1
np.save(os.path.join(work, "in", "ids.npy"), ids)
flags = ids < 60
wanted = np.concatenate([flags.max(1), flags.min(1), flags.argmax(1)])
for target in ("cpu", "cuda-emulated"):
    subprocess.run(["pcc", path, "--forward", "-q", "--target", target, "-o",
                    program], check=True)
    out = os.path.join(work, target)
    done = subprocess.run([program, "--data", os.path.join(work, "in"),
                           "--outputs", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = np.load(os.path.join(out, "y.npy"))
    assert (found == wanted).all(), (target, found, wanted)
