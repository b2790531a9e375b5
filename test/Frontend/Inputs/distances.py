"""Writes distances.onnx, which sorts the distances of 300 queries and keys into
buckets as T5 does, and NumPy's results. Run with the Python of
benchmarks/setup."""

import json
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
S, BUCKETS, FURTHEST = 300, 8, 64


def main():
    log = np.log(np.float32(FURTHEST / BUCKETS))
    weights = {
        "zero": np.array(0), "one": np.array(1), "two": np.array([1]),
        "front": np.array([0]), "eight": np.array(BUCKETS),
        "last": np.array(2 * BUCKETS - 1), "sixteen": np.array(2 * BUCKETS),
        "eight.f": np.array(BUCKETS, "f4"), "log": np.array(log, "f4"),
    }
    node = helper.make_node
    nodes = [
        node("Shape", ["ids"], ["shape"]),
        node("Gather", ["shape", "one"], ["length"]),
        node("Range", ["zero", "length", "one"], ["at"]),
        node("Unsqueeze", ["at", "front"], ["key"]),
        node("Unsqueeze", ["at", "two"], ["query"]),
        node("Sub", ["key", "query"], ["distance"], "/distance"),
        node("Greater", ["distance", "zero"], ["is_behind"]),
        node("Cast", ["is_behind"], ["behind"], to=7),
        node("Mul", ["behind", "sixteen"], ["half"]),
        node("Abs", ["distance"], ["far"]),
        node("Less", ["far", "eight"], ["is_near"]),
        node("Cast", ["far"], ["far.f"], to=1),
        node("Div", ["far.f", "eight.f"], ["ratio"]),
        node("Log", ["ratio"], ["logs"], "/log"),
        node("Div", ["logs", "log"], ["share"]),
        node("Mul", ["share", "eight.f"], ["step.f"]),
        node("Cast", ["step.f"], ["step"], to=7),
        node("Add", ["step", "eight"], ["large"]),
        node("Min", ["large", "last"], ["least"]),
        node("Where", ["is_near", "far", "least"], ["bucket"], "/where"),
        node("Add", ["bucket", "half"], ["both"], "/sum"),
        node("Cast", ["both"], ["number"], to=1),
        node("Cast", ["query"], ["query.f"], to=1),
        node("Cos", ["query.f"], ["probe"]),
        # Computed at run time.
        node("Cast", ["ids"], ["ids.f"], to=1),
        node("Transpose", ["ids.f"], ["zeros"], perm=[1, 0]),
        node("Add", ["probe", "zeros"], ["column"]),
        node("MatMul", ["number", "column"], ["sums"]),
    ]
    ids = np.zeros((1, S), "i8")
    graph = helper.make_graph(
        nodes, "distances",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ids.shape)],
        [helper.make_tensor_value_info("sums", TensorProto.FLOAT, [S, 1])],
        [numpy_helper.from_array(v, n) for n, v in weights.items()])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    distance = np.arange(S)[None] - np.arange(S)[:, None]
    far = np.abs(distance)
    with np.errstate(divide="ignore"):
        step = np.log(far.astype("f4") / np.float32(BUCKETS)) / log * BUCKETS
    large = np.minimum(np.where(far < BUCKETS, 0, step).astype(int) + BUCKETS,
                       2 * BUCKETS - 1)
    bucket = np.where(far < BUCKETS, far, large) + 2 * BUCKETS * (distance > 0)
    sums = bucket @ np.cos(np.arange(S))[:, None]
    path = os.path.join(HERE, "distances")
    onnx.save(model, path + ".onnx")
    with open(path + ".inputs.json", "w") as file:
        json.dump({"ids": ids.tolist()}, file)
    with open(path + ".expected.json", "w") as file:
        json.dump({"0": sums.round(5).tolist()}, file)


main()
