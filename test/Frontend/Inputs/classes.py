"""Writes classes.onnx: a cross entropy with a weight for each class, of numbers
by position, and labels with -100 for ignored positions.

    .venv/bin/python classes.py
"""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    rng = np.random.default_rng(0)
    weights = {"head.weight": rng.standard_normal((3, 5)),
               "class_weights": rng.random(5) + 0.5}
    nodes = [
        helper.make_node("MatMul", ["features", "head.weight"], ["scores"]),
        helper.make_node("Transpose", ["scores"], ["by_class"],
                         perm=[0, 2, 1]),
        helper.make_node("SoftmaxCrossEntropyLoss",
                         ["by_class", "labels", "class_weights"], ["loss"],
                         "loss", ignore_index=-100, reduction="mean")]
    graph = helper.make_graph(
        nodes, "classes",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT,
                                       ["batch", "seq", 3]),
         helper.make_tensor_value_info("labels", TensorProto.INT64,
                                       ["batch", "seq"])],
        [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])],
        [numpy_helper.from_array(w.astype(np.float32), n)
         for n, w in weights.items()])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(HERE, "classes.onnx"))


if __name__ == "__main__":
    main()
