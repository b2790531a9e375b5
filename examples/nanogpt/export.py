#!/usr/bin/env python3
"""Exports the GPT of model.py, randomly initialised, to ONNX.

Run with the Python of benchmarks/setup; it writes, with dynamic dims and the
weights inline:

    nanogpt.onnx       idx -> logits; attention by primitive operators under a
                       mask buffer, with biases
    nanogpt-loss.onnx  idx, targets -> loss; the same model
    nanogpt-sdpa.onnx  idx -> logits; fused attention, no biases
"""

import argparse
import os
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import onnx_files  # noqa: E402
from model import GPT  # noqa: E402


def build(seed=0, **options):
    """The model with the options of GPT; equal seeds give equal weights."""
    torch.manual_seed(seed)
    return GPT(**options)


def export(path, model, loss=False):
    tokens = torch.zeros(2, 64, dtype=torch.long)
    inputs = ["idx", "targets"] if loss else ["idx"]
    outputs = ["loss"] if loss else ["logits"]
    dims = {n: {0: "batch", 1: "seq"} for n in inputs + outputs if n != "loss"}
    onnx_files.export(
        model, (tokens,) * len(inputs), path, inputs, outputs, dims
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-o", metavar="DIR", default=HERE, dest="folder")
    folder = parser.parse_args().folder
    os.makedirs(folder, exist_ok=True)
    export(os.path.join(folder, "nanogpt.onnx"), build())
    export(os.path.join(folder, "nanogpt-loss.onnx"), build(), loss=True)
    export(
        os.path.join(folder, "nanogpt-sdpa.onnx"),
        build(bias=False, fused=True),
    )


if __name__ == "__main__":
    main()
