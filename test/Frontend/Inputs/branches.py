#!/usr/bin/env python3
"""Writes the models of branches.test; run with the Python of benchmarks/setup.

    branch.onnx       x [batch, k, 6] times a weight; if k is 1 that dim is
                      dropped, else it is summed over
    undecided.onnx    the same, by the sign of a sum of x
    overwritten.onnx  [batch, seq, 32] as [batch, seq, 3, 8], the 3 being what
                      PyTorch's TorchScript exporter wrote over a -1
"""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
node = helper.make_node


def save(name, nodes, shape, weights):
    info = lambda name, dims: helper.make_tensor_value_info(
        name, TensorProto.FLOAT, dims or ["rows", "columns"])
    graph = helper.make_graph(
        nodes, name, [info("x", shape)], [info("y", None)],
        [numpy_helper.from_array(w, k) for k, w in weights.items()])
    model = helper.make_model(graph,
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(HERE, name + ".onnx"))


def branch(name, condition):
    out = lambda n: [helper.make_tensor_value_info(
        n, TensorProto.FLOAT, ["batch", 8])]
    drop = helper.make_graph(
        [node("Squeeze", ["h", "one"], ["then"], "/Squeeze")], "then", [],
        out("then"))
    add = helper.make_graph(
        [node("ReduceSum", ["h", "one"], ["else"], "/Sum", keepdims=0)],
        "else", [], out("else"))
    rng = np.random.default_rng(0)
    save(name, [
        node("MatMul", ["x", "l1.weight"], ["h"], "/l1/MatMul"),
        *condition,
        node("If", ["is"], ["z"], "/If", then_branch=drop, else_branch=add),
        node("MatMul", ["z", "l2.weight"], ["y"], "/l2/MatMul"),
    ], ["batch", "k", 6], {
        "l1.weight": rng.normal(size=(6, 8)).astype("f4"),
        "l2.weight": rng.normal(size=(8, 3)).astype("f4"),
        "one": np.array([1]), "zero": np.array(0, "f4"),
        "first": np.array(1),
    })


def main():
    branch("branch", [
        node("Shape", ["h"], ["shape"], "/Shape"),
        node("Gather", ["shape", "first"], ["k"], "/Gather"),
        node("Equal", ["k", "first"], ["is"], "/Equal"),
    ])
    branch("undecided", [
        node("ReduceSum", ["x"], ["sum"], "/ReduceSum", keepdims=0),
        node("Greater", ["sum", "zero"], ["is"], "/Greater"),
    ])
    weight = np.random.default_rng(0).normal(size=(6, 32)).astype("f4")
    save("overwritten", [
        node("MatMul", ["x", "l.weight"], ["h"], "/l/MatMul"),
        node("Shape", ["h"], ["lead"], "/Shape", end=2),
        node("Concat", ["lead", "rest"], ["to"], "/Concat", axis=0),
        node("Reshape", ["h", "to"], ["y"], "/Reshape"),
    ], ["batch", "seq", 6], {"l.weight": weight, "rest": np.array([3, 8])})


if __name__ == "__main__":
    main()
