#!/usr/bin/env python3
"""Records the inputs of test/Frontend/exported.test, with the Python of
benchmarks/setup:

    .venv/bin/python test/Export/record.py [--bin build/bin] [NAME ...]

Writes to test/Frontend/Inputs/exported, for each module below,

    NAME.onnx       the file of pcc-export, with its metadata
    NAME.jsonl      loss and norm of five steps of PyTorch in f64
    NAME/           the samples: an array for each input, and labels.npy
"""

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tools")]

import modules  # noqa: E402
import steps  # noqa: E402
from pcc_export import export  # noqa: E402

FOLDER = os.path.join(ROOT, "test", "Frontend", "Inputs", "exported")
# By name, with the exporter.
RECORDED = {
    "frozen": "TorchScript",
    "no-grad": "TorchScript",
    "detached-parameter": "dynamo",
    "straight-through": "dynamo",
    "padding": "TorchScript",
    "buffers": "TorchScript",
    "scalars": "dynamo",
    "equal": "TorchScript",
    "detached-silu": "TorchScript",
    "loss": "TorchScript",
}


def record(name, exporter, pcc):
    case, module = modules.CASES[name], modules.build(name)
    inputs, labels = modules.samples(name, steps.BATCH * steps.STEPS)
    path = os.path.join(FOLDER, name + ".onnx")
    export(module, {n: t[:2] for n, t in inputs.items()}, path, pcc=pcc,
           exporter=exporter, returns_loss=case.loss is None, loss=case.loss,
           check_gradients=pcc is not None, log=lambda line: None)
    steps.save_data(os.path.join(FOLDER, name), inputs, labels)
    rows = steps.by_pytorch(module, lambda m, *t: m(*t), inputs, labels,
                               case.loss)
    with open(os.path.join(FOLDER, name + ".jsonl"), "w") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
    print(f"{name}: {os.path.getsize(path)} bytes")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--unchecked", action="store_true",
                        help="does not compare gradients")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    os.makedirs(FOLDER, exist_ok=True)
    pcc = None if options.unchecked else os.path.join(options.bin, "pcc")
    for name in options.names or RECORDED:
        record(name, RECORDED[name], pcc)


if __name__ == "__main__":
    main()
