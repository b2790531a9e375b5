#!/usr/bin/env python3
"""Writes small models whose tables limit the sequence length.

Run with the Python of benchmarks/setup.

    context-offset.onnx    positions that begin at row 2, as OPT has them
    context-mask.onnx      more positions than its causal mask has
    context-buffer.onnx    more positions than its buffer of their numbers has
    context-padding.onnx   positions that count tokens other than padding, as in
                           RoBERTa
    context-rows.onnx      positions looked up by GatherND, as dynamo writes it
    context-added.onnx     a table of positions that is added whole
    context-mixer.onnx     a matrix from 12 positions to 24
    context-fixed.onnx     more positions than the 12 of its export
    context-axes.onnx      a norm of whole numbers, which cannot be read
    context-distance.onnx  a bias looked up by distance, which sets no limit
    context-long.onnx      8192 positions
    context-two.onnx       an encoder's and a decoder's positions
    context-stated.onnx    metadata with a smaller length than the positions
    context-none.onnx      metadata that is not a number
"""

import os

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

HERE = os.path.dirname(os.path.abspath(__file__))
VOCAB, WIDTH = 16, 8


class Graph:
    def __init__(self):
        self.nodes, self.weights, self.random = [], [], np.random.RandomState(0)

    def node(self, op, *inputs, **attributes):
        """Adds a node, and arrays as initializers; returns the result's
        name."""
        names = [self.weight(f"c{len(self.weights)}", x)
                 if isinstance(x, np.ndarray) else x for x in inputs]
        result = f"/{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, names, [result], result,
                                           **attributes))
        return result

    def weight(self, name, array):
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def table(self, name, rows, width=WIDTH):
        values = self.random.normal(0, 0.02, (rows, width))
        return self.weight(name, values.astype("f4"))

    def length(self, ids):
        return self.node("Gather", self.node("Shape", ids), ints(1), axis=0)

    def range(self, ids):
        end = self.node("Squeeze", self.length(ids), ints(0))
        return self.node("Range", np.array(0), end, np.array(1))

    def slice(self, table, end, axis):
        return self.node("Slice", table, ints(0), end, ints(axis))

    def attend(self, x, mask=None, bias=None):
        scores = self.node("MatMul", x, self.node("Transpose", x,
                                                  perm=[0, 2, 1]))
        if mask:
            scores = self.node("Where", mask, scores, np.array(-1e9, "f4"))
        if bias:
            scores = self.node("Add", scores, bias)
        return self.node("MatMul", self.node("Softmax", scores, axis=-1), x)

    def write(self, name, logits, inputs, metadata=None):
        head = self.table("head", WIDTH, VOCAB)
        self.nodes.append(helper.make_node("MatMul", [logits, head],
                                           ["logits"], "/head"))
        graph = helper.make_graph(
            self.nodes, name,
            [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", dim])
             for n, dim in inputs.items()],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT,
                                           ["batch", "s", VOCAB])],
            self.weights)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        helper.set_model_props(model, metadata or {})
        save(model, os.path.join(HERE, name + ".onnx"))


def ints(*values):
    return np.array(values, "i8")


def embed(g, ids, positions, rows, name="wpe", width=WIDTH):
    tokens = g.node("Gather", g.table(name + ".tokens", VOCAB), ids)
    return g.node("Add", tokens,
                  g.node("Gather", g.table(name, rows, width), positions))


def plain(name, rows, metadata=None, width=WIDTH):
    g = Graph()
    x = embed(g, "input_ids", g.range("input_ids"), rows, width=width)
    g.write(name, x, {"input_ids": "seq"}, metadata)


def main():
    ids = {"input_ids": "seq"}

    g = Graph()
    positions = g.node("Add", g.range("input_ids"), ints(2))
    g.write("context-offset", embed(g, "input_ids", positions, 34), ids)

    g = Graph()
    x = embed(g, "input_ids", g.range("input_ids"), 64)
    mask = g.weight("causal", np.tril(np.ones((1, 48, 48), bool)))
    for axis in (1, 2):
        mask = g.slice(mask, g.length("input_ids"), axis)
    g.write("context-mask", g.attend(x, mask=mask), ids)

    g = Graph()
    numbers = g.weight("position_ids", np.arange(40)[None])
    positions = g.slice(numbers, g.length("input_ids"), 1)
    g.write("context-buffer", embed(g, "input_ids", positions, 64), ids)

    g = Graph()
    real = g.node("Cast", g.node("Not", g.node("Equal", "input_ids", ints(1))),
                  to=TensorProto.INT64)
    count = g.node("Mul", g.node("CumSum", real, np.array(1)), real)
    positions = g.node("Add", count, ints(1))
    g.write("context-padding", embed(g, "input_ids", positions, 34), ids)

    g = Graph()
    tokens = g.node("Gather", g.table("wte", VOCAB), "input_ids")
    at = g.node("Unsqueeze", g.range("input_ids"), ints(-1))
    angles = g.node("GatherND", g.table("angles", 24), at)
    g.write("context-rows", g.node("Add", tokens, angles), ids)

    g = Graph()
    tokens = g.node("Gather", g.table("wte", VOCAB), "input_ids")
    g.write("context-added", g.node("Add", tokens, g.table("pos", 12)), ids)

    g = Graph()
    x = g.node("Gather", g.table("wte", VOCAB), "input_ids")
    mixed = g.node("Transpose", x, perm=[0, 2, 1])
    mixed = g.node("MatMul", mixed, g.table("mix.up", 12, 24))
    mixed = g.node("MatMul", mixed, g.table("mix.down", 24, 12))
    mixed = g.node("Transpose", mixed, perm=[0, 2, 1])
    g.write("context-mixer", g.node("Add", x, mixed), ids)

    g = Graph()
    x = embed(g, "input_ids", g.range("input_ids"), 32)
    halves = g.node("Reshape", x, ints(-1, 2, 6, WIDTH))
    x = g.node("Add", x, g.node("Reshape", halves, ints(-1, 12, WIDTH)))
    g.write("context-fixed", x, ids)

    g = Graph()
    x = g.node("Gather", g.table("wte", VOCAB), "input_ids")
    apart = g.node("Unsqueeze", "input_ids", ints(1))
    count = g.node("ReduceL2", apart, axes=[1, 2], keepdims=0)
    count = g.node("Cast", count, to=TensorProto.FLOAT)
    count = g.node("Unsqueeze", count, ints(1, 2))
    g.write("context-axes", g.node("Add", x, count), ids)

    g = Graph()
    x = g.node("Gather", g.table("wte", VOCAB), "input_ids")
    at = g.range("input_ids")
    distance = g.node("Sub", g.node("Unsqueeze", at, ints(1)),
                      g.node("Unsqueeze", at, ints(0)))
    rows = g.node("Add", distance, ints(31))
    bias = g.node("Gather", g.table("relative", 63, 1), rows)
    bias = g.node("Squeeze", bias, ints(-1))
    g.write("context-distance", g.attend(x, bias=bias), ids)

    plain("context-long", 8192, width=1)

    g = Graph()
    source = embed(g, "source", g.range("source"), 24, "encoder.wpe")
    target = embed(g, "target", g.range("target"), 16, "decoder.wpe")
    mean = g.node("ReduceMean", source, axes=[1], keepdims=1)
    g.write("context-two", g.node("Add", target, mean),
            {"source": "from", "target": "to"})

    plain("context-stated", 64, {"pcc.version": "1",
                                 "pcc.context_length": "20"})
    plain("context-none", 64, {"pcc.context_length": "many"})


main()
