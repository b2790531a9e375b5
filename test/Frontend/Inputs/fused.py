#!/usr/bin/env python3
"""Writes small models of fused operators, and their results.

Run with the Python of benchmarks/setup.

    fused.onnx      Attention, RotaryEmbedding, RMSNormalization, Swish and
                    Gelu of opset 24; the results are onnx.reference's
    microsoft.onnx  operators of ONNX Runtime's optimizer; the results are its

Inputs and results are in *.inputs.json and *.expected.json.
"""

import json
import os

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

HERE = os.path.dirname(os.path.abspath(__file__))
B, S, H, G, D = 2, 4, 4, 2, 8
PARAMETERS = ("bias", "scale", "shift", "matrix", "batches")
random = np.random.default_rng(0)


def values(*shape):
    return np.round(random.standard_normal(shape), 3).astype("f4")


def tables(width):
    """Cosines and sines [S, width / 2]."""
    angles = np.outer(np.arange(S), 10.0 ** -np.arange(width // 2))
    return np.cos(angles).astype("f4"), np.sin(angles).astype("f4")


class Graph:
    """A model in which every node has an output of the model."""

    def __init__(self):
        self.nodes, self.inputs, self.weights, self.outputs = [], {}, {}, []

    def add(self, op, *operands, domain="", **attributes):
        name = f"{op}_{len(self.outputs)}"
        self.nodes.append(
            helper.make_node(op, operands, [name], "/" + name, domain=domain,
                             **attributes)
        )
        self.outputs.append(name)

    def model(self, opset):
        def info(name, value):
            return helper.make_tensor_value_info(
                name, TensorProto.FLOAT, value.shape
            )

        graph = helper.make_graph(
            self.nodes,
            "fused",
            [info(n, v) for n, v in self.inputs.items()],
            [
                helper.make_tensor_value_info(n, TensorProto.FLOAT, None)
                for n in self.outputs
            ],
            [numpy_helper.from_array(v, n) for n, v in self.weights.items()],
        )
        return helper.make_model(
            graph,
            opset_imports=[
                helper.make_opsetid("", opset),
                helper.make_opsetid("com.microsoft", 1),
            ],
            ir_version=8,
            producer_name="test",
        )

    def write(self, name, opset, run):
        model = self.model(opset)
        results = run(model)
        for output, result in zip(model.graph.output, results):
            for extent in result.shape:
                output.type.tensor_type.shape.dim.add().dim_value = extent
        path = os.path.join(HERE, name)
        with open(path + ".onnx", "wb") as file:
            file.write(model.SerializeToString(deterministic=True))
        # Tables of angles and positions are not parameters.
        parameters = [
            ("@" + n, v)
            for n, v in self.weights.items()
            if n in PARAMETERS
        ]
        for suffix, named in (
            ("inputs", [*self.inputs.items(), *parameters]),
            ("expected", ((str(i), r) for i, r in enumerate(results))),
        ):
            with open(f"{path}.{suffix}.json", "w") as file:
                rounded = {
                    n: np.round(v.astype("f8"), 6).tolist() for n, v in named
                }
                json.dump(rounded, file)
                file.write("\n")


def fused():
    g = Graph()
    g.inputs = {
        "q": values(B, H, S, D),
        "k": values(B, G, S, D),
        "v": values(B, G, S, D),
        "rows": values(B, S, H * D),
        "few": values(B, S, G * D),
    }
    cos, sin = tables(D)
    g.weights = {
        "bias": values(S, S),
        "scale": values(H * D),
        "cos": cos,
        "sin": sin,
        "cos4": cos[:, :2].copy(),
        "sin4": sin[:, :2].copy(),
        "positions": np.tile(np.arange(S), (B, 1)),
    }
    g.add("Attention", "q", "k", "v", is_causal=1)
    g.add("Attention", "q", "k", "v", "bias", scale=0.5, softcap=2.0)
    g.add("Attention", "rows", "few", "few", q_num_heads=H, kv_num_heads=G)
    g.add("RotaryEmbedding", "q", "cos", "sin", "positions")
    g.add("RotaryEmbedding", "q", "cos", "sin", "positions", interleaved=1)
    g.add("RotaryEmbedding", "rows", "cos4", "sin4", "positions", num_heads=H,
          rotary_embedding_dim=4)
    g.add("RMSNormalization", "rows", "scale", epsilon=1e-6)
    g.add("Swish", "rows", alpha=1.5)
    g.add("Gelu", "rows", approximate="tanh")
    g.write(
        "fused", 24,
        lambda model: ReferenceEvaluator(model).run(None, g.inputs),
    )


def microsoft():
    g = Graph()
    g.inputs = {"x": values(B, S, H * D), "skip": values(B, S, H * D)}
    cos, sin = tables(D)
    g.weights = {
        "bias": values(H * D),
        "scale": values(H * D),
        "shift": values(H * D),
        "cos": cos,
        "sin": sin,
        "positions": np.tile(np.arange(S), (B, 1)),
    }
    ms = dict(domain="com.microsoft")
    g.add("BiasGelu", "x", "bias", **ms)
    g.add("FastGelu", "x", "bias", **ms)
    g.add("Gelu", "x", **ms)
    g.add("QuickGelu", "x", alpha=1.5, **ms)
    g.add("SkipLayerNormalization", "x", "skip", "scale", "shift", "bias",
          epsilon=1e-5, **ms)
    g.add("SkipSimplifiedLayerNormalization", "x", "skip", "scale",
          epsilon=1e-5, **ms)
    g.add("SimplifiedLayerNormalization", "x", "scale", epsilon=1e-5)
    g.add("RotaryEmbedding", "x", "positions", "cos", "sin", num_heads=H, **ms)
    # Operands before the transposes of the op: [b, s, n] transposed, or b as
    # the last dim but one.
    g.weights["matrix"] = values(H * D, H * D)
    g.weights["batches"] = values(B, S, H * D)
    g.add("FusedMatMul", "x", "matrix", alpha=0.25, transB=1, **ms)
    g.add("FusedMatMul", "x", "batches", transA=1, **ms)
    g.add("FusedMatMul", "x", "batches", transBatchA=1, transBatchB=1, transB=1,
          **ms)

    def run(model):
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        return session.run(None, g.inputs)

    g.write("microsoft", 17, run)


if __name__ == "__main__":
    fused()
    microsoft()
