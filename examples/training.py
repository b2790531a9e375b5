"""PyTorch's training of the examples, with the semantics of pcc's programs.

- Step s (from 1) uses samples (s-1)*G .. s*G-1 of the data, where G is the
  global batch size; after the last whole sample the data repeat. With sequence
  length T, sample n is tokens n*T .. n*T+T, so each of its T positions has the
  next token as target.
- The loss is the mean over all targets of the global batch, for any number of
  microbatches.
- AdamW applies weight decay to tensors of rank >= 2 only. Gradients are clipped
  by their global norm; the norm before clipping is reported.
"""

import json
import math
import os

import numpy as np
import torch
import torch.nn.functional as F

MAGIC, VERSION, HEADER_BYTES = 20240520, 1, 1024

# The hyper-parameters that the curves of all examples share.
HYPERPARAMETERS = dict(
    data="../data/gpl-3.bin",  # relative to the example's folder
    global_batch_size=16,
    seq=64,
    steps=20,
    lr=1e-3,
    min_lr=1e-4,
    warmup_steps=4,
    lr_schedule="cosine",
    weight_decay=0.1,
    beta1=0.9,
    beta2=0.95,
    eps=1e-8,
    clip_grad=1.0,
)


def read_tokens(path):
    """The tokens of an llm.c file as an int64 tensor [count]."""
    header = np.fromfile(path, "<i4", HEADER_BYTES // 4)
    if header[0] != MAGIC or header[1] != VERSION:
        raise ValueError(f"{path} is not llm.c token data")
    tokens = np.fromfile(path, "<u2", offset=HEADER_BYTES)
    if len(tokens) != header[2]:
        raise ValueError(f"{path} has {len(tokens)} tokens, not {header[2]}")
    return torch.from_numpy(tokens.astype(np.int64))


def batch_of(tokens, step, size, seq):
    """Inputs and targets, both [size, seq], of `step` (from 1)."""
    samples = (len(tokens) - 1) // seq
    if samples < size:
        raise ValueError(f"{samples} samples are too few for a batch of {size}")
    first = [((step - 1) * size + i) % samples * seq for i in range(size)]
    x = torch.stack([tokens[n : n + seq] for n in first])
    y = torch.stack([tokens[n + 1 : n + 1 + seq] for n in first])
    return x, y


def learning_rate(step, h):
    """Linear warm-up over steps 1 .. warmup_steps, then half a cosine down to
    min_lr at the last step; or a constant rate."""
    if h["lr_schedule"] == "constant":
        return h["lr"]
    if step <= h["warmup_steps"]:
        return h["lr"] * step / h["warmup_steps"]
    done = (step - h["warmup_steps"]) / (h["steps"] - h["warmup_steps"])
    factor = 0.5 * (1 + math.cos(math.pi * done))
    return h["min_lr"] + factor * (h["lr"] - h["min_lr"])


def optimizer_of(model, h, fused=None):
    trained = [p for p in model.parameters() if p.requires_grad]
    groups = [
        dict(
            params=[p for p in trained if (p.dim() >= 2) == decays],
            weight_decay=h["weight_decay"] if decays else 0.0,
        )
        for decays in (True, False)
    ]
    return torch.optim.AdamW(
        [group for group in groups if group["params"]],
        lr=h["lr"],
        betas=(h["beta1"], h["beta2"]),
        eps=h["eps"],
        fused=fused,
    )


def accumulate(model, x, y, micro_batch):
    """Adds the gradients of the batch's mean loss, and returns that loss."""
    targets = (y != -100).sum()
    total = 0.0
    for i in range(0, len(x), micro_batch):
        logits = model(x[i : i + micro_batch])
        loss = F.cross_entropy(
            logits.flatten(0, 1),
            y[i : i + micro_batch].flatten(),
            ignore_index=-100,
            reduction="sum",
        )
        loss = loss / targets
        loss.backward()
        total += loss.item()
    return total


def take_steps(model, h, backward, optimizer=None):
    """Yields {"step", "loss", "norm", "lr"} of each step.

    backward(step) computes the loss of a step, leaves its gradients with the
    parameters and returns it as a number. optimizer: AdamW if it is None.
    """
    optimizer = optimizer or optimizer_of(model, h)
    for step in range(1, h["steps"] + 1):
        lr = learning_rate(step, h)
        for group in optimizer.param_groups:
            group["lr"] = lr
        loss = backward(step)
        norm = torch.nn.utils.clip_grad_norm_(
            model.parameters(), h["clip_grad"]
        )
        optimizer.step()
        optimizer.zero_grad()
        yield dict(step=step, loss=loss, norm=norm.item(), lr=lr)


def train(model, tokens, h, micro_batch=None, shifted_labels=False):
    """take_steps() on text.

    With `shifted_labels` the labels are the inputs, shifted by the model: the
    last position of each sample has no target.
    """
    model.train()
    size = h["global_batch_size"]

    def backward(step):
        x, y = batch_of(tokens, step, size, h["seq"])
        if shifted_labels:
            y[:, -1] = -100
        return accumulate(model, x, y, micro_batch or size)

    return take_steps(model, h, backward)


def train_on_samples(model, tensors, h, optimizer=None):
    """take_steps() on the samples in `tensors`, in order, repeated after the
    last. model: called with a batch of each tensor, returns its loss."""
    model.train()
    size, samples = h["global_batch_size"], len(tensors[0])

    def backward(step):
        rows = [((step - 1) * size + i) % samples for i in range(size)]
        loss = model(*(t[rows] for t in tensors))
        loss.backward()
        return loss.item()

    return take_steps(model, h, backward, optimizer)


def record(folder, name, model_files, build, threads=2, **options):
    """Writes the curves of the model that `build()` returns to `folder`:

    NAME.json       the hyper-parameters, and the files that have this curve
    NAME.f32.jsonl  one object per step, in single precision, as trained
    NAME.f64.jsonl  the same in double precision; the difference shows the
                    effect of rounding alone
    """
    torch.set_num_threads(threads)
    h = HYPERPARAMETERS
    tokens = read_tokens(os.path.join(folder, h["data"]))
    with open(os.path.join(folder, name + ".json"), "w") as file:
        json.dump(dict(models=model_files, **h), file, indent=2)
        file.write("\n")
    for suffix, dtype in (("f32", torch.float32), ("f64", torch.float64)):
        path = os.path.join(folder, f"{name}.{suffix}.jsonl")
        with open(path, "w") as file:
            for row in train(build().to(dtype), tokens, h, **options):
                file.write(json.dumps(row) + "\n")
        print(f"{path}: loss {row['loss']:.6f} at step {row['step']}")
