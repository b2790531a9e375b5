"""Writes zero-biases.onnx by PyTorch's dynamo exporter: layers whose biases are
all zeros. Run with the Python of benchmarks/setup."""

import os
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../examples/models"))
import export  # noqa: E402


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = torch.nn.Conv2d(1, 4, 2, stride=2)
        self.mix = torch.nn.Conv2d(4, 4, 1, bias=False)
        self.pooler = torch.nn.Linear(4, 4)
        self.Head = torch.nn.Linear(4, 3)
        self.rows = torch.nn.Parameter(torch.randn(3, 3))
        self.offset = torch.nn.Parameter(torch.zeros(3))

    def forward(self, x):
        x = self.mix(torch.relu(self.patches(x))).mean((2, 3))
        x = self.Head(torch.tanh(self.pooler(x)))
        return torch.nn.functional.linear(x, self.rows, self.offset)


def main():
    torch.manual_seed(0)
    model = Classifier().eval()
    with torch.no_grad():
        model.patches.bias.zero_()
        model.Head.bias.zero_()
    path = os.path.join(HERE, "zero-biases.onnx")
    torch.onnx.export(
        model, (torch.randn(2, 1, 4, 4),), path, dynamo=True,
        input_names=["pixel_values"], output_names=["logits"],
        dynamic_shapes=({0: torch.export.Dim.DYNAMIC},), external_data=False,
        verbose=False)
    export.strip_traces(path)


main()
