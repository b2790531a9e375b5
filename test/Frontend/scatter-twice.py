# Two updates that replace the same element: the result is not
# defined, unless a reduction combines them.
# RUN: %python %s %root %t

import os
import shutil
import subprocess
import sys

root, work = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "test/Inputs"))
from onnx_files import FLOAT, model, node, tensor

ERROR = "two updates replace the same element, and the result is undefined"
X, UPDATES = ("x", FLOAT, [3, 2]), ("u", FLOAT, [2, 2])


def run(name, op, indices, **attributes):
    path = os.path.join(work, name + ".onnx")
    with open(path, "wb") as file:
        file.write(model([node(op, ["x", "i", "u"], ["y"], **attributes)],
                         [X, UPDATES], [indices], opset=18))
    done = subprocess.run(["pcc", path, "--emit=import", "--forward", "-q",
                           "-o", path + ".mlir"], capture_output=True, text=True)
    return done.returncode, done.stderr


def matrix(rows):
    flat = b"".join(i.to_bytes(8, "little", signed=True)
                    for row in rows for i in row)
    return tensor("i", 7, [len(rows), len(rows[0])], (9, flat))


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
for op, twice, once in (
        ("ScatterElements", [[0, 1], [0, 2]], [[0, 1], [1, 2]]),
        ("ScatterND", [[0], [-3]], [[0], [-1]])):
    code, text = run(op + "-twice", op, matrix(twice))
    assert code == 1 and f"error: {op} 'y': {ERROR}" in text, text
    assert "exporters write this for a reduction that they lack" in text, text
    code, text = run(op + "-add", op, matrix(twice), reduction="add")
    assert code == 0, text
    code, text = run(op + "-once", op, matrix(once))
    assert code == 0, text
