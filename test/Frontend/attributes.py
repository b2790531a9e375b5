# An attribute, an attribute's value, an operand, an operator or an opset that
# is missing in the import table is refused by name: ignoring it would train
# another model.
# RUN: %python %s %root %t

import os
import shutil
import subprocess
import sys

root, work = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "test/Inputs"))
from onnx_files import FLOAT, floats, message, model, node
from wire import put

ATTENTION = [(name, FLOAT, [1, 2, 4, 8]) for name in "qkv"]
IMAGE = [("x", FLOAT, [1, 8, 4, 6])]


def run(name, data, *flags):
    path = os.path.join(work, name + ".onnx")
    with open(path, "wb") as file:
        file.write(data)
    done = subprocess.run(["pcc", path, "--emit=import", "--forward", "-q", "-o",
                           path + ".mlir", *flags], capture_output=True,
                          text=True)
    return done.returncode, done.stdout + done.stderr


def accepts(name, data):
    code, text = run(name, data)
    assert code == 0 and not text, f"{name}: exit {code}\n{text}"


def refuses(name, data, *expected):
    code, text = run(name, data)
    assert code == 1 and text.count("error:") == 1, f"{name}: {code}\n{text}"
    for part in expected:
        assert part in text, f"{name}: no '{part}' in\n{text}"


def attention(opset=25, **attributes):
    return model([node("Attention", list("qkv"), ["y"], **attributes)],
                 ATTENTION, opset=opset)


def one(op, opset=17, inputs=IMAGE, **attributes):
    return model([node(op, [i[0] for i in inputs], ["y"], **attributes)],
                 inputs, opset=opset)


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)

# Attributes that only a newer opset has.
accepts("window", attention(left_window_size=2, right_window_size=-1,
                            is_causal=1))
refuses("early-window", attention(24, left_window_size=2),
        "1 operator is not supported at opset 24",
        "Attention (1 node: 'y'): its attribute 'left_window_size' does not "
        "exist at opset 24")
refuses("odd-window", attention(left_window_size=-2), "must be -1 or")
accepts("crd", one("SpaceToDepth", 28, blocksize=2, mode="CRD"))
refuses("early-crd", one("SpaceToDepth", 13, blocksize=2, mode="CRD"),
        "its attribute 'mode' does not exist at opset 13")
refuses("late-axes", one("ReduceSum", 13, axes=[1]),
        "its attribute 'axes' does not exist at opset 13")
accepts("axes", one("ReduceSum", 11, axes=[1]))

# Attributes that no opset has, that occur twice, or have another type.
refuses("unknown", one("Relu", slope=0.1),
        "its attribute 'slope' is not supported")
refuses("misspelled", one("Softmax", axes=1),
        "its attribute 'axes' is not supported")
twice = [message((1, "axis"), (3, 1), (20, 2)),
         message((1, "axis"), (3, 2), (20, 2))]
refuses("twice", model([node("Softmax", ["x"], ["y"], *twice)], IMAGE),
        "its attribute 'axis' is given twice")
refuses("float-axis", one("Softmax", axis=1.0),
        "its attribute 'axis' has type FLOAT, not INT")
refuses("one-axis", one("ReduceSum", 11, axes=1),
        "its attribute 'axes' has type INT, not INTS")
untyped = message((1, "axis"), (3, 1))
accepts("untyped", model([node("Softmax", ["x"], ["y"], untyped)], IMAGE))
empty = message((1, "axis"), (20, 2))
refuses("no-value", model([node("Softmax", ["x"], ["y"], empty)], IMAGE),
        "its attribute 'axis' has no value of type INT")
reference = message((1, "axis"), (20, 2), (21, "outer"))
refuses("reference", model([node("Softmax", ["x"], ["y"], reference)], IMAGE),
        "its attribute 'axis' refers to one of a function")
refuses("lacking", one("DepthToSpace"), "it lacks its attribute 'blocksize'")

# Values.
refuses("mode", one("DepthToSpace", blocksize=2, mode="DRC"),
        "its attribute 'mode' is 'DRC'; supported are DCR, CRD")
refuses("approximate", one("Gelu", 20, approximate="sigmoid"),
        "its attribute 'approximate' is 'sigmoid'; supported are none, tanh")
refuses("flag", one("ReduceSum", keepdims=2), "'keepdims' is '2'")
refuses("stash", model(
    [node("LayerNormalization", ["x", "s"], ["y"], stash_type=10)], IMAGE,
    [floats("s", [6], [1] * 6)]), "'stash_type' is '10'; supported is 1")
refuses("kernel", model([node("Conv", ["x", "w"], ["y"], kernel_shape=[2, 3])],
                        IMAGE, [floats("w", [1, 8, 3, 3], [0] * 72)]),
        "kernel_shape differs from the kernels' extents")
refuses("parts", model([node("Split", ["x"], ["y", "z"], axis=1, num_outputs=4)],
                       IMAGE, opset=18), "num_outputs is 4, but it has 2")

# Two ways to misuse one operator are two lines of one error.
both = model([node("Relu", ["x"], ["a"]), node("Relu", ["a"], ["b"], beta=1),
              node("Relu", ["b"], ["y"], gamma=1)], IMAGE)
refuses("both", both, "2 operators are not supported",
        "Relu (1 node: 'b'): its attribute 'beta'",
        "Relu (1 node: 'y'): its attribute 'gamma'")
code, text = run("both", both, "--check")
assert code == 1 and "ok           Relu (1 node)" in text and (
    "unsupported  Relu of opset 17 (1 node: 'b')" in text), text

# Operands.
refuses("operand", model([node("Relu", ["x", "x"], ["y"])], IMAGE),
        "its operand 1, 'x', is not supported: it takes at most 1")
accepts("absent", model([node("Relu", ["x", ""], ["y"])], IMAGE))

# Results.
refuses("result", model([node("Relu", ["x"], ["z", "mask"]),
                         node("Add", ["z", "mask"], ["y"])], IMAGE),
        "Add 'y' reads 'mask', result 1 of Relu 'z', which is not supported")

# Statistics among the results that are not read are ignored.
ROWS = [("x", FLOAT, [2, 3, 6]), ("skip", FLOAT, [2, 3, 6])]
GAMMA = [floats("gamma", [6], [1] * 6)]


def skip_norm(read):
    return model([node("SkipLayerNormalization", ["x", "skip", "gamma"],
                       ["n", "mean", "deviation", "sum"],
                       domain="com.microsoft"),
                  node("Add", ["n", read], ["y"])], ROWS, GAMMA)


accepts("declared", skip_norm("sum"))
refuses("statistic", skip_norm("mean"),
        "SkipLayerNormalization 'n': its result 'mean', a statistic of rows, is "
        "not supported")
refuses("valid-keys", model(
    [node("Attention", ["q", "k", "v", "", "", "", "count"], ["y"])],
    [*ATTENTION, ("count", 7, [1])], opset=24),
    "nonpad_kv_seqlen, the number of valid keys of each sample, is not "
    "supported", "pass these keys as a mask, attn_mask")

# Opsets and domains.
accepts("newest", one("Relu", 28))
refuses("newer", one("Relu", 29),
        "the file has opset 29, but pcc knows the operators of opset 28 and "
        "older", "export at an opset_version")
code, text = run("newer", one("Relu", 29), "--check")
assert code == 1 and "problem      the file has opset 29" in text, text
microsoft = (8, message((1, "com.microsoft"), (2, 2)))
refuses("domain", model([node("QuickGelu", ["x"], ["y"],
                              domain="com.microsoft")], IMAGE,
                        more=[microsoft]), "supported at opset 1: export at one of these")

# Fields of the file.
code, text = run("training", model([node("Relu", ["x"], ["y"])], IMAGE,
                                   more=[(20, b"")]))
assert code == 0 and "warning: the file has a training algorithm" in text, text
newer = model([node("Relu", ["x"], ["y"])], IMAGE, more=[(1, 15)])
code, text = run("format", newer)
assert code == 0 and "warning: the file has IR version 15, but" in text, text

# A function of the file has an operator's name.
function = (25, message((1, "Relu"), (10, "")))
refuses("function", model([node("Relu", ["x"], ["y"])], IMAGE,
                          more=[function]), "a function of the file")
print("passed")
