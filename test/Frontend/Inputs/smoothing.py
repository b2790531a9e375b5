"""Writes smoothing.onnx by the dynamo exporter, which leaves out the module's
label smoothing.

    .venv/bin/python smoothing.py
"""

import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "examples"))
from onnx_files import strip_traces  # noqa: E402


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.head = nn.Embedding(16, 8), nn.Linear(8, 16)
        nn.init.normal_(self.head.bias)

    def forward(self, input_ids, labels):
        scores = self.head(self.wte(input_ids)).reshape(-1, 16)
        return F.cross_entropy(scores, labels.reshape(-1),
                               label_smoothing=0.1)


def main():
    torch.manual_seed(0)
    ids = torch.randint(0, 16, (2, 6))
    batch = torch.export.Dim("batch")
    path = os.path.join(HERE, "smoothing.onnx")
    torch.onnx.export(
        Model().eval(), (ids, ids), path, dynamo=True, verbose=False,
        external_data=False, input_names=["input_ids", "labels"],
        output_names=["loss"], dynamic_shapes=({0: batch}, {0: batch}))
    strip_traces(path)


if __name__ == "__main__":
    main()
