"""PyTorch's own training of a case."""

import copy
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import case as cases
import model_source

sys.path[:0] = [os.path.join(cases.ROOT, "examples")]
import training  # noqa: E402


def rows(tensors, step):
    size = model_source.BATCH
    return {n: t[step * size:(step + 1) * size] for n, t in tensors.items()}


def as_type(array, dtype):
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def loss_of(name, result, targets):
    """`name`: the value of --loss, or None if the module computes the loss."""
    if name is None:
        return result[0] if isinstance(result, tuple) else result
    if name == "mse":
        return F.mse_loss(result, targets)
    return F.cross_entropy(result.flatten(0, -2), targets.flatten(),
                           ignore_index=-100)


def in_type(model, dtype):
    return copy.deepcopy(model).to(dtype).eval()


def backward(case, model, arrays, targets, step):
    """Computes the gradients of a step, counted from 0, and returns its loss.
    The module is called once on the whole global batch, which pcc's programs
    must match.

    Attention is computed by its definition: in the backward pass of the fused
    CPU kernel, each weight of a row that finfo.min hides everywhere is 1,
    because the logarithm of their sum vanishes next to finfo.min."""
    dtype = next(model.parameters()).dtype
    inputs = {n: as_type(a, dtype) for n, a in arrays.items()}
    labels = {} if targets is None else {"": as_type(targets, dtype)}
    with sdpa_kernel(SDPBackend.MATH):
        result = model(**rows(inputs, step))
        loss = loss_of(case.module.LOSS, result, rows(labels, step).get(""))
        loss.backward()
    return loss.item()


def train(case, model, arrays, targets, dtype):
    """[{"loss", "norm"}] of each step."""
    model = in_type(model, dtype)
    rows = training.take_steps(
        model, cases.TRAINING,
        lambda step: backward(case, model, arrays, targets, step - 1))
    return [dict(loss=row["loss"], norm=row["norm"]) for row in rows]


def curves(case, model, arrays, targets):
    """PyTorch's curve in f32, and the largest relative difference from it that
    pcc may have: {"loss": of each step, "norm": of the first}."""
    single = train(case, model, arrays, targets, torch.float32)
    try:
        double = train(case, model, arrays, targets, torch.float64)
    except RuntimeError:  # a module that requires single precision
        double = single

    def bound(least, a, b):
        return max(least, 10 * abs(a - b) / max(abs(b), 1e-30))

    losses = [bound(1e-5, a["loss"], b["loss"])
              for a, b in zip(single, double)]
    # Rounding errors add up: later steps may differ as much as earlier ones.
    bounds = [max(losses[:i + 1]) for i in range(len(losses))]
    norm = bound(1e-4, single[0]["norm"], double[0]["norm"])
    return double, dict(loss=bounds, norm=norm)
