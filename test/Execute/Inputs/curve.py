#!/usr/bin/env python3
"""First steps of training, interpreted, against PyTorch's recorded curve.

    curve.py MODEL.onnx CURVE.json STEPS MICROBATCHES DIR

Compiles MODEL to its training program and runs it by pcc-run in f64, as the
binary would: for every step @microbatch on each microbatch, then @update. Loss
and norm of every step are compared with CURVE's .f64.jsonl. DIR is for
temporary files."""

import json
import os
import re
import subprocess
import sys

import numpy as np

sys.path.append(
    os.path.join(os.path.dirname(__file__), "..", "..", "Frontend", "Inputs")
)
from forward import HEADER_BYTES, parameters  # noqa: E402

# Both compute in f64; what differs is the order of additions.
TOLERANCE = 1e-9


class Program:
    """A program whose parameters and states are kept between calls of
    functions."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        with open(path) as file:
            text = file.read()
        self.roles = {
            name: re.findall(r'nn\.role = #nn\.role<(\w+)>', arguments)
            for name, arguments in re.findall(r"func @(\w+)\((.*?)\) ", text)
        }
        self.files = {}
        for name, value in parameters(text):
            self.files[name] = self.save("param." + name, value)
        for name, shape in re.findall(
            r"nn\.state @(\S+) : tensor<([0-9x]*?)x?f32>", text
        ):
            dims = [int(n) for n in shape.split("x") if n]
            self.files[name] = self.save("state." + name, np.zeros(dims))

    def save(self, name, value):
        path = os.path.join(self.folder, name + ".npy")
        np.save(path, value)
        return path

    def call(self, function, values):
        """The function's results; `values` by role."""
        command = ["pcc-run", self.path, "--exact", "--entry=" + function]
        command += ["--print=none"]
        for role in self.roles[function]:
            path = self.save("input." + role, np.asarray(values[role]))
            command += ["--arg", f"{role}={path}"]
        for name, path in self.files.items():
            command += ["--arg", f"@{name}={path}", "--save", f"@{name}={path}"]
        results = []
        if function == "update":
            results = [os.path.join(self.folder, f"{i}.npy") for i in range(2)]
        for i, path in enumerate(results):
            command += ["--save", f"{i}={path}"]
        subprocess.run(command, check=True)
        return [float(np.load(path)) for path in results]


def main():
    model, curve = sys.argv[1:3]
    steps, microbatches = int(sys.argv[3]), int(sys.argv[4])
    folder = sys.argv[5]
    os.makedirs(folder, exist_ok=True)
    with open(curve) as file:
        h = json.load(file)
    with open(curve[: -len("json")] + "f64.jsonl") as file:
        rows = [json.loads(line) for line in file]
    batch, seq = h["global_batch_size"], h["seq"]
    part = batch // microbatches
    data = os.path.join(os.path.dirname(curve), h["data"])
    tokens = np.fromfile(data, "<u2", offset=HEADER_BYTES).astype(np.int64)

    path = os.path.join(folder, "program.mlir")
    subprocess.run(
        ["pcc", model, "--emit=train", "-q", "-o", path]
        + ["--seq", str(seq), "--micro-batch-size", str(part)],
        check=True,
    )
    program = Program(path, folder)
    common = dict(
        positions=np.arange(seq),
        seed=0,
        weight_decay=h["weight_decay"],
        beta1=h["beta1"],
        beta2=h["beta2"],
        eps=h["eps"],
        clip_grad=h["clip_grad"],
    )
    for row in rows[:steps]:
        values = dict(common, step=row["step"], lr=row["lr"])
        for i in range(microbatches):
            first = ((row["step"] - 1) * batch + i * part) * seq
            window = tokens[first : first + part * seq + 1]
            values["tokens"] = window[:-1].reshape(part, seq)
            values["labels"] = values["tokens"]
            values["targets"] = window[1:].reshape(part, seq)
            values["samples"] = np.arange(part) + i * part
            program.call("microbatch", values)
        found = program.call("update", values)
        for what, value in zip(("loss", "norm"), found):
            wanted = row[what]
            error = abs(value - wanted) / wanted
            print(f"step {row['step']} {what} {value:.10f}: {error:.1e} off")
            if not error <= TOLERANCE:
                sys.exit(f"PyTorch gives {wanted:.10f}")


if __name__ == "__main__":
    main()
