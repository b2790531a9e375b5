#!/usr/bin/env python3
"""Writes small models, each with one defect that the frontend must report.

Run with the Python of benchmarks/setup.

    good.onnx               none: a token embedding, a norm and a head
    not-onnx.onnx           is text
    empty.onnx              has no bytes: a protobuf without a graph
    truncated.onnx          good.onnx without its last third
    raw-size.onnx           a weight with less data than its shape needs
    undefined.onnx          a node reads a value that nothing defines
    unsupported.onnx        Loop twice, LpPool once
    dynamic.onnx            batch and seq are not bound
    dynamic-position.onnx   seq is not bound, and decides a weight's use
    cache.onnx              has an input for past keys
    experts.onnx            routes tokens by samples
    repeated.onnx           adds a table of positions folded for two samples
    distance.onnx           adds a table looked up by distances, folded
    complex.onnx            casts to complex128, as bf16 was exported
    quantized.onnx          dequantizes its head
    ways-out.onnx           an operator of a later opset, a function of the
                            file, a branch with LpPool in it, a fused operator
    last-position.onnx      returns the scores of the last position alone
    external/*.onnx         good.onnx with its head outside:
      good                  in good.weights
      missing               in a file that does not exist
      short                 in a file that is 64 bytes too short
      size                  with a length that its shape does not have
      negative              at a negative offset
      overflow              at an offset that overflows with the length added
      parent                in ../outside.weights, which exists
      absolute              in a licence text, named by its absolute path
      link                  in link.weights, a symbolic link out of the folder
"""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data

HERE = os.path.dirname(os.path.abspath(__file__))
VOCAB, WIDTH, BATCH, SEQ = 16, 8, 2, 4
HEAD = "head.weight"


def weights():
    """wte [V, W], norm weight and bias [W], head [W, V]; multiples of 1/64."""

    def ramp(*shape):
        count = int(np.prod(shape))
        return (np.arange(count) % 31 - 15).reshape(shape).astype("f4") / 64

    return {
        "wte.weight": ramp(VOCAB, WIDTH),
        "ln.weight": np.ones(WIDTH, "f4"),
        "ln.bias": np.zeros(WIDTH, "f4"),
        HEAD: ramp(WIDTH, VOCAB),
    }


def model(batch=BATCH, seq=SEQ, between=(), extra=None):
    """The model as a protobuf. `between` are operators applied to the norm's
    result, one after the other; `extra` is (nodes, weights) that replace the
    embedding and define "x"."""
    nodes, tensors = [], weights()
    if extra:
        nodes += extra[0]
        tensors.update(extra[1])
    else:
        nodes.append(
            helper.make_node(
                "Gather", ["wte.weight", "input_ids"], ["x"], name="/wte/Gather"
            )
        )
    nodes.append(
        helper.make_node(
            "LayerNormalization",
            ["x", "ln.weight", "ln.bias"],
            ["y0"],
            name="/ln/LayerNormalization",
            axis=-1,
            epsilon=1e-5,
        )
    )
    for i, operator in enumerate(between):
        nodes.append(
            helper.make_node(
                operator, [f"y{i}"], [f"y{i + 1}"], name=f"/{operator}_{i}"
            )
        )
    nodes.append(
        helper.make_node(
            "MatMul",
            [f"y{len(between)}", HEAD],
            ["logits"],
            name="/head/MatMul",
        )
    )
    graph = helper.make_graph(
        nodes,
        "bad",
        [
            helper.make_tensor_value_info(
                "input_ids", TensorProto.INT64, [batch, seq]
            )
        ],
        [
            helper.make_tensor_value_info(
                "logits", TensorProto.FLOAT, [batch, seq, VOCAB]
            )
        ],
        [numpy_helper.from_array(v, n) for n, v in tensors.items()],
    )
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="test",
    )


def tensor_of(proto, name):
    return next(t for t in proto.graph.initializer if t.name == name)


def write(name, data):
    if not isinstance(data, bytes):
        data = data.SerializeToString(deterministic=True)
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(data)


def external(name, location, offset=0, length=None):
    """Writes good.onnx with the head in `location`."""
    proto = model()
    head = tensor_of(proto, HEAD)
    if length is None:
        length = len(head.raw_data)
    set_external_data(head, location, offset, length)
    head.ClearField("raw_data")
    write(os.path.join("external", name + ".onnx"), proto)


def positions():
    """An embedding plus a slice of `seq` rows of a position table."""
    nodes = [
        helper.make_node(
            "Gather", ["wte.weight", "input_ids"], ["e"], name="/wte/Gather"
        ),
        helper.make_node("Shape", ["input_ids"], ["s"], name="/Shape"),
        helper.make_node("Gather", ["s", "one"], ["n"], name="/Gather"),
        helper.make_node(
            "Range", ["zero", "n", "one"], ["p"], name="/Range"
        ),
        helper.make_node(
            "Gather", ["wpe.weight", "p"], ["q"], name="/wpe/Gather"
        ),
        helper.make_node("Add", ["e", "q"], ["x"], name="/Add"),
    ]
    tensors = {
        "wpe.weight": np.zeros((SEQ, WIDTH), "f4"),
        "zero": np.array(0),
        "one": np.array(1),
    }
    return nodes, tensors


def baked():
    """Files that lack a part that training needs, by name."""
    cache = model()
    cache.graph.input.append(
        helper.make_tensor_value_info(
            "past_key_values.0.key", TensorProto.FLOAT, [BATCH, 2, "past", 4]
        )
    )
    experts = model()
    experts.graph.node.append(
        helper.make_node(
            "Multinomial", ["logits"], ["which"], name="/router/Multinomial"
        )
    )
    quantized = model()
    quantized.graph.node.insert(
        1,
        helper.make_node(
            "DequantizeLinear",
            ["head.q", "head.scale"],
            [HEAD + ".f"],
            name="/head/DequantizeLinear",
        ),
    )
    last = model()
    last.graph.node.insert(
        len(last.graph.node) - 1,
        helper.make_node("Gather", ["y0", "last"], ["y"], "/Gather", axis=1),
    )
    last.graph.initializer.append(
        numpy_helper.from_array(np.array([-1]), "last")
    )
    last.graph.node[-1].input[0] = "y"
    last.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 1
    rows = np.arange(SEQ * WIDTH, dtype="f4").reshape(1, SEQ, WIDTH)
    add = helper.make_node("Add", ["e", "embedding_1"], ["x"], name="/Add")
    embed = helper.make_node(
        "Gather", ["wte.weight", "input_ids"], ["e"], name="/wte/Gather"
    )
    table = {"embedding_1": np.repeat(rows, BATCH, 0)}
    apart = np.arange(WIDTH) - np.arange(SEQ)[:, None]
    bias = {"unsqueeze_14": apart[None].astype("f4")}
    add_bias = helper.make_node("Add", ["e", "unsqueeze_14"], ["x"], "/Add")
    distance = model(extra=([embed, add_bias], bias))
    folded = helper.make_tensor_value_info(
        "unsqueeze_14", TensorProto.FLOAT, [1, SEQ, WIDTH]
    )
    source = folded.metadata_props.add()
    source.key = "pkg.onnxscript.optimizer.folded_from"
    source.value = "['arange', 'embedding_1', 'relative_bias.weight', 'sub']"
    distance.graph.value_info.append(folded)
    cast = helper.make_node("Cast", ["e"], ["x"], "/Cast")
    cast.attribute.append(
        helper.make_attribute("to", TensorProto.COMPLEX128)
    )
    return {
        "repeated": model(extra=([embed, add], table)),
        "distance": distance,
        "complex": model(extra=([embed, cast], {})),
        "cache": cache,
        "experts": experts,
        "quantized": quantized,
        "last-position": last,
    }


def ways_out():
    proto = model()
    branch = helper.make_graph(
        [helper.make_node("LpPool", ["logits"], ["b"], "/If/LpPool")],
        "branch",
        [],
        [helper.make_tensor_value_info("b", TensorProto.FLOAT, None)],
    )
    proto.graph.node.extend(
        [
            helper.make_node("Attention", ["y0"] * 3, ["a"], "/Attention"),
            helper.make_node("Half", ["logits"], ["h"], "/Half", domain="my"),
            helper.make_node("If", ["c"], ["i"], "/If", then_branch=branch,
                             else_branch=branch),
            helper.make_node("QMoE", ["logits"], ["q"], "/QMoE",
                             domain="com.microsoft"),
        ]
    )
    proto.opset_import.extend(
        [helper.make_opsetid("my", 1), helper.make_opsetid("com.microsoft", 1)]
    )
    body = [helper.make_node("Identity", ["x"], ["y"])]
    proto.functions.append(
        helper.make_function("my", "Half", ["x"], ["y"], body,
                             [helper.make_opsetid("", 17)])
    )
    return proto


def main():
    good = model()
    onnx.checker.check_model(good, full_check=True)
    write("good.onnx", good)
    write("not-onnx.onnx", b"This is a text, not a model.\n")
    write("empty.onnx", b"")
    data = good.SerializeToString(deterministic=True)
    write("truncated.onnx", data[: len(data) * 2 // 3])

    proto = model()
    tensor_of(proto, HEAD).raw_data = bytes(100)
    write("raw-size.onnx", proto)
    proto = model()
    proto.graph.node[0].input[0] = "nowhere"
    write("undefined.onnx", proto)
    write("unsupported.onnx", model(between=["Loop", "LpPool", "Loop"]))
    write("ways-out.onnx", ways_out())
    write("dynamic.onnx", model(batch="batch", seq="seq"))
    proto = model(seq="seq", extra=positions())
    onnx.checker.check_model(proto, full_check=True)
    write("dynamic-position.onnx", proto)

    for name, proto in baked().items():
        write(name + ".onnx", proto)

    os.makedirs(os.path.join(HERE, "external"), exist_ok=True)
    head = tensor_of(good, HEAD).raw_data
    write("outside.weights", head)
    write("external/good.weights", head)
    write("external/short.weights", head[:-64])
    link = os.path.join(HERE, "external", "link.weights")
    if not os.path.islink(link):
        os.symlink("../outside.weights", link)
    external("good", "good.weights")
    external("missing", "missing.weights")
    external("short", "short.weights")
    external("size", "good.weights", length=len(head) - 4)
    external("negative", "good.weights", offset=-64)
    external("overflow", "good.weights", offset=2**63 - 64)
    external("parent", "../outside.weights")
    external("absolute", "/usr/share/common-licenses/GPL-3")
    external("link", "link.weights")


if __name__ == "__main__":
    main()
