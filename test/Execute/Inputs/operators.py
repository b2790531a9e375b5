#!/usr/bin/env python3
"""Writes small models of single operators, and how PyTorch trains them.

Run with the Python of benchmarks/setup:

    .venv/bin/python test/Execute/Inputs/operators.py [NAME ...]

Every model goes to operators/NAME.onnx, exported in training mode at opset 17.
operators/NAME.json has the inputs and labels of three batches of four samples,
the loss, and PyTorch's loss and gradient norm of each of three steps of plain
gradient descent on them. operators/slices.onnx is no model but random slices;
slices.inputs.json and slices.expected.json are ONNX Runtime's.
"""

import json
import os
import random
import sys

import numpy as np
import onnx
import onnxruntime
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper
from torch import nn

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators")
SAMPLES, STEPS, RATE = 4, 3, 0.05


class Reversed(nn.Module):
    """Slices that run backward, and steps beyond the end."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(5, 6))
        self.out = nn.Linear(6, 3)

    def forward(self, x):
        back = x.flip(1) * self.table.flip(0, 1)
        return self.out(torch.cat((back, x.flip(1, 2)[:, ::2], x[:, ::1000]), 1))


class Convolutions(nn.Module):
    """[n, 4, 9]: strided, padded, dilated, grouped, per channel, transposed."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(4, 6, 3, stride=2, padding=1)
        self.each = nn.Conv1d(6, 6, 3, padding=2, dilation=2, groups=6)
        self.position = nn.utils.weight_norm(
            nn.Conv1d(6, 6, 4, padding=2, groups=2), dim=2)
        self.up = nn.ConvTranspose1d(6, 4, 3, stride=2, padding=1, groups=2)

    def forward(self, x):
        x = self.each(F.gelu(self.stem(x)))
        return self.up(x + F.gelu(self.position(x)[:, :, :-1]))


class Images(nn.Module):
    """[n, 2, 5, 6]: two dims with different windows."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(2, 4, (3, 2), stride=(2, 1), padding=(1, 0))
        self.each = nn.Conv2d(4, 4, 3, padding=1, groups=4)
        self.last = nn.Conv2d(4, 3, 1)

    def forward(self, x):
        return self.last(F.gelu(self.each(self.first(x))))


class Einsums(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.randn(6, 3))
        self.b = nn.Parameter(torch.randn(3, 4))
        self.c = nn.Parameter(torch.randn(5))

    def forward(self, x):
        y = torch.einsum("bsi,ij,jk->bsk", x, self.a, self.b)
        y = y + torch.einsum("...i,ij,s->...j", x[:, 0], self.a[:, :1], self.c
                             )[:, :, None].expand(-1, 5, 4) / 5
        return y + torch.einsum("b,s,k->bsk", x[:, 0, 0], self.c, self.b[0])


class Resampled(nn.Module):
    """Position tables that are resized, and averages."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(1, 3, 4, 5))
        self.other = nn.Parameter(torch.randn(1, 3, 6, 7))
        self.mix = nn.Conv2d(3, 3, 1)

    def forward(self, x):
        size = dict(size=(6, 7), align_corners=False)
        x = x + F.interpolate(self.table, mode="bicubic", **size)
        x = x * F.interpolate(self.other, mode="bicubic", **size)
        x = x - F.interpolate(self.table, size=(6, 7), mode="nearest")
        x = self.mix(x + F.interpolate(self.table, mode="bilinear", **size))
        return F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)


class Pooling(nn.Module):
    """A learned query that attends to the result of a residual block."""

    def __init__(self, width=16):
        super().__init__()
        self.embed = nn.Linear(6, width)
        self.before = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 32), nn.Linear(32, width)
        self.probe = nn.Parameter(torch.randn(1, 1, width))
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 32), nn.GELU(), nn.Linear(32, width))
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        x = self.embed(x)
        x = x + self.down(F.gelu(self.up(self.before(x))))
        probe = self.probe.repeat(x.shape[0], 1, 1)
        y = self.attention(probe, x, x)[0]
        return self.head((y + self.mlp(self.norm(y)))[:, 0])


class MaskedMean(nn.Module):
    """The mean over the positions that a mask keeps, as in sentence
    embeddings."""

    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(6, 8), nn.Linear(8, 6)
        self.more, self.less = nn.Linear(6, 8), nn.Linear(8, 6)
        self.head = nn.Linear(6, 3)

    def forward(self, x, mask):
        x = x + self.down(F.gelu(self.up(x)))
        x = x + self.less(F.gelu(self.more(x)))
        kept = mask.unsqueeze(-1).float()
        return self.head((x * kept).sum(1) / kept.sum(1).clamp(min=1e-9))


class Counts(nn.Module):
    """Integers computed from ids and a mask: counts, products, maxima, and ids
    that count from the end of a table."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(20, 6))
        self.other = nn.Embedding(20, 6)
        self.register_buffer("before", torch.tril(torch.ones(5, 5)).long())
        self.head = nn.Linear(6, 3)

    def forward(self, ids, attention_mask):
        length = attention_mask.sum(1, keepdim=True)
        x = self.table[ids - 20] + self.other(ids * attention_mask)
        place = attention_mask @ self.before
        x = x * (place / (ids.amax(1, keepdim=True) + 1)).unsqueeze(-1)
        pairs = torch.einsum("bi,bj->b", attention_mask, attention_mask)
        x = (x * (attention_mask / length).unsqueeze(-1)).sum(1)
        return self.head(x) * pairs.unsqueeze(1) / 25


class Baked(nn.Module):
    """A size of the example as a Python int: the file is valid for it alone."""

    def __init__(self, open):
        super().__init__()
        self.open, self.out = open, nn.Linear(6, 3)

    def forward(self, x):
        return self.out(x.view(len(x), *((-1, 6) if self.open else (5, 2, 3))
                               ).reshape(len(x), 5, 6))


def normal(*shape):
    return lambda n: torch.randn(n, *shape)


def mask(length):
    return lambda n: (torch.arange(length) < torch.randint(1, length, (n, 1))
                      ).long()


def ids(length):
    return lambda n: torch.randint(0, 20, (n, length))


# The module, its inputs and the loss.
MODELS = {
    "reversed": (Reversed, {"x": normal(5, 6)}, "mse"),
    "convolutions": (Convolutions, {"x": normal(4, 9)}, "mse"),
    "images": (Images, {"x": normal(2, 5, 6)}, "mse"),
    "einsums": (Einsums, {"x": normal(5, 6)}, "mse"),
    "resampled": (Resampled, {"x": normal(3, 6, 7)}, "mse"),
    "pooling": (Pooling, {"x": normal(7, 6)}, "cross-entropy"),
    "masked-mean": (MaskedMean, {"x": normal(5, 6), "attention_mask": mask(5)},
                    "cross-entropy"),
    "counts": (Counts, {"ids": ids(5), "attention_mask": mask(5)},
               "cross-entropy"),
}


def export(model, inputs, name):
    path = os.path.join(FOLDER, name + ".onnx")
    torch.onnx.export(
        model, tuple(x[:2] for x in inputs.values()), path, opset_version=17,
        dynamo=False, training=torch.onnx.TrainingMode.TRAINING,
        do_constant_folding=False, input_names=[*inputs], output_names=["y"],
        dynamic_axes={name: {0: "batch"} for name in inputs})


def stored(tensor):
    """The numbers in the file, with the type and shape that numpy needs."""
    kind = "f4" if tensor.is_floating_point() else "i8"
    return {"type": kind, "shape": list(tensor.shape),
            "values": [round(v, 3) for v in tensor.flatten().tolist()]}


def rounded(tensor):
    if not tensor.is_floating_point():
        return tensor
    return (tensor * 1000).round() / 1000


def write(name):
    torch.manual_seed(len(name))
    make, samplers, loss = MODELS[name]
    model = make()
    # Biases of zero and scales of one would hide errors.
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.1 * torch.randn_like(p))
    inputs = {n: rounded(f(SAMPLES * STEPS)) for n, f in samplers.items()}
    y = model(*(x[:SAMPLES] for x in inputs.values()))
    if loss == "mse":
        labels = rounded(torch.randn(SAMPLES * STEPS, *y.shape[1:]))
    else:
        labels = torch.randint(0, y.shape[-1], (SAMPLES * STEPS,))
    export(model, inputs, name)
    function = F.mse_loss if loss == "mse" else F.cross_entropy
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    curve = []
    for begin in range(0, SAMPLES * STEPS, SAMPLES):
        rows = slice(begin, begin + SAMPLES)
        optimizer.zero_grad()
        value = function(model(*(x[rows] for x in inputs.values())),
                         labels[rows])
        value.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1e9)
        optimizer.step()
        curve.append({"loss": value.item(), "norm": norm.item()})
    inputs["labels"] = labels
    with open(os.path.join(FOLDER, name + ".json"), "w") as file:
        json.dump({"loss": loss, "samples": SAMPLES, "rate": RATE,
                   "curve": curve,
                   "data": {n: stored(x) for n, x in inputs.items()}}, file)
        file.write("\n")


def slices(count=300):
    """Slices with bounds and steps of all kinds, except empty ones."""
    r, shape = random.Random(0), (3, 5, 4)
    least, most = -2**63, 2**63 - 1
    values = np.random.default_rng(0)
    x = np.round(values.standard_normal(shape), 3).astype("f4")
    weight = np.round(values.standard_normal(shape), 3).astype("f4")
    ids = values.integers(0, 9, shape)

    def bound(n):
        return r.choice([0, 1, -1, n, n - 1, -n, -n - 1, n + 1, most, least,
                         least + 1, most - 1, 2**31 - 1, -2**31,
                         *range(-n, n)])

    def step(n):
        return r.choice([1, -1, -1, -1, 2, -2, 3, -3, n, -n, most, least,
                         least + 1, 2**31 - 1])

    nodes, constants = [], {"weight": weight}
    for i in range(count):
        axes = r.sample([0, 1, 2], r.randint(1, 3))
        given = {"starts": [bound(shape[a]) for a in axes],
                 "ends": [bound(shape[a]) for a in axes],
                 "axes": [r.choice([a, a - 3]) for a in axes],
                 "steps": [step(shape[a]) for a in axes]}
        for name, numbers in given.items():
            constants[f"{name}.{i}"] = np.array(numbers, np.int64)
        nodes.append(helper.make_node(
            "Slice", [r.choice(["x", "x", "weight", "ids"]),
                      *(f"{name}.{i}" for name in given)], [f"y{i}"]))

    def save(nodes, shapes):
        used = {name for node in nodes for name in node.input}
        graph = helper.make_graph(
            nodes, "slices",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape),
             helper.make_tensor_value_info("ids", TensorProto.INT64, shape)],
            [helper.make_tensor_value_info(
                n.output[0], TensorProto.INT64 if n.input[0] == "ids"
                else TensorProto.FLOAT, s) for n, s in zip(nodes, shapes)],
            [numpy_helper.from_array(v, n) for n, v in constants.items()
             if n in used])
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def run(model):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options,
            providers=["CPUExecutionProvider"])
        return session.run(None, {"x": x, "ids": ids})

    results = run(save(nodes, [None] * count))
    kept = [i for i, result in enumerate(results) if result.size]
    model = save([nodes[i] for i in kept], [results[i].shape for i in kept])
    path = os.path.join(FOLDER, "slices")
    onnx.save(model, path + ".onnx")
    for suffix, values in (
        ("inputs", {"x": x, "ids": ids, "@weight": weight}),
        ("expected", {str(n): results[i] for n, i in enumerate(kept)}),
    ):
        with open(f"{path}.{suffix}.json", "w") as file:
            json.dump({n: np.round(v.astype("f8"), 3).tolist()
                       for n, v in values.items()}, file)
            file.write("\n")
    print(f"{len(kept)} of {count} slices leave something")


if __name__ == "__main__":
    torch.backends.mha.set_fastpath_enabled(False)
    os.makedirs(FOLDER, exist_ok=True)
    for wanted in sys.argv[1:] or [*MODELS, "slices", "baked"]:
        if wanted == "slices":
            slices()
        elif wanted == "baked":
            export(Baked(False), {"x": torch.randn(2, 5, 6)}, "baked")
            export(Baked(True), {"x": torch.randn(2, 5, 6)}, "baked-open")
        else:
            write(wanted)
