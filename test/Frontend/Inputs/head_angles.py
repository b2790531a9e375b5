"""Writes head-angles.onnx, with folded angles as in an export for inference: of
positions alone, and by head, computed from learned frequencies. Run with the
Python of benchmarks/setup."""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
HEADS, SEQ, WIDTH, CLASSES = 2, 3, 4, 5


def main():
    random = np.random.default_rng(0)
    weights = {
        "onnx::Cos_7": np.outer(np.arange(SEQ), 10.0 ** -np.arange(WIDTH)),
        "onnx::Cos_9": random.standard_normal((HEADS, SEQ, WIDTH)),
        "onnx::MatMul_11": random.standard_normal((WIDTH, CLASSES)),
    }
    nodes = [
        helper.make_node("Cos", ["onnx::Cos_7"], ["shared"], "/rope/Cos"),
        helper.make_node("Mul", ["x", "shared"], ["turned"], "/rope/Mul"),
        helper.make_node("Cos", ["onnx::Cos_9"], ["mixed"], "/attn/Cos"),
        helper.make_node("Mul", ["turned", "mixed"], ["y"], "/attn/Mul"),
        helper.make_node("MatMul", ["y", "onnx::MatMul_11"], ["logits"],
                         "/head/MatMul"),
    ]
    value = lambda name, width: helper.make_tensor_value_info(
        name, TensorProto.FLOAT, ["batch", HEADS, SEQ, width])
    graph = helper.make_graph(
        nodes, "angles", [value("x", WIDTH)], [value("logits", CLASSES)],
        [numpy_helper.from_array(v.astype("f4"), k)
         for k, v in weights.items()])
    onnx.save(
        helper.make_model(graph, producer_name="pytorch", ir_version=8,
                          opset_imports=[helper.make_opsetid("", 17)]),
        os.path.join(HERE, "head-angles.onnx"))


main()
