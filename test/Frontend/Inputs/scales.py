"""Writes scales/*.onnx: models whose norms multiply by a function of their
weight, by each exporter, and PyTorch's weights after two steps. Run with the
Python of benchmarks/setup.

    KIND-eval.onnx      TorchScript, constants folded
    KIND-dynamo.onnx    dynamo, optimized
    KIND-export.onnx    pcc-export

KIND is the factor: one is 1 + w, kept too, in a model that has the number one
elsewhere, half is w in half precision cast to f32, two and exp are 2 w and
exp(w). The weights of KIND-fresh are all equal, as before training, so that
exporters merge them; KIND-twice stores equal weights in two tensors.
"""

import json
import os
import struct
import sys
import warnings

import onnx
import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "examples"), os.path.join(ROOT, "tools")]
from onnx_files import strip_traces  # noqa: E402
from pcc_export import export  # noqa: E402

FOLDER = os.path.join(HERE, "scales")
VOCAB, WIDTH, SEQ, BATCH, STEPS, RATE = 128, 8, 16, 4, 2, 0.1
COMPUTED = {
    "one": lambda w: 1.0 + w.float(),
    "kept": lambda w: 1.0 + w.float(),
    "half": lambda w: w.float(),
    "two": lambda w: w * 2,
    "exp": torch.exp,
}


class Norm(torch.nn.Module):
    def __init__(self, kind, value):
        super().__init__()
        self.kind = kind
        self.weight = torch.nn.Parameter(value)

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return (wide * COMPUTED[self.kind](self.weight)).to(x.dtype)


class Model(torch.nn.Module):
    def __init__(self, kind, fresh):
        super().__init__()
        torch.manual_seed(0)
        self.kind = kind
        value = (lambda: torch.zeros(WIDTH)) if fresh else (
            lambda: 0.5 * torch.randn(WIDTH))
        self.table = torch.nn.Embedding(VOCAB, WIDTH)
        self.first = Norm(kind, value())
        self.inner = torch.nn.Linear(WIDTH, WIDTH)
        self.second = Norm(kind, value())
        self.head = torch.nn.Linear(WIDTH, VOCAB, bias=False)

    def forward(self, ids):
        h = self.table(ids)
        gate = torch.tanh(self.inner(self.first(h)))
        if self.kind == "kept":
            gate = gate * (1.0 - torch.sigmoid(h))
        return self.head(self.second(h + gate))


def build(kind, fresh):
    model = Model(kind, fresh).eval()
    return model.half() if kind == "half" else model


def write(kind, exporter, fresh=False):
    path = os.path.join(FOLDER, f"{kind}{'-fresh' * fresh}-{exporter}.onnx")
    model, ids = build(kind, fresh), torch.zeros(2, SEQ, dtype=torch.long)
    names = {"input_names": ["input_ids"], "output_names": ["logits"]}
    dims = {0: "batch", 1: "seq"}
    if exporter == "eval":
        torch.onnx.export(model, (ids,), path, dynamo=False, opset_version=17,
                          dynamic_axes={"input_ids": dims}, **names)
    elif exporter == "dynamo":
        torch.onnx.export(model, (ids,), path, dynamo=True, verbose=False,
                          external_data=False, dynamic_shapes=(dims,), **names)
        strip_traces(path)
    else:
        export(model, (ids,), path, names=["input_ids"], loss="causal-lm",
               check_gradients=False, log=lambda line: None)


def write_twice():
    """Both norms have the first one's weight, each in a separate tensor."""
    model = onnx.load(os.path.join(FOLDER, "one-eval.onnx"))
    scales = [t for t in model.graph.initializer
              if t.name.startswith("onnx::Mul_")]
    scales[1].raw_data = scales[0].raw_data
    with open(os.path.join(FOLDER, "one-twice-eval.onnx"), "wb") as file:
        file.write(model.SerializeToString(deterministic=True))


def trained(kind):
    """The norms' weights after the steps, trained in f32."""
    with open(os.path.join(ROOT, "examples/data/gpl-3.bin"), "rb") as file:
        count = STEPS * BATCH * SEQ + 1
        data = file.read()[1024:1024 + 2 * count]
    tokens = torch.tensor(struct.unpack(f"<{count}H", data))
    model = build(kind, False).float()
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    for step in range(STEPS):
        at = step * BATCH * SEQ
        x = tokens[at:at + BATCH * SEQ].view(BATCH, SEQ)
        y = tokens[at + 1:at + BATCH * SEQ + 1]
        F.cross_entropy(model(x).flatten(0, 1), y).backward()
        optimizer.step()
        optimizer.zero_grad()
    return {name: value.tolist() for name, value in model.state_dict().items()
            if name in ("first.weight", "second.weight")}


def main():
    warnings.simplefilter("ignore")
    for kind in COMPUTED:
        for exporter in ("eval", "dynamo"):
            # These files would test nothing new.
            if (kind, exporter) in (("kept", "eval"), ("exp", "eval")):
                continue
            write(kind, exporter)
    write("one", "export")
    write_twice()
    for exporter in ("eval", "dynamo"):
        write("one", exporter, fresh=True)
    with open(os.path.join(FOLDER, "trained.json"), "w") as file:
        json.dump({kind: trained(kind) for kind in COMPUTED}, file, indent=1)
        file.write("\n")


main()
