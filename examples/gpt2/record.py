#!/usr/bin/env python3
"""Records PyTorch's training curves of the models that export.py exports.

Run with the Python of benchmarks/setup; see ../training.py for the semantics
and curve.json for the hyper-parameters. curve.* is for the graphs that end in
logits, labels-curve.* for gpt2-labels.onnx, whose samples have one target
less.
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import training  # noqa: E402
from export import build  # noqa: E402


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--micro-batch-size",
        type=int,
        metavar="N",
        help="accumulate gradients over microbatches of N samples",
    )
    micro_batch = parser.parse_args().micro_batch_size

    def model():
        return build("tiny")

    training.record(
        HERE,
        "curve",
        ["gpt2.onnx", "gpt2-static.onnx"],
        model,
        micro_batch=micro_batch,
    )
    training.record(
        HERE,
        "labels-curve",
        ["gpt2-labels.onnx"],
        model,
        micro_batch=micro_batch,
        shifted_labels=True,
    )


if __name__ == "__main__":
    main()
