"""Writes positions.onnx, an outer product of integers and floats, as PyTorch
exports torch.einsum("i, j -> i j", torch.arange(n), frequencies), and PyTorch's
results. Run with the Python of benchmarks/setup."""

import json
import os

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
N = 5
RATES = np.array([1, 0.5, 0.25], "f4")
X = np.linspace(-1, 1, 2 * N * 3, dtype="f4").reshape(2, N, 3)


def main():
    weights = {"zero": np.array(0), "n": np.array(N), "one": np.array(1),
               "rates": RATES}
    nodes = [
        helper.make_node("Range", ["zero", "n", "one"], ["at"]),
        helper.make_node("Einsum", ["at", "rates"], ["angles"], "/Einsum",
                         equation="i, j -> i j"),
        helper.make_node("Sin", ["angles"], ["waves"]),
        helper.make_node("Mul", ["x", "waves"], ["y"]),
    ]
    value = lambda name: helper.make_tensor_value_info(
        name, TensorProto.FLOAT, X.shape)
    graph = helper.make_graph(
        nodes, "positions", [value("x")], [value("y")],
        [numpy_helper.from_array(v, k) for k, v in weights.items()])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, os.path.join(HERE, "positions.onnx"))
    angles = torch.einsum("i, j -> i j", torch.arange(N),
                          torch.from_numpy(RATES))
    y = torch.from_numpy(X) * torch.sin(angles)
    for name, values in (("inputs", {"x": X.tolist()}),
                         ("expected", {"y": y.tolist()})):
        with open(os.path.join(HERE, f"positions.{name}.json"), "w") as file:
            json.dump(values, file)
            file.write("\n")


main()
