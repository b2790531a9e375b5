"""Writes told-optimized.onnx and told-raw.onnx, whose gradients depend on
metadata that dynamo writes to the nodes; told.expected.json, PyTorch's
gradients; and told-scaled.onnx, which is refused.

    .venv/bin/python told.py
"""

import json
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "examples"))
from onnx_files import strip_traces  # noqa: E402

IDS = torch.tensor([[0, 2, 5, 2], [1, 1, 2, 6], [3, 0, 0, 4]])
ZEROS = torch.zeros(3, 2, 5)


class Told(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(7, 3, padding_idx=2)
        nn.init.normal_(self.wte.weight)
        self.weight = nn.Parameter(torch.randn(3, 3))
        # Equal to the exponent below, with which dynamo merges it.
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.points = nn.Parameter(
            torch.tensor([[1., 3, 3, 2, 3], [1, 1, 1, 1, 1]]))

    def forward(self, ids, zeros):
        y = self.points + zeros
        h = self.wte(ids) @ self.weight
        parts = [
            y.max(2).values, y.min(1).values, y.amax(2), y.clamp(1, 3).sum(2),
            F.adaptive_max_pool1d(y, 1).flatten(1), y.max().expand(3, 1),
            torch.linalg.vector_norm(y, float("inf"), dim=2),
            (h.detach() * h).sum(2), F.softmax(h.detach() @ self.weight, -1)[
                :, 0], (h / self.scale).pow(2).sum(2),
        ]
        parts = torch.cat(parts, 1)
        return (parts * torch.linspace(1, 2, parts.shape[1])).mean()


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(7, 3, scale_grad_by_freq=True)

    def forward(self, ids):
        return self.wte(ids).pow(2).mean()


def export(model, inputs, name, **options):
    path = os.path.join(HERE, name + ".onnx")
    torch.onnx.export(model, tuple(inputs.values()), path, dynamo=True,
                      verbose=False, external_data=False,
                      input_names=list(inputs), output_names=["loss"],
                      **options)
    strip_traces(path)


def main():
    torch.manual_seed(0)
    model = Told()
    inputs = {"ids": IDS, "zeros": ZEROS}
    export(model, inputs, "told-optimized")
    export(model, inputs, "told-raw", optimize=False)
    export(Scaled(), {"ids": IDS}, "told-scaled")
    loss = model(IDS, ZEROS)
    loss.backward()
    with open(os.path.join(HERE, "told.expected.json"), "w") as file:
        json.dump({
            "ids": IDS.tolist(), "loss": loss.item(),
            "parameters": {n: [p.flatten().tolist(), p.grad.flatten().tolist()]
                           for n, p in model.named_parameters()}}, file)


main()
