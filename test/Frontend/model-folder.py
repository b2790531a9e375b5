"""The model directory that a file was exported from, in its metadata.

RUN: rm -rf %t && mkdir %t && cd %t && cp %root/examples/gpt2/gpt2.weights .
RUN: %python %s %S/Inputs %root
"""

import importlib
import json
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
add = importlib.import_module("add-source").add
MODEL = sys.argv[2] + "/examples/gpt2/gpt2.onnx"
WHOLE = {"folder": "/models/gpt2", "types": "bfloat16", "files": []}


def pcc(source, *flags):
    add(MODEL, "model.onnx",
        source if isinstance(source, str) else json.dumps(source))
    done = subprocess.run(
        ["pcc", "model.onnx", "--seq=32", "--emit=import", "-o", "-", "-q",
         *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def has(source, *texts):
    code, out, err = pcc(source)
    assert code == 0 and not err, err
    for text in texts:
        assert text in out.splitlines()[0], (text, out.splitlines()[0])


def refused(source, why):
    code, out, err = pcc(source)
    assert code == 1 and not out, out
    assert err.splitlines()[0] == (
        "model.onnx: error: its metadata 'pcc.source' cannot be read: " + why
    ), err
    assert err.splitlines()[1:] == [
        "model.onnx: note: export the model again with pcc-export"], err


has(dict(WHOLE, files=["config.json", "templates/tool.jinja"]),
    'nn.model_folder = {files = ["config.json", "templates/tool.jinja"], '
    'path = "/models/gpt2"}', "nn.saved_types = bf16")
has(dict(WHOLE, types={"a": "float16", "b.c": "float64"},
         names={"b.c": "d"}),
    'nn.saved_names = {b.c = "d"}', "nn.saved_types = {a = f16, b.c = f64}")
has({"folder": "", "files": []}, 'nn.model_folder = {files = [], path = ""}')

refused("[]", "it is not a dictionary")
refused({"folder": "x"}, "it lacks its folder or its files")
refused({"files": []}, "it lacks its folder or its files")
for types in "int8", {"a": "int8"}:
    refused(dict(WHOLE, types=types),
            "checkpoints cannot have the type 'int8', only float32, float64, "
            "bfloat16 and float16")
refused(dict(WHOLE, types=[]), "a type is not a text")
refused(dict(WHOLE, names={"a": 1}), "a name is not a text")
refused(dict(WHOLE, names={"a": "c", "b": "c"}), "two tensors are called 'c'")
refused(dict(WHOLE, names={"a": ""}), "a tensor's name is empty")
refused(dict(WHOLE, files=[1]), "a file is not a name")
for name in "../a", "/etc/passwd", "a//b", ".", "a/..", "":
    refused(dict(WHOLE, files=[name]),
            f"the file '{name}' is no path within a folder")
for name in ("a.safetensors", "model.safetensors.index.json",
             "trainer_state.json", "optimizer/x"):
    refused(dict(WHOLE, files=[name]),
            f"the file '{name}' is a name that checkpoints use themselves")
code, _, err = pcc("{")
assert code == 1 and "'pcc.source' cannot be read: " in err, err
