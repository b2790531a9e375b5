# Metadata that the dynamo exporter writes to nodes determines gradients:
# padding rows, which of equal elements a maximum selects, the bounds of a
# clamp, detached values. One step of gradient descent against PyTorch's
# gradients.
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s %S/Inputs

import glob
import json
import os
import struct
import subprocess
import sys

import numpy as np

INPUTS = sys.argv[1]
RATE = 0.5


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def tensors(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size)), file.read()
    header.pop("__metadata__", None)
    return {n: np.frombuffer(data[slice(*e["data_offsets"])], "f4")
            for n, e in header.items()}


def check(name, expected, *flags):
    done = run("pcc", os.path.join(INPUTS, name), "--optimizer", "sgd",
               "--global-batch-size", "3", "--micro-batch-size", "3", "-q",
               "-o", "train", *flags)
    assert done.returncode == 0, done.stdout
    assert "warning" not in done.stdout, done.stdout
    done = run("./train", "--data", "data", "--steps", "1", "--lr", str(RATE),
               "--lr-schedule", "constant", "--weight-decay", "0",
               "--clip-grad", "0", "--save", name, "--log-json", "log")
    assert done.returncode == 0, done.stdout
    (path,) = glob.glob(f"{name}/step-*/model.safetensors")
    after = tensors(path)
    assert after.keys() == expected["parameters"].keys(), after.keys()
    for parameter, (before, gradient) in expected["parameters"].items():
        moved = (np.array(before) - after[parameter]) / RATE
        assert np.allclose(moved, gradient, rtol=1e-5, atol=2e-6), (
            f"{name}, {parameter}: {moved}, PyTorch {gradient}")


def main():
    with open(os.path.join(INPUTS, "told.expected.json")) as file:
        expected = json.load(file)
    os.mkdir("data")
    ids = np.array(expected["ids"])
    np.save("data/ids.npy", ids)
    np.save("data/zeros.npy", np.zeros((3, 2, 5), "f4"))
    for name in ("told-optimized.onnx", "told-raw.onnx"):
        check(name, expected)
    scaled = os.path.join(INPUTS, "told-scaled.onnx")
    done = run("pcc", scaled, "--check")
    assert done.returncode == 1, done.stdout
    for text in ("'node_embedding' has scale_grad_by_freq=True, which "
                 "divides a row's gradient by its number of lookups in the "
                 "whole batch", "--freeze 'wte.weight'"):
        assert text in done.stdout, done.stdout


main()
