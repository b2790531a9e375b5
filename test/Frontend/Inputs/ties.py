#!/usr/bin/env python3
"""Writes ties.onnx: what inference exports do to ties.

Run with the Python of benchmarks/setup. The norms' equal weights and biases
are merged behind Identity nodes, the head tied to wte is a transposed copy.
"""

import os

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

HERE = os.path.dirname(os.path.abspath(__file__))
VOCAB, WIDTH = 16, 8


def norm(i, x, y):
    return helper.make_node(
        "LayerNormalization",
        [x, f"ln_{i}.weight", f"ln_{i}.bias"],
        [y],
        name=f"/ln_{i}/LayerNormalization",
    )


def main():
    wte = (np.arange(VOCAB * WIDTH) % 31 - 15).reshape(VOCAB, WIDTH)
    wte = wte.astype("f4") / 64
    weights = {
        "wte.weight": wte,
        "ln_1.weight": np.ones(WIDTH, "f4"),
        "ln_1.bias": np.zeros(WIDTH, "f4"),
        "onnx::MatMul_7": np.ascontiguousarray(wte.T),
    }
    nodes = [
        helper.make_node("Identity", ["ln_1.weight"], ["ln_2.weight"]),
        helper.make_node("Identity", ["ln_1.bias"], ["ln_2.bias"]),
        helper.make_node("Gather", ["wte.weight", "ids"], ["x"], name="/wte"),
        norm(1, "x", "y"),
        norm(2, "y", "z"),
        helper.make_node("MatMul", ["z", "onnx::MatMul_7"], ["logits"], name="/head"),
    ]
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [2, 4])
    logits = helper.make_tensor_value_info(
        "logits", TensorProto.FLOAT, [2, 4, VOCAB]
    )
    tensors = [numpy_helper.from_array(v, n) for n, v in weights.items()]
    graph = helper.make_graph(nodes, "ties", [ids], [logits], tensors)
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    save(model, os.path.join(HERE, "ties.onnx"))


if __name__ == "__main__":
    main()
