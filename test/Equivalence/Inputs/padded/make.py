#!/usr/bin/env python3
"""Writes models and data of padding.test; run with the Python of
benchmarks/setup.

    plain.onnx      GPT-2 without dropout, with labels: its own loss
    dropout.onnx    the same with dropout of activations and probabilities
    *.npy           24 samples padded left (odd ones) or right, some not at all
    curve.jsonl     PyTorch's losses and norms of ten steps on them
"""

import json
import os
import sys

import numpy as np
import torch
import transformers as hf

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, *[os.pardir] * 4)
sys.path[:0] = [os.path.join(ROOT, "examples")]
import onnx_files  # noqa: E402
import training  # noqa: E402

VOCAB, SEQ, SAMPLES = 32, 16, 24
H = dict(training.HYPERPARAMETERS, global_batch_size=8, steps=10,
         warmup_steps=2)


class Loss(hf.GPT2LMHeadModel):
    """input_ids, attention_mask, labels [B, S] -> the mean loss."""

    def forward(self, ids, mask, labels):
        return hf.GPT2LMHeadModel.forward(
            self, ids, attention_mask=mask, labels=labels, use_cache=False
        ).loss


def build(dropout):
    torch.manual_seed(0)
    return Loss(hf.GPT2Config(
        vocab_size=VOCAB, n_embd=16, n_layer=2, n_head=2, n_positions=SEQ,
        resid_pdrop=dropout, embd_pdrop=dropout, attn_pdrop=dropout,
        bos_token_id=0, eos_token_id=0,
    ))


def data():
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(0, VOCAB, (SAMPLES, SEQ), generator=generator)
    length = torch.randint(SEQ // 4, SEQ + 1, (SAMPLES, 1), generator=generator)
    positions = torch.arange(SEQ).expand(SAMPLES, SEQ)
    left = torch.arange(SAMPLES)[:, None] % 2 == 1
    mask = torch.where(left, SEQ - 1 - positions, positions) < length
    return ids, mask.long(), torch.where(mask, ids, -100)


def main():
    tensors = data()
    names = ["input_ids", "attention_mask", "labels"]
    for name, tensor in zip(names, tensors):
        np.save(os.path.join(HERE, name), tensor.numpy())
    for name, dropout in ("plain", 0.0), ("dropout", 0.1):
        onnx_files.export(
            build(dropout), tuple(t[:2] for t in tensors),
            os.path.join(HERE, name + ".onnx"), names, ["loss"],
            {n: {0: "batch", 1: "seq"} for n in names},
        )
    with open(os.path.join(HERE, "curve.jsonl"), "w") as file:
        for row in training.train_on_samples(build(0.0), tensors, H):
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
