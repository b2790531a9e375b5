"""Writes moved-ids.onnx, which writes ids to known indices as decoders do with
labels, and the results of ONNX's reference. Run with the Python of
benchmarks/setup."""

import json
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

HERE = os.path.dirname(os.path.abspath(__file__))
B, S = 2, 5
IDS = np.arange(B * S, dtype="i8").reshape(B, S) + 10
# Not representable in single precision.
IDS[0, 1] = 2**24 + 1


def grid(*ranges):
    """[..., dims]: the indices of a part of a tensor."""
    return np.stack(np.meshgrid(*ranges, indexing="ij"), -1).astype("i8")


CASES = {
    # All but the last position, one position further.
    "shifted": ("ScatterND", grid(range(B), range(1, S)), IDS[:, :-1]),
    "first": ("ScatterND", grid(range(B), [0]), np.full((B, 1), 7)),
    # Rows, counted from the end.
    "row": ("ScatterND", grid([-1]), IDS[:1]),
    "inside": ("ScatterND", grid([1], [2, 3]), np.array([[3, 4]])),
    "column": ("ScatterElements", np.full((B, 1), -2), np.full((B, 1), 6)),
    "corner": ("ScatterElements", np.array([[1, 2]]), np.array([[8, 9]])),
}


def main():
    nodes, weights = [], {"unit": np.array(2**24)}
    for name, (op, indices, updates) in CASES.items():
        weights[name + ".at"], weights[name + ".to"] = indices, updates
        axis = {"axis": 1} if op == "ScatterElements" else {}
        nodes += [
            helper.make_node(op, ["ids", name + ".at", name + ".to"],
                             [name + ".ids"], name, **axis),
            helper.make_node("Mod", [name + ".ids", "unit"], [name + ".low"]),
            helper.make_node("Cast", [name + ".low"], [name], to=1),
        ]
    outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [B, S])
               for n in CASES]
    graph = helper.make_graph(
        nodes, "moved-ids",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, [B, S])],
        outputs, [numpy_helper.from_array(np.asarray(v, "i8"), n)
                  for n, v in weights.items()])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    results = ReferenceEvaluator(model).run(None, {"ids": IDS})
    path = os.path.join(HERE, "moved-ids")
    onnx.save(model, path + ".onnx")
    with open(path + ".inputs.json", "w") as file:
        json.dump({"ids": IDS.tolist()}, file)
    with open(path + ".expected.json", "w") as file:
        json.dump({str(i): r.tolist() for i, r in enumerate(results)}, file)


main()
