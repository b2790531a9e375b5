#!/usr/bin/env python3
"""Writes kinks.onnx: functions at points without a derivative, and scatters.

Run with the Python of benchmarks/setup. Every function has a separate
parameter; the model's output is the concatenation of all results, times an
input. Also writes kinks.points.json, the parameters; kinks.expected.json,
PyTorch's gradient of the sum of the results; and kinks.labels.json, the results
minus one half: targets for which the sum of squared errors has this gradient.
"""

import json
import os

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))


class Graph:
    def __init__(self):
        self.nodes, self.weights, self.parts = [], {}, []
        self.points, self.gradients, self.results = {}, {}, []

    def constant(self, value):
        name = f"c{len(self.weights)}"
        # A rank-0 or integer tensor is not a parameter.
        self.weights[name] = np.asarray(value)
        return name

    def add(self, op, function, *points, constants=(), **attributes):
        """`points`: values of the parameters, operands before `constants`."""
        name = f"{op.lower()}.{len(self.parts)}"
        operands = [f"{name}.{i}" for i in range(len(points))]
        arrays = [np.asarray(p, "f4") for p in points]
        self.weights.update(zip(operands, arrays))
        places = [self.constant(c) for c in constants]
        # ScatterElements takes data, indices, updates.
        order = operands[:1] + places + operands[1:]
        self.nodes.append(
            helper.make_node(op, order, [name], "/" + name, **attributes)
        )
        self.nodes.append(
            helper.make_node("Reshape", [name, "flat"], [name + ".flat"],
                             "/" + name + "/flat")
        )
        self.parts.append(name + ".flat")
        leaves = [torch.tensor(a, requires_grad=True) for a in arrays]
        self.points.update(
            (n, a.flatten().tolist()) for n, a in zip(operands, arrays)
        )
        result = function(*leaves)
        gradients = torch.autograd.grad(result.sum(), leaves)
        self.gradients.update(
            (n, g.flatten().tolist()) for n, g in zip(operands, gradients)
        )
        self.results += result.flatten().tolist()

    def save(self):
        n = len(self.results)
        self.weights["flat"] = np.array([-1])
        self.nodes.append(
            helper.make_node("Concat", self.parts, ["all"], "/all", axis=0)
        )
        self.nodes.append(helper.make_node("Mul", ["all", "z"], ["y"], "/y"))
        info = lambda name: helper.make_tensor_value_info(
            name, TensorProto.FLOAT, [n])
        graph = helper.make_graph(
            self.nodes, "kinks", [info("z")], [info("y")],
            [numpy_helper.from_array(w, k) for k, w in self.weights.items()])
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 18)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, os.path.join(HERE, "kinks.onnx"))
        labels = [y - 0.5 for y in self.results]
        for name, value in (
            ("points", self.points),
            ("expected", self.gradients),
            ("labels", labels),
        ):
            path = os.path.join(HERE, f"kinks.{name}.json")
            with open(path, "w") as file:
                json.dump(value, file)
                file.write("\n")


def main():
    g = Graph()
    three = [-1, 0, 1]
    g.add("Abs", torch.abs, three)
    g.add("Relu", torch.relu, three)
    g.add("LeakyRelu", lambda x: F.leaky_relu(x, 0.125), three, alpha=0.125)
    g.add("Elu", lambda x: F.elu(x, 2), three, alpha=2.0)
    g.add("Celu", lambda x: F.celu(x, 2), three, alpha=2.0)
    g.add("Selu", F.selu, three)
    g.add("PRelu", lambda x, w: torch.where(x > 0, x, w * x), three,
          [0.25, 0.5, 0.75])
    g.add("HardSigmoid", F.hardsigmoid, [-4, -3, 0, 3, 4], alpha=1 / 6,
          beta=0.5)
    g.add("HardSwish", F.hardswish, [-4, -3, 0, 3, 4])
    g.add("ThresholdedRelu", lambda x: F.threshold(x, 1, 0), [0, 1, 2],
          alpha=1.0)
    g.add("Shrink", lambda x: F.softshrink(x, 0.5), [-1, -0.5, 0, 0.5, 1],
          lambd=0.5, bias=0.5)
    g.add("Softsign", F.softsign, three)
    g.add("Mish", F.mish, three)
    g.add("Atan", torch.atan, [-3, -1, -0.25, 0, 0.25, 1, 3])
    g.add("Asin", torch.asin, [-0.75, -0.25, 0, 0.25, 0.75])
    g.add("Acos", torch.acos, [-0.75, -0.25, 0, 0.25, 0.75])
    g.add("Softplus", F.softplus, three)
    bound = lambda x: np.array(x, "f4")
    g.add("Clip", lambda x: x.clamp(-1, 1), [-2, -1, 0, 1, 2],
          constants=[bound(-1), bound(1)])
    g.add("Max", torch.maximum, [1, 2, 3], [2, 2, 2])
    g.add("Min", torch.minimum, [1, 2, 3], [2, 2, 2])
    g.add("ReduceMax", lambda x: x.amax(1), [[1, 3, 3], [4, 0, 1]],
          constants=[[1]])
    g.add("ReduceMin", lambda x: x.amin(1), [[1, 1, 1], [4, 0, 0]],
          constants=[[1]])
    g.add("ReduceProd", lambda x: x.prod(1), [[1, 2, 3], [4, 0, 2], [0, 0, 1]],
          constants=[[1]])
    g.add("ReduceL1", lambda x: x.norm(1, 1), [[1, 0], [-2, 3]],
          constants=[[1]])
    g.add("ReduceL2", lambda x: x.norm(2, 1), [[3, 4], [0, 0]],
          constants=[[1]])
    g.add("Pow", lambda x: x**3, three, constants=[bound(3)])
    # Among equal elements the first of a window, in row order, gets the
    # gradient.
    g.add("MaxPool", lambda x: F.max_pool1d(x, 3, 2, 1),
          [[[1, 1, 0, 2, 2, 2]]], kernel_shape=[3], strides=[2], pads=[1, 1])
    g.add("MaxPool", lambda x: F.max_pool2d(x, 2, 1, ceil_mode=True),
          [[[[1, 0, 2], [0, 1, 2], [3, 3, 2]]]], kernel_shape=[2, 2])
    image = [[1, 2, 2, 0], [0, 2, 2, 2], [3, 3, 1, 0], [3, 0, 3, 3]]
    g.add("MaxPool", lambda x: F.max_pool2d(x, 3, 2, 1), [[image]],
          kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    g.add("MaxPool", lambda x: F.max_pool1d(x, 2, 3, 0, 2), [[[3, 1, 4, 1, 5, 9, 2, 6]]],
          kernel_shape=[2], strides=[3], dilations=[2])
    scatters(g)
    g.save()


def scatters(g):
    # Equal tensors would be taken for the same parameter.
    table = np.arange(12).reshape(4, 3)
    rows = np.array([[2, 0, 1], [0, 1, 3]])
    updates = np.array([[10, 20, 30], [40, 50, 60]])
    index = torch.tensor(rows)
    g.add("ScatterElements", lambda x, u: x.scatter(0, index, u), table + 1,
          updates, constants=[rows], axis=0)
    # Counted from the end, and one element twice.
    repeated = np.array([[-1, 0, 1], [-1, 0, 2]])
    index = torch.tensor(repeated % 4)
    g.add("ScatterElements", lambda x, u: x.scatter_add(0, index, u), table + 2,
          updates + 1, constants=[repeated], axis=0, reduction="add")
    g.add("GatherElements", lambda x: x.gather(0, index), table + 3,
          constants=[repeated], axis=0)
    # Equal extremes share the gradient, also with the element itself.
    index = torch.tensor(repeated % 4)
    tops = np.array([[9, 8, 9], [9, 8, 10]])
    for i, (how, name) in enumerate(
            (("prod", "mul"), ("amax", "max"), ("amin", "min"))):
        g.add("ScatterElements",
              lambda x, u: x.scatter_reduce(0, index, u, how),
              (table + 7.5 - i) / 8, (tops - i) / 8, constants=[repeated],
              axis=0, reduction=name)
    places = np.array([[3], [1]])
    put = lambda x, u, add: x.index_put((torch.tensor([3, 1]),), u, add)
    g.add("ScatterND", lambda x, u: put(x, u, False), table + 4,
          updates + 2, constants=[places])
    places = np.array([[1, 2], [0, 0], [1, 2]])
    deep = (torch.tensor([1, 0, 1]), torch.tensor([2, 0, 2]))
    g.add("ScatterND", lambda x, u: x.index_put(deep, u, True), table + 5,
          [1, 2, 3], constants=[places], reduction="add")
    g.add("GatherND", lambda x: x[deep], table + 6, constants=[places])


if __name__ == "__main__":
    main()
