"""Writes batch-norm.onnx: a convolution into which PyTorch's dynamo exporter
has folded the batch norm after it. Run with the Python of benchmarks/setup."""

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
        self.norm = torch.nn.BatchNorm2d(4)
        self.head = torch.nn.Linear(4, 3)

    def forward(self, x):
        x = self.norm(self.patches(x)).flatten(2)
        return self.head(torch.relu(x).mean(2))


def main():
    torch.manual_seed(0)
    path = os.path.join(HERE, "batch-norm.onnx")
    torch.onnx.export(
        Classifier().eval(), (torch.randn(2, 1, 4, 4),), path, dynamo=True,
        input_names=["pixel_values"], output_names=["logits"],
        dynamic_shapes=({0: torch.export.Dim.DYNAMIC},), external_data=False,
        verbose=False)
    export.strip_traces(path)


main()
