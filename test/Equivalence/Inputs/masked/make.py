#!/usr/bin/env python3
"""Writes models and data of masked.test; run with the Python of
benchmarks/setup.

    selected.onnx   attention with a trained bias by distance; scores of padding
                    are replaced by the least float where the query or the key
                    is padding (a product of two masks), so that queries of
                    padding have no key at all
    window.onnx     a sliding window, stored in the first layer, computed from
                    positions in the second; long enough for masks to stay
                    expressions
    added.onnx      masks of finite numbers; with padding on the left a causal
                    mask leaves queries no key: the least float replaces scores
                    and is added; -1e4 is added twice; -1e4 replaces and is added
    sinks.onnx      a trained score per head in addition to those of the keys,
                    whose probability is dropped; causal in the first layer, a
                    window in the second
    ends.onnx       BART's way to classify, by the state at the last end token,
                    of which each sample has two
    hidden.onnx     a learned vector in the states of some tokens, as the dynamo
                    exporter writes it
    */              their samples
    *.jsonl         PyTorch's losses and norms of ten steps on them
"""

import json
import os
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, *[os.pardir] * 4)
sys.path[:0] = [os.path.join(ROOT, "examples")]
import onnx_files  # noqa: E402
import training  # noqa: E402

VOCAB, SEQ, SAMPLES, WIDTH, HEADS = 32, 16, 24, 16, 2
H = dict(training.HYPERPARAMETERS, global_batch_size=8, steps=10,
         warmup_steps=2)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.q, self.k, self.v, self.out = (
            nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def heads(self, x):
        return x.view(*x.shape[:2], HEADS, WIDTH // HEADS).transpose(1, 2)

    def forward(self, x, probabilities):
        y = self.norm(x)
        q, k, v = self.heads(self.q(y)), self.heads(self.k(y)), self.heads(
            self.v(y))
        scores = q @ k.transpose(2, 3) * (WIDTH // HEADS) ** -0.5
        y = probabilities(scores) @ v
        return x + self.out(y.transpose(1, 2).reshape(x.shape))


class Model(nn.Module):
    """input_ids and labels [B, S], for some models a mask -> the mean loss."""

    def __init__(self, layers=2):
        super().__init__()
        torch.manual_seed(0)
        self.table = nn.Embedding(VOCAB, WIDTH)
        self.blocks = nn.ModuleList(Attention() for _ in range(layers))
        self.head = nn.Linear(WIDTH, VOCAB)

    def run(self, ids, labels, probabilities):
        x = self.table(ids)
        for i, block in enumerate(self.blocks):
            x = block(x, lambda scores: probabilities(scores, i))
        return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())


class Selected(Model):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(HEADS, SEQ, SEQ))

    def forward(self, ids, mask, labels):
        both = mask[:, None, None, :] * mask[:, None, :, None]

        def probabilities(scores, layer):
            least = torch.finfo(scores.dtype).min
            scores = (scores + self.bias).masked_fill(both == 0, least)
            return scores.softmax(-1)

        return self.run(ids, labels, probabilities)


class Added(Model):
    def __init__(self):
        super().__init__(layers=3)
        self.register_buffer("later", torch.ones(SEQ, SEQ).bool().triu(1))

    def forward(self, ids, mask, labels):
        padding = 1.0 - mask[:, None, None, :].to(self.table.weight.dtype)

        def probabilities(scores, layer):
            fill = -1e4 if layer else torch.finfo(torch.float32).min
            if layer == 1:
                scores = scores + self.later * fill
            else:
                scores = scores.masked_fill(self.later, fill)
            return (scores + padding * fill).softmax(-1)

        return self.run(ids, labels, probabilities)


class Window(Model):
    SIZE = 100

    def __init__(self, longest):
        super().__init__()
        ones = torch.ones(longest, longest).bool()
        self.register_buffer("mask", ones.tril() & ones.triu(1 - self.SIZE))

    def forward(self, ids, labels):
        row = torch.arange(ids.shape[1])
        distance = row[:, None] - row
        computed = (distance >= 0) & (distance < self.SIZE)

        def probabilities(scores, layer):
            mask = computed if layer else self.mask
            return scores.masked_fill(~mask, float("-inf")).softmax(-1)

        return self.run(ids, labels, probabilities)


class Sinks(Model):
    def __init__(self):
        super().__init__()
        self.sinks = nn.ParameterList(torch.randn(HEADS) for _ in range(2))

    def forward(self, ids, labels):
        row = torch.arange(ids.shape[1])
        distance = row[:, None] - row

        def probabilities(scores, layer):
            mask = distance >= 0
            if layer:
                mask = mask & (distance < 4)
            sink = self.sinks[layer].reshape(1, -1, 1, 1).expand(
                *scores.shape[:3], 1)
            scores = scores + torch.where(mask, 0.0, -1e30)
            scores = torch.cat([scores, sink], dim=-1)
            scores = scores - scores.max(dim=-1, keepdim=True).values
            return scores.softmax(-1)[..., :-1]

        return self.run(ids, labels, probabilities)


class Ends(Model):
    END = 2

    def forward(self, ids, labels):
        x = self.table(ids)
        for block in self.blocks:
            x = block(x, lambda scores: scores.softmax(-1))
        ends = x[ids.eq(self.END), :].view(x.size(0), -1, x.size(-1))
        return F.cross_entropy(self.head(ends[:, -1, :]), labels)


def ends():
    generator = torch.Generator().manual_seed(3)
    ids = torch.randint(3, VOCAB, (SAMPLES, SEQ), generator=generator)
    places = torch.rand(SAMPLES, SEQ, generator=generator).argsort(1)[:, :2]
    labels = torch.randint(0, VOCAB, (SAMPLES,), generator=generator)
    return dict(input_ids=ids.scatter(1, places, Ends.END), labels=labels)


class Hidden(Model):
    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(torch.randn(WIDTH))

    def forward(self, ids, labels):
        x = torch.index_put(self.table(ids), (ids < 6,), self.token)
        for block in self.blocks:
            x = block(x, lambda scores: scores.softmax(-1))
        return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())


def data(seed, samples, length):
    """Samples padded left (odd ones) or right; every position has a label."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, VOCAB, (samples, length), generator=generator)
    kept = torch.randint(length // 4, length + 1, (samples, 1),
                         generator=generator)
    positions = torch.arange(length).expand(samples, length)
    left = torch.arange(samples)[:, None] % 2 == 1
    mask = torch.where(left, length - 1 - positions, positions) < kept
    return dict(input_ids=ids, attention_mask=mask.long(), labels=ids)


def make(name, model, tensors, dtype=torch.float64, dynamo=False):
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)
    for key, tensor in tensors.items():
        np.save(os.path.join(folder, key), tensor.numpy())
    examples = tuple(t[:2] for t in tensors.values())
    if dynamo:
        batch = torch.export.Dim("batch")
        torch.onnx.export(
            model, examples, folder + ".onnx", dynamo=True,
            input_names=list(tensors), output_names=["loss"],
            dynamic_shapes=tuple({0: batch} for _ in tensors),
            external_data=False)
    else:
        onnx_files.export(
            model, examples, folder + ".onnx", list(tensors), ["loss"],
            {k: {0: "batch"} for k in tensors})
    with open(folder + ".jsonl", "w") as file:
        for row in training.train_on_samples(
                model.to(dtype), list(tensors.values()), H):
            file.write(json.dumps(row) + "\n")


def main():
    make("selected", Selected(), data(1, SAMPLES, SEQ))
    # In f32 a score that is added to -1e4 keeps three digits, so PyTorch uses
    # f32.
    make("added", Added(), data(1, SAMPLES, SEQ), torch.float32)
    for name, model, length in (("window", Window(272), 272),
                                ("sinks", Sinks(), SEQ)):
        tensors = data(2, 8, length)
        del tensors["attention_mask"]
        make(name, model, tensors)
    make("ends", Ends(), ends())
    tensors = data(4, SAMPLES, SEQ)
    del tensors["attention_mask"]
    make("hidden", Hidden(), tensors, dynamo=True)


if __name__ == "__main__":
    main()
