#!/usr/bin/env python3
"""Writes small models with features of inference exports.

Run with the Python of benchmarks/setup.

    ties.onnx    the norms' equal weights and biases merged behind Identity
                 nodes, the head tied to wte a transposed copy
    fresh.onnx   an untrained model: two tokens of zeros merged behind an
                 Identity node, a norm without a scale and one with it
    inputs.onnx  a mask and positions as inputs in addition to the tokens
    patches.onnx  an image and its mask: patches by a convolution, the mask
                  looked up by constant indices, dropout without a sequence
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


def image(name, stride):
    """A model of an image [batch, 3, 8, 8] and a bool per quarter of it."""
    kernel = (np.arange(WIDTH * 48) % 31 - 15).reshape(WIDTH, 3, 4, 4)
    weights = {
        "patch.weight": kernel.astype("f4") / 64,
        "patch.bias": np.arange(WIDTH).astype("f4") / 64,
        "head.weight": np.ones((WIDTH, VOCAB), "f4"),
        "flat": np.array([-1, WIDTH, 4]),
        "rows": np.arange(4).reshape(4, 1),
        "ratio": np.array(0.25, "f4"),
        "training": np.array(True),
        "first": np.array(0),
        "zero": np.array(0, "f4"),
    }
    nodes = [
        helper.make_node(
            "Conv",
            ["pixels", "patch.weight", "patch.bias"],
            ["c"],
            name="/Conv",
            kernel_shape=[4, 4],
            strides=[stride, stride],
        ),
        helper.make_node("Reshape", ["c", "flat"], ["f"]),
        helper.make_node("Transpose", ["f"], ["t"], perm=[0, 2, 1]),
        helper.make_node("Gather", ["seen", "rows"], ["m"], axis=1),
        helper.make_node("Where", ["m", "t", "zero"], ["w"], name="/Where"),
        helper.make_node(
            "Dropout", ["w", "ratio", "training"], ["d"], name="/Dropout"
        ),
        helper.make_node("Gather", ["d", "first"], ["g"], axis=1),
        helper.make_node("MatMul", ["g", "head.weight"], ["logits"], name="/head"),
    ]
    graph = helper.make_graph(
        nodes,
        name,
        [
            helper.make_tensor_value_info(
                "pixels", TensorProto.FLOAT, ["batch", 3, 8, 8]
            ),
            helper.make_tensor_value_info(
                "seen", TensorProto.BOOL, ["batch", 4]
            ),
        ],
        [
            helper.make_tensor_value_info(
                "logits", TensorProto.FLOAT, ["batch", VOCAB]
            )
        ],
        [numpy_helper.from_array(v, n) for n, v in weights.items()],
    )
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    save(model, os.path.join(HERE, name + ".onnx"))


def main():
    image("patches", 4)
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
        "cls.token": np.zeros((1, 1, WIDTH), "f4"),
        "val_7": np.ones(WIDTH, "f4"),
        "ln.weight": np.ones(WIDTH, "f4"),
        "head.weight": np.ascontiguousarray(wte[::-1].T),
    }
    nodes = [
        helper.make_node("Identity", ["cls.token"], ["dist.token"]),
        gather,
        helper.make_node("Add", ["x", "cls.token"], ["x1"], name="/cls"),
        helper.make_node("Add", ["x1", "dist.token"], ["x2"], name="/dist"),
        helper.make_node("LayerNormalization", ["x2", "val_7"], ["y"],
                         name="/plain"),
        helper.make_node("LayerNormalization", ["y", "ln.weight"], ["z"],
                         name="/ln"),
        helper.make_node("MatMul", ["z", "head.weight"], ["logits"],
                         name="/head"),
    ]
    write("fresh", nodes, weights, ["ids"])

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
