#!/usr/bin/env python3
"""Steps of a linear model in numpy, f64: the expected results of @microbatch
and @update of test/Execute/training.test. usage: linear.py adamw|sgd CLIP
BASE

Writes BASE.inputs.json and BASE.expected.json for pcc-run after the entries
microbatch, microbatch, update, microbatch, update: two microbatches in the
first step and one in the second, all on the same data."""

import json
import sys

import numpy as np

import case

kind, clip, base = sys.argv[1], float(sys.argv[2]), sys.argv[3]
random = np.random.default_rng(3)
x, target = random.normal(size=(5, 4)), random.normal(size=(5, 3))
params = {"w": random.normal(size=(4, 3)), "b": random.normal(size=3)}
state = {n: (np.zeros_like(p), np.zeros_like(p)) for n, p in params.items()}
lr, decay, beta1, beta2, eps = 0.1, 0.2, 0.9, 0.95, 1e-8


def step(t):
    error = x @ params["w"] + params["b"] - target
    # All microbatches have the same data, so the mean over them is that of one.
    # A program that divides by the size of one, or not at all, would differ.
    gradients = {"w": x.T @ error, "b": error.sum(0)}
    gradients = {k: 2 * g / error.size for k, g in gradients.items()}
    loss = (error**2).mean()
    norm = np.sqrt(sum((g**2).sum() for g in gradients.values()))
    factor = min(1, clip / (norm + 1e-6))
    for name, p in params.items():
        g = factor * gradients[name]
        # Only the matrix decays.
        wd = decay if name == "w" else 0
        if kind == "sgd":
            params[name] = p - lr * (g + wd * p)
            continue
        m, v = state[name]
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        state[name] = m, v
        mhat, vhat = m / (1 - beta1**t), v / (1 - beta2**t)
        params[name] = p * (1 - lr * wd) - lr * mhat / (np.sqrt(vhat) + eps)
    return loss, norm


inputs = {"@" + n: p for n, p in params.items()}
inputs.update(x=x, targets=target, lr=lr, weight_decay=decay, clip_grad=clip)
# The step is 1 in both calls: the interpreter has one value per input.
if kind == "adamw":
    inputs.update(beta1=beta1, beta2=beta2, eps=eps, step=1)
step(1)
loss, norm = step(1)
expected = {"0": loss, "1": norm, "@loss_sum": 0.0, "@target_count": 0.0}
for name, p in params.items():
    expected["@" + name] = p
    expected["@grad." + name] = np.zeros_like(p)
    if kind == "adamw":
        expected["@exp_avg." + name], expected["@exp_avg_sq." + name] = state[
            name
        ]
for file, values in (("inputs", inputs), ("expected", expected)):
    with open(f"{base}.{file}.json", "w") as out:
        json.dump({k: case.numbers(v) for k, v in values.items()}, out)
