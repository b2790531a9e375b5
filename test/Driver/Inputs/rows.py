"""Writes turned.onnx, numbered.onnx and normed.onnx, for a batch of any size.
They add the rows in reverse order, multiply each row by its index, and apply a
batch norm."""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))


def write(name, nodes, numbers):
    weight = np.random.default_rng(0).standard_normal((4, 4)).astype("f")
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["h"], name="first"), *nodes],
        name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4])],
        [numpy_helper.from_array(weight, "w"),
         *(numpy_helper.from_array(np.array(value), key)
           for key, value in numbers.items())])
    model = helper.make_model(graph, ir_version=9,
                              opset_imports=[helper.make_opsetid("", 18)])
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(HERE, name + ".onnx"))


write("turned", [
    helper.make_node("Slice", ["h", "last", "least", "rows", "back"], ["t"],
                     name="turn"),
    helper.make_node("Add", ["h", "t"], ["y"], name="add")],
    dict(last=[-1], least=[-2 ** 63 + 1], rows=[0], back=[-1]))
write("numbered", [
    helper.make_node("Shape", ["h"], ["shape"], end=1),
    helper.make_node("Squeeze", ["shape"], ["n"]),
    helper.make_node("Range", ["zero", "n", "one"], ["i"], name="count"),
    helper.make_node("Cast", ["i"], ["f"], to=1),
    helper.make_node("Unsqueeze", ["f", "columns"], ["c"]),
    helper.make_node("Mul", ["h", "c"], ["y"], name="weigh")],
    dict(zero=0, one=1, columns=[1]))
write("normed", [
    helper.make_node("BatchNormalization", ["h", "s", "b", "mean", "variance"],
                     ["y"], name="norm")],
    {key: np.full(4, value, "f") for key, value in dict(
        s=1.1, b=0.1, mean=0.2, variance=0.9).items()})
