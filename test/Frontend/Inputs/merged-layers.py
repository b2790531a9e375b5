"""Writes merged-layers.onnx by the dynamo exporter: of two layers with one
input and equal initial values, the file computes only one.

    .venv/bin/python merged-layers.py
"""

import os
import sys

import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "examples"))
from onnx_files import strip_traces  # noqa: E402


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.key = nn.Linear(8, 8, bias=False)
        self.out = nn.Linear(8, 8, bias=False)

    def forward(self, x, memory):
        key = self.key(memory).view(*memory.shape[:2], 2, 4).transpose(1, 2)
        x = x.view(*x.shape[:2], 2, 4).transpose(1, 2)
        return self.out((x * torch.tanh(key)).transpose(1, 2).flatten(2))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.head = nn.Embedding(16, 8), nn.Linear(8, 16, bias=False)
        self.layers = nn.ModuleList([Layer(), Layer(), Layer()])
        self.layers[2].load_state_dict(self.layers[0].state_dict())

    def forward(self, input_ids):
        memory = x = self.wte(input_ids)
        for layer in self.layers:
            x = x + layer(x, memory)
        return self.head(x)


def main():
    torch.manual_seed(0)
    ids = torch.randint(0, 16, (2, 6))
    batch, seq = torch.export.Dim("batch"), torch.export.Dim("seq")
    path = os.path.join(HERE, "merged-layers.onnx")
    torch.onnx.export(
        Model().eval(), (ids,), path, dynamo=True, verbose=False,
        external_data=False, input_names=["input_ids"],
        output_names=["logits"], dynamic_shapes=({0: batch, 1: seq},))
    strip_traces(path)


if __name__ == "__main__":
    main()
