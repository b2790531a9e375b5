"""Writes placeholders.onnx, a language model whose text has ids for images:
they are looked up as padding, and the rows of images, none here, replace them.
Writes placeholders.bin, a text, and prints the loss of its first sample. Run
with the Python of benchmarks/setup."""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

HERE = os.path.dirname(os.path.abspath(__file__))
VOCAB, WIDTH, SEQ, PICTURE = 24, 8, 5, 20


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], name=output,
                            **attributes)


def main():
    draw = np.random.default_rng(0)
    constants = {
        "picture": np.array(PICTURE), "padding": np.array(0),
        "none": np.zeros(0, "i8"), "places": np.zeros((0, 1), "i8"),
        "rows": np.array([-1, WIDTH]),
        "wte.weight": draw.normal(size=(VOCAB, WIDTH)).astype("f4"),
        "head.weight": draw.normal(size=(WIDTH, VOCAB)).astype("f4"),
    }
    nodes = [
        node("Equal", "input_ids picture", "is_picture"),
        node("Where", "is_picture padding input_ids", "text_ids"),
        node("Gather", "wte.weight text_ids", "text"),
        node("Reshape", "text rows", "flat"),
        node("Gather", "flat none", "pictures"),
        node("ScatterND", "flat places pictures", "joined"),
        node("Shape", "text", "shape"),
        node("Reshape", "joined shape", "states"),
        node("MatMul", "states head.weight", "logits"),
    ]
    dims = ["batch", "seq"]
    model = helper.make_model(
        helper.make_graph(
            nodes, "placeholders",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64,
                                           dims)],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT,
                                           [*dims, VOCAB])],
            [numpy_helper.from_array(v, k) for k, v in constants.items()]),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = os.path.join(HERE, "placeholders")
    onnx.save(model, path + ".onnx")
    text = np.array([3, PICTURE, 7, PICTURE, 5, 9] + [1] * SEQ, "<u2")
    text.tofile(path + ".bin")
    ids = text[None, :SEQ].astype("i8")
    logits, = ReferenceEvaluator(model).run(None, {"input_ids": ids})
    scores = logits[0].astype("f8")
    scores -= np.log(np.exp(scores).sum(1, keepdims=True))
    print(-scores[np.arange(SEQ), text[1:SEQ + 1]].mean())


if __name__ == "__main__":
    main()
