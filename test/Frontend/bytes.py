# Unsigned bytes above 127 are not read as negative numbers: those of a file, in
# raw bytes and in fields, and results of casts.
# RUN: %python %s %root %t

import os
import shutil
import subprocess
import sys

import numpy as np

root, work = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "test/Inputs"))
from onnx_files import FLOAT, INT64, UINT8, model, node, tensor

shutil.rmtree(work, ignore_errors=True)
os.makedirs(os.path.join(work, "in"))
bytes_ = bytes([0, 127, 128, 255])
path, program = os.path.join(work, "bytes.onnx"), os.path.join(work, "program")
with open(path, "wb") as file:
    file.write(model(
        [node("Cast", ["raw"], ["a"], to=FLOAT),
         node("Cast", ["fields"], ["b"], to=FLOAT),
         node("Cast", ["x"], ["byte"], to=UINT8),
         node("Cast", ["byte"], ["c"], to=FLOAT),
         node("Cast", ["i"], ["whole"], to=UINT8),
         node("Cast", ["whole"], ["d"], to=FLOAT),
         node("Sum", ["a", "b", "c", "d"], ["y"])],
        [("x", FLOAT, [4]), ("i", INT64, [4])],
        [tensor("raw", UINT8, [4], (9, bytes_)),
         tensor("fields", UINT8, [4], *((5, n) for n in bytes_))]))
x, i = np.array([1, 200, 250.5, 255], "f4"), np.array([3, 129, 300, -1], "i8")
for name, array in (("x", x), ("i", i)):
    np.save(os.path.join(work, "in", name + ".npy"), array)
subprocess.run(["pcc", path, "--forward", "-q", "-o", program], check=True)
subprocess.run([program, "--data", os.path.join(work, "in"), "--outputs",
                os.path.join(work, "out")], check=True, capture_output=True)
found = np.load(os.path.join(work, "out", "y.npy"))
known = np.frombuffer(bytes_, "u1").astype("f4")
wanted = 2 * known + x.astype("u1").astype("f4") + i.astype("u1").astype("f4")
assert (found == wanted).all(), (found, wanted)
print("passed")
