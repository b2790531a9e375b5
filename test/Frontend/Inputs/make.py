#!/usr/bin/env python3
"""Writes small models of what inference exports have.

Run with the Python of benchmarks/setup.

    ties.onnx    the norms' equal weights and biases merged behind Identity
                 nodes, the head tied to wte a transposed copy
    inputs.onnx  a mask and positions as inputs beside the tokens
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


def write(name, nodes, weights, inputs):
    """A model of int64 inputs [batch, 4] and logits [batch, 4, VOCAB]."""
    graph = helper.make_graph(
        nodes,
        name,
        [
            helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", 4])
            for n in inputs
        ],
        [
            helper.make_tensor_value_info(
                "logits", TensorProto.FLOAT, ["batch", 4, VOCAB]
            )
        ],
        [numpy_helper.from_array(v, n) for n, v in weights.items()],
    )
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    save(model, os.path.join(HERE, name + ".onnx"))


def main():
    wte = (np.arange(VOCAB * WIDTH) % 31 - 15).reshape(VOCAB, WIDTH)
    wte = wte.astype("f4") / 64
    gather = helper.make_node("Gather", ["wte.weight", "ids"], ["x"], name="/wte")
    head = helper.make_node("MatMul", ["z", "onnx::MatMul_7"], ["logits"])
    head.name = "/head"
    weights = {
        "wte.weight": wte,
        "ln_1.weight": np.ones(WIDTH, "f4"),
        "ln_1.bias": np.zeros(WIDTH, "f4"),
        "onnx::MatMul_7": np.ascontiguousarray(wte.T),
    }
    nodes = [
        helper.make_node("Identity", ["ln_1.weight"], ["ln_2.weight"]),
        helper.make_node("Identity", ["ln_1.bias"], ["ln_2.bias"]),
        gather,
        norm(1, "x", "y"),
        norm(2, "y", "z"),
        head,
    ]
    write("ties", nodes, weights, ["ids"])

    weights = {
        "wte.weight": wte,
        "wpe.weight": wte[:4] * 2,
        "axes": np.array([2]),
        "onnx::MatMul_7": np.ascontiguousarray(wte.T),
    }
    nodes = [
        gather,
        helper.make_node(
            "Gather", ["wpe.weight", "position_ids"], ["p"], name="/wpe"
        ),
        helper.make_node("Add", ["x", "p"], ["y"], name="/add"),
        helper.make_node("Cast", ["attention_mask"], ["m"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["m", "axes"], ["u"]),
        helper.make_node("Mul", ["y", "u"], ["z"], name="/mask"),
        head,
    ]
    write("inputs", nodes, weights, ["ids", "attention_mask", "position_ids"])


if __name__ == "__main__":
    main()
