"""The loss of a model before training, interpreted, against PyTorch's.

    forward.py MODEL.onnx CURVE.json PHASE DIR

Compiles MODEL to PHASE (import or nn) for the batch of CURVE's first step,
runs @forward by pcc-run in f64 on the weights of the file, and compares the
mean loss with the first row of CURVE's .f64.jsonl. DIR is for temporary files.
"""

import json
import os
import re
import subprocess
import sys

import numpy as np

HEADER_BYTES = 1024  # of llm.c token data


def parameters(text):
    """(name, values) of every nn.param, read as its source says."""
    pattern = re.compile(
        r"nn\.param @(\S+) : tensor<([0-9x]+)xf32> .*?file = \"([^\"]*)\", "
        r"offset = (\d+), type = tensor<([0-9x]+)xf32>.*? base = (\d+), "
        r"strides = \[([^\]]*)\]"
    )
    for name, shape, path, offset, source, base, strides in pattern.findall(text):
        count = int(np.prod([int(n) for n in source.split("x")]))
        flat = np.fromfile(path, "<f4", count, offset=int(offset))
        index = np.full([int(n) for n in shape.split("x")], int(base))
        for dim, stride in enumerate(strides.split(", ")):
            steps = np.arange(index.shape[dim]) * int(stride)
            index += steps.reshape([-1] + [1] * (index.ndim - dim - 1))
        yield name, flat[index]


def cross_entropy(logits, targets):
    """The sum over all targets, and their number."""
    top = logits.max(-1, keepdims=True)
    lse = np.log(np.exp(logits - top).sum(-1)) + top[..., 0]
    picked = np.take_along_axis(logits, targets[..., None], -1)[..., 0]
    return (lse - picked).sum(), targets.size


def main():
    model, curve, phase, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with open(curve) as file:
        h = json.load(file)
    with open(curve[: -len("json")] + "f64.jsonl") as file:
        expected = json.loads(file.readline())["loss"]
    batch, seq = h["global_batch_size"], h["seq"]
    data = os.path.join(os.path.dirname(curve), h["data"])
    tokens = np.fromfile(data, "<u2", batch * seq + 1, offset=HEADER_BYTES)
    tokens = tokens.astype(np.int64)
    values = {
        "tokens": tokens[:-1].reshape(batch, seq),
        "labels": tokens[:-1].reshape(batch, seq),
        "targets": tokens[1:].reshape(batch, seq),
        "positions": np.arange(seq),
    }

    program = os.path.join(folder, "program.mlir")
    subprocess.run(
        ["pcc", model, "--emit=" + phase, "-o", program]
        + (["--seq", str(seq), "--micro-batch-size", str(batch)]),
        check=True,
    )
    with open(program) as file:
        text = file.read()
    roles = re.findall(r'nn\.role = #nn\.role<(\w+)>', text)
    values = {role: values[role] for role in roles}
    values.update(("@" + name, value) for name, value in parameters(text))

    command = ["pcc-run", program, "--exact", "--print=none"]
    for i, (key, value) in enumerate(values.items()):
        path = os.path.join(folder, f"{i}.npy")
        np.save(path, value)
        command += ["--arg", f"{key}={path}"]
    results = [os.path.join(folder, f"result{i}.npy") for i in range(2)]
    own_loss = "nn.has_loss" in text
    for i in range(2 if own_loss else 1):
        command += ["--save", f"{i}={results[i]}"]
    subprocess.run(command, check=True)
    if own_loss:
        total, count = (float(np.load(path)) for path in results)
    else:
        targets = tokens[1:].reshape(batch, seq)
        total, count = cross_entropy(np.load(results[0]), targets)
    loss = total / count
    print(f"{os.path.basename(model)} {phase}: {count:.0f} targets")
    print(f"loss {loss:.12f} expected {expected:.12f}")
    # Constants such as a norm's epsilon are f32 in the file.
    if not abs(loss - expected) <= 1e-7 * expected:
        sys.exit("the losses differ")


if __name__ == "__main__":
    main()
