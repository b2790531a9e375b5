"""Writes counted.onnx, in which bools are counted and a mask is padded, and
PyTorch's results. Run with the Python of benchmarks/setup.

The TorchScript exporter writes a cumulative sum over bools, which no version of
CumSum allows: ONNX's own tools do not read this file."""

import json
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
IDS = np.array([[3, 1, 3, 3], [2, 3, 1, 1]])


def main():
    weights = {
        "three": np.array(3), "along": np.array(1),
        "mask": np.tri(3, dtype=bool), "pads": np.array([0, 2, 1, 0]),
        "yes": np.array(True),
    }
    nodes = [
        helper.make_node("Equal", ["ids", "three"], ["is_three"]),
        helper.make_node("CumSum", ["is_three", "along"], ["so_many"], "/sum"),
        helper.make_node("Cast", ["so_many"], ["count"], to=1),
        helper.make_node("CumSum", ["mask", "along"], ["columns"], "/fold"),
        helper.make_node("Cast", ["columns"], ["folded"], to=1),
        helper.make_node("Pad", ["mask", "pads", "yes"], ["wide"], "/pad"),
        helper.make_node("Cast", ["wide"], ["padded"], to=1),
    ]
    outputs = {
        "count": np.cumsum(IDS == 3, 1),
        "folded": np.cumsum(weights["mask"], 1),
        "padded": np.pad(weights["mask"], ((0, 1), (2, 0)),
                         constant_values=True),
    }
    graph = helper.make_graph(
        nodes, "counted",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, IDS.shape)],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, v.shape)
         for n, v in outputs.items()],
        [numpy_helper.from_array(v, n) for n, v in weights.items()])
    path = os.path.join(HERE, "counted")
    onnx.save(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
        path + ".onnx")
    with open(path + ".inputs.json", "w") as file:
        json.dump({"ids": IDS.tolist()}, file)
    with open(path + ".expected.json", "w") as file:
        json.dump({str(i): v.astype(float).tolist()
                   for i, v in enumerate(outputs.values())}, file)


main()
