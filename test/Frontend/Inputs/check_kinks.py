"""The step of a program compiled from kinks.onnx.

    check_kinks.py data DIR     writes the training data to DIR/data and prints
                                the number of targets: with this learning rate
                                the step of a mean equals that of a sum
    check_kinks.py saved DIR    compares DIR/saved, its checkpoint after a step
                                of gradient descent with this rate, with
                                PyTorch's gradients
"""

import glob
import json
import os
import struct
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def recorded(name):
    with open(os.path.join(HERE, f"kinks.{name}.json")) as file:
        return json.load(file)


def tensors(path):
    """Name and elements of every tensor of a safetensors file, all f32."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(data[slice(*entry["data_offsets"])], "<f4")
        for name, entry in header.items()
    }


def main():
    mode, folder = sys.argv[1:]
    if mode == "data":
        os.makedirs(os.path.join(folder, "data"))
        labels = np.array(recorded("labels"), "f4")
        np.save(os.path.join(folder, "data/labels.npy"), labels)
        np.save(os.path.join(folder, "data/z.npy"), np.ones_like(labels))
        print(labels.size)
        return
    (path,) = glob.glob(os.path.join(folder, "saved/step-*/model.safetensors"))
    after, gradients = tensors(path), recorded("expected")
    before = recorded("points")
    assert after.keys() == gradients.keys(), after.keys() ^ gradients.keys()
    for name, gradient in gradients.items():
        moved = np.array(before[name]) - after[name]
        # The step is subtracted from values up to 60 in f32.
        assert np.allclose(moved, gradient, rtol=1e-5, atol=2e-5), (
            f"{name}: {moved}, PyTorch {gradient}")
    print(f"{len(gradients)} parameters moved by PyTorch's gradients")


main()
