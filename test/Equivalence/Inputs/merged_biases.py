"""Writes merged-biases.onnx: a convolution that began as another's copy, with
biases of zeros. PyTorch's dynamo exporter merges the weights and removes the
biases. Run with the Python of benchmarks/setup."""

import os

import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))


class Twins(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(6, 6, 1)
        self.second = nn.Conv1d(6, 6, 1)
        self.second.load_state_dict(self.first.state_dict())
        for layer in (self.first, self.second):
            nn.init.zeros_(layer.bias)
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        x = x + self.first(x).tanh()
        x = x + self.second(x).tanh()
        return self.head(x.mean(2))


torch.manual_seed(0)
torch.onnx.export(
    Twins().eval(), (torch.randn(2, 6, 5),),
    os.path.join(HERE, "merged-biases.onnx"), input_names=["x"],
    dynamo=True, external_data=False, opset_version=20,
    dynamic_shapes=({0: torch.export.Dim("batch")},))
