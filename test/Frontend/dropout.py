# Which Dropout nodes are active: from opset 12 on the file states it; before, a
# node is active, with a warning. The mask output marks the elements that are
# kept.
# RUN: %python %s %root %t

import json
import os
import shutil
import subprocess
import sys

import numpy as np

root, work = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "test/Inputs"))
from onnx_files import BOOL, FLOAT, floats, model, node, tensor

X = [("x", FLOAT, [4, 6])]
WEIGHT = np.random.default_rng(0).standard_normal((6, 6)).astype("f4")
WEIGHTS = [floats("head.weight", [6, 6], WEIGHT.flatten().tolist())]
RATIO = floats("ratio", [], [0.5])
ACTIVE, IDLE = (tensor("mode", BOOL, [], (9, bytes([b]))) for b in (1, 0))


def compile(name, data, *flags):
    path = os.path.join(work, name + ".onnx")
    with open(path, "wb") as file:
        file.write(data)
    done = subprocess.run(["pcc", path, "-q", *flags], capture_output=True,
                          text=True)
    assert done.returncode == 0, f"{name}: {done.stderr}"
    return done.stdout, done.stderr


def text(name, data, *flags):
    return compile(name, data, "--emit=import", "-o", "-", *flags)


def network(opset, inputs, initializers=(), **attributes):
    return model([node("MatMul", ["x", "head.weight"], ["h"]),
                  node("Dropout", inputs, ["y"], **attributes)], X,
                 [*WEIGHTS, *initializers], opset=opset)


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
loss = ["--loss", "mse"]

# Before opset 12.
old = network(11, ["h"], ratio=0.25)
ir, said = text("old", old, *loss)
assert "nn.dropout" in ir and "2.5" in ir, ir
assert "warning: dropout is active in 'y': opset 11 does not say" in said, said
assert "note: --no-dropout trains without dropout" in said, said
ir, said = text("old-none", old, "--no-dropout", *loss)
assert "nn.dropout" not in ir and not said, said
ir, said = text("old-forward", old, "--forward")
assert "nn.dropout" not in ir and not said, said
ir, said = text("old-default", network(7, ["h"]), *loss)
assert "nn.dropout" in ir and "5.0" in ir, ir
ir, said = text("old-zero", network(11, ["h"], ratio=0.0), *loss)
assert "nn.dropout" not in ir and not said, said

# From opset 12 on.
ir, said = text("active", network(12, ["h", "ratio", "mode"], [RATIO, ACTIVE]),
                *loss)
assert "nn.dropout" in ir and not said, said
for name, file in (
        ("idle", network(12, ["h", "ratio", "mode"], [RATIO, IDLE])),
        ("absent", network(17, ["h", "ratio"], [RATIO]))):
    ir, said = text(name, file, *loss)
    assert "nn.dropout" not in ir, ir
    assert "warning: dropout is not active in 'y': training_mode is" in said, said
    ir, said = text(name, file, "--no-dropout", *loss)
    assert not said, said

# The mask output is the result's mask: the loss is the mean of
# h^2 + (y - where(mask, 2 h, 0))^2.
masked = model(
    [node("MatMul", ["x", "head.weight"], ["h"]),
     node("Dropout", ["h", "ratio", "mode"], ["y", "mask"]),
     node("Add", ["h", "h"], ["twice"]),
     node("Sub", ["h", "h"], ["zero"]),
     node("Where", ["mask", "twice", "zero"], ["kept"]),
     node("Sub", ["y", "kept"], ["difference"]),
     node("Mul", ["difference", "difference"], ["squares"]),
     node("Mul", ["h", "h"], ["square"]),
     node("Add", ["squares", "square"], ["sum"]),
     node("ReduceMean", ["sum"], ["loss"], keepdims=0)],
    X, [*WEIGHTS, RATIO, ACTIVE], ["loss"])
program = os.path.join(work, "train")
compile("masked", masked, "--optimizer", "sgd", "--micro-batch-size", "4", "-o",
        program)
x = np.random.default_rng(1).standard_normal((4, 6)).astype("f4")
os.makedirs(os.path.join(work, "data"))
np.save(os.path.join(work, "data", "x.npy"), x)
log = os.path.join(work, "log.json")
subprocess.run([program, "--data", os.path.join(work, "data"), "--steps", "1",
                "--log-json", log], check=True, capture_output=True)
with open(log) as file:
    found = json.loads(file.readline())["loss"]
wanted = np.square(x.astype("f8") @ WEIGHT).mean()
assert abs(found - wanted) < 1e-5 * wanted, (found, wanted)
# A mask that is not read is not computed.
ir, said = text("unread", model(
    [node("MatMul", ["x", "head.weight"], ["h"]),
     node("Dropout", ["h", "ratio", "mode"], ["y", "mask"])], X,
    [*WEIGHTS, RATIO, ACTIVE]), *loss)
assert "nn.where" not in ir and "nn.dropout" in ir, ir
print("passed")
