"""Some steps of AdamW: PyTorch in f64 and the interpreted program of a file."""

import json
import os
import subprocess
import sys

import numpy as np
import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, os.pardir, os.pardir, "examples")]
import training  # noqa: E402

STEPS, BATCH = 5, 4
SETTINGS = dict(lr=0.02, beta1=0.9, beta2=0.95, eps=1e-8, weight_decay=0.1,
                clip_grad=1.0)


def loss_of(output, labels, kind):
    if kind is None:
        return output
    if kind == "mse":
        return F.mse_loss(output, labels.to(output.dtype))
    return F.cross_entropy(output.flatten(0, -2), labels.flatten())


def by_pytorch(module, call, inputs, labels, kind, dtype=torch.float64):
    """The loss and norm of each step; restores the module's weights."""
    weights = {n: t.clone() for n, t in module.state_dict().items()}
    module.to(dtype).eval()

    def backward(step):
        def part(t):
            t = t[(step - 1) * BATCH:step * BATCH]
            return t.to(dtype) if t.is_floating_point() else t

        output = call(module, *map(part, inputs.values()))
        loss = loss_of(output, None if labels is None else part(labels), kind)
        loss.backward()
        return loss.item()

    h = dict(SETTINGS, steps=STEPS, lr_schedule="constant")
    rows = list(training.take_steps(module, h, backward))
    module.float().load_state_dict(weights)
    return rows


def save_data(folder, inputs, labels):
    os.makedirs(folder, exist_ok=True)
    arrays = dict(inputs) if labels is None else dict(inputs, labels=labels)
    for name, value in arrays.items():
        value = value.float() if value.is_floating_point() else value.int()
        np.save(os.path.join(folder, name + ".npy"), value.numpy())


def flags():
    """The flags of pcc-run or of a training program."""
    result = [f"--steps={STEPS}", "--lr-schedule=constant"]
    return result + [f"--{k.replace('_', '-')}={v}"
                     for k, v in SETTINGS.items()]


def by_pcc(bin_dir, path, data, kind, extra, folder):
    program = os.path.join(folder, "program.mlir")
    log = os.path.join(folder, "log.jsonl")
    loss = [] if kind is None else [f"--loss={kind}"]
    for command in (
            [os.path.join(bin_dir, "pcc"), path, "--emit=train", "-q",
             "--no-dropout", f"--global-batch-size={BATCH}",
             f"--micro-batch-size={BATCH}", "-o", program, *loss, *extra],
            [os.path.join(bin_dir, "pcc-run"), program, "--exact",
             "--print=none", "--data", data, "--log-json", log, *flags()]):
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise AssertionError(" ".join(command) + "\n" + done.stdout)
    with open(log) as file:
        return [json.loads(line) for line in file]


def largest_difference(found, wanted):
    assert len(found) == len(wanted) == STEPS
    return max(abs(a[key] - b[key]) / abs(b[key])
               for a, b in zip(found, wanted) for key in ("loss", "norm"))
