"""Writes the models, data and PyTorch's losses into its folder; needs onnx and
torch. The inputs position_ids [seq], bias [1, seq, d] and keys [4, d] are the
same for all samples. batch.onnx has a dynamic batch, named.onnx also
position_ids ["seq"], places.onnx has places [1, seq] instead of position_ids,
four.onnx and one.onnx have a fixed batch, rows.onnx has keys ["rows", d].
table.onnx has a table [4, d] before x [4, d]. """

import json
import os

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper

SEQ, WIDTH, WORDS, SAMPLES, BATCH = 6, 8, 11, 24, 8
here = os.path.dirname(os.path.abspath(__file__))
draw = np.random.default_rng(0)
weights = {
    name: (draw.standard_normal(shape) * 0.2).astype("f")
    for name, shape in (("wte", (WORDS, WIDTH)), ("wpe", (2 * SEQ, WIDTH)),
                        ("w", (WIDTH, WIDTH)), ("head", (WIDTH, WORDS)))
}
data = {
    "input_ids": draw.integers(0, WORDS, (SAMPLES, SEQ)),
    "labels": draw.integers(0, WORDS, (SAMPLES, SEQ)),
    "position_ids": np.arange(SEQ)[::-1].copy(),
    "bias": draw.standard_normal((1, SEQ, WIDTH)).astype("f"),
    "keys": draw.standard_normal((4, WIDTH)).astype("f"),
}


def write_model(name, batch, seq, positions="position_ids", rows=4):
    node = helper.make_node
    nodes = [
        node("Gather", ["wte", "input_ids"], ["words"], name="wte_lookup"),
        node("Gather", ["wpe", positions], ["placed"], name="wpe_lookup"),
        node("Add", ["words", "placed"], ["x0"], name="add_places"),
        node("Add", ["x0", "bias"], ["x1"], name="add_bias"),
        node("MatMul", ["x1", "w"], ["x2"], name="w_product"),
        node("Tanh", ["x2"], ["x3"], name="tanh"),
        node("Transpose", ["keys"], ["turned"], name="turn", perm=[1, 0]),
        node("MatMul", ["x3", "turned"], ["scores"], name="scores"),
        node("MatMul", ["scores", "keys"], ["read"], name="read"),
        node("Add", ["x3", "read"], ["x4"], name="add_read"),
        node("MatMul", ["x4", "head"], ["logits"], name="head_product"),
    ]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, name,
        [info("keys", TensorProto.FLOAT, [rows, WIDTH]),
         info(positions, TensorProto.INT64,
              [seq] if positions == "position_ids" else [1, seq]),
         info("input_ids", TensorProto.INT64, [batch, seq]),
         info("bias", TensorProto.FLOAT, [1, seq, WIDTH])],
        [info("logits", TensorProto.FLOAT, [batch, seq, WORDS])],
        [onnx.numpy_helper.from_array(value, key)
         for key, value in weights.items()])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(here, name + ".onnx"))


def write_table():
    node, info = helper.make_node, helper.make_tensor_value_info
    graph = helper.make_graph(
        [node("Transpose", ["table"], ["turned"], name="turn", perm=[1, 0]),
         node("MatMul", ["x", "turned"], ["scores"], name="scores"),
         node("MatMul", ["scores", "table"], ["read"], name="read"),
         node("MatMul", ["read", "w"], ["y"], name="w_product")],
        "table",
        [info("table", TensorProto.FLOAT, [4, WIDTH]),
         info("x", TensorProto.FLOAT, [4, WIDTH])],
        [info("y", TensorProto.FLOAT, [4, WIDTH])],
        [onnx.numpy_helper.from_array(weights["w"], "w")])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(here, "table.onnx"))


def write_losses(name, positions):
    params = {key: torch.tensor(value, requires_grad=True)
              for key, value in weights.items()}
    given = {key: torch.tensor(value) for key, value in data.items()}
    adam = torch.optim.AdamW(params.values(), lr=1e-2, betas=(0.9, 0.95),
                             weight_decay=0.1)
    with open(os.path.join(here, name + ".jsonl"), "w") as file:
        for step in range(4):
            rows = torch.arange(step * BATCH, (step + 1) * BATCH) % SAMPLES
            x = params["wte"][given["input_ids"][rows]] + params["wpe"][positions]
            x = torch.tanh((x + given["bias"]) @ params["w"])
            x = x + x @ given["keys"].T @ given["keys"]
            loss = torch.nn.functional.cross_entropy(
                (x @ params["head"]).flatten(0, 1),
                given["labels"][rows].flatten())
            adam.zero_grad()
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(params.values(), 1.0)
            adam.step()
            print(json.dumps({"step": step + 1, "loss": loss.item(),
                              "norm": norm.item()}), file=file)


for name, batch, seq in (("batch", "batch", SEQ), ("named", "batch", "seq"),
                         ("four", 4, SEQ), ("one", 1, SEQ)):
    write_model(name, batch, seq)
write_model("places", "batch", SEQ, "places")
write_model("rows", "batch", SEQ, rows="rows")
write_table()
write_losses("in-order", torch.arange(SEQ))
write_losses("reversed", torch.tensor(data["position_ids"]))
data["places"] = data["position_ids"][None]
os.makedirs(os.path.join(here, "data"), exist_ok=True)
for key, value in data.items():
    np.save(os.path.join(here, "data", key + ".npy"), value)
