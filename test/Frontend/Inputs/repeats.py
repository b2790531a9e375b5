"""Writes repeats.onnx: rows repeated by the ratio of two shapes, with the
exporter's operators, and a OneHot of constants; and ONNX Runtime's results. Run
with the Python of benchmarks/setup."""

import json
import os

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
X = np.array([[0.5, -1.0], [2.0, 0.25]], "f4")
WINDOWS = np.arange(12, dtype="f4").reshape(6, 2)


def main():
    weights = {
        "zero": np.array(0), "one": np.array([1]), "off": np.array([1]),
        "indices": np.array([[1, -1], [5, 0]]),
        "three": np.array(3), "numbers": np.array([0.5, 2], "f4"),
        "places": np.array([1]), "flat": np.array([-1, 2]),
        "rest": np.array([-1]),
    }
    nodes = [
        helper.make_node("Shape", ["windows"], ["shape_of_windows"]),
        helper.make_node("Gather", ["shape_of_windows", "zero"], ["many"]),
        helper.make_node("Shape", ["x"], ["shape_of_x"]),
        helper.make_node("Gather", ["shape_of_x", "zero"], ["few"]),
        helper.make_node("Div", ["many", "few"], ["times"]),
        helper.make_node("Reshape", ["times", "rest"], ["times_1"]),
        helper.make_node("Concat", ["off", "times_1"], ["off_times"], axis=0),
        helper.make_node("OneHot", ["places", "three", "off_times"], ["hot"],
                         "/repeat"),
        helper.make_node("Reshape", ["hot", "rest"], ["repeats"]),
        helper.make_node("Unsqueeze", ["x", "one"], ["columns"]),
        helper.make_node("Tile", ["columns", "repeats"], ["tiled"], "/tile"),
        helper.make_node("Reshape", ["tiled", "flat"], ["rows"]),
        helper.make_node("Add", ["rows", "windows"], ["sum"]),
        helper.make_node("OneHot", ["indices", "three", "numbers"], ["folded"],
                         "/fold", axis=1),
    ]
    graph = helper.make_graph(
        nodes, "repeats",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape),
         helper.make_tensor_value_info("windows", TensorProto.FLOAT,
                                       WINDOWS.shape)],
        [helper.make_tensor_value_info("sum", TensorProto.FLOAT, (6, 2)),
         helper.make_tensor_value_info("folded", TensorProto.FLOAT, (2, 3, 2))],
        [numpy_helper.from_array(v, n) for n, v in weights.items()])
    path = os.path.join(HERE, "repeats")
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path + ".onnx")
    feeds = {"x": X, "windows": WINDOWS}
    results = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    ).run(None, feeds)
    with open(path + ".inputs.json", "w") as file:
        json.dump({n: v.tolist() for n, v in feeds.items()}, file)
    with open(path + ".expected.json", "w") as file:
        json.dump({str(i): v.tolist() for i, v in enumerate(results)}, file)


main()
