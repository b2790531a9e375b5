#!/usr/bin/env python3
"""Records PyTorch's training curves of the models that export.py exports.

Run with the Python of benchmarks/setup; see ../training.py for the semantics
and curve.json for the hyper-parameters.
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
    training.record(
        HERE,
        "curve",
        ["nanogpt.onnx", "nanogpt-loss.onnx"],
        build,
        micro_batch=micro_batch,
    )
    training.record(
        HERE,
        "sdpa-curve",
        ["nanogpt-sdpa.onnx"],
        lambda: build(bias=False, fused=True),
        micro_batch=micro_batch,
    )


if __name__ == "__main__":
    main()
