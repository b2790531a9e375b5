#!/usr/bin/env python3
"""A small Conformer-like model with batch norms, in four exports.

Run with the Python of benchmarks/setup; writes beside this file

    train.onnx    training mode: the norms use the batch's statistics
    eval.onnx     eval mode: running statistics, which are not zeros and ones
    folded.onnx   eval mode: the exporter folded the norms into convolutions
    curve.jsonl   losses and gradient norms over five steps in training
    running.jsonl the same with the norms in eval mode
    data/         the training data
"""

import copy
import json
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, SEQ, BATCH, STEPS, LR = 8, 6, 4, 5, 1e-2


class Block(nn.Module):
    def __init__(self, folds):
        super().__init__()
        self.ln, self.up = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2 * WIDTH)
        self.conv = nn.Conv1d(WIDTH, WIDTH, 3, padding=1, groups=WIDTH)
        self.norm = nn.BatchNorm1d(WIDTH)
        self.down, self.folds = nn.Linear(WIDTH, WIDTH), folds

    def forward(self, x):
        y = F.glu(self.up(self.ln(x)), -1).transpose(1, 2)
        y = self.conv(y)
        # Exporters fold a norm that directly follows a convolution.
        y = self.norm(y if self.folds else y + y.mean(2, keepdim=True))
        return x + self.down(F.silu(y).transpose(1, 2))


class Model(nn.Module):
    def __init__(self, folds):
        super().__init__()
        self.proj = nn.Linear(5, WIDTH)
        self.blocks = nn.ModuleList([Block(folds) for _ in range(2)])
        self.head = nn.Linear(WIDTH, 3)

    def forward(self, x):
        x = self.proj(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


def export(model, name, mode):
    torch.onnx.export(
        copy.deepcopy(model).train(mode.name == "TRAINING"),
        (torch.randn(BATCH, SEQ, 5),), os.path.join(HERE, name + ".onnx"),
        dynamo=False, opset_version=17, training=mode,
        do_constant_folding=mode.name != "TRAINING",
        input_names=["x"], output_names=["logits"],
        dynamic_axes={"x": {0: "batch"}})


def curve(model, x, y, name):
    groups = [
        dict(params=[p for p in model.parameters() if (p.dim() >= 2) == decays],
             weight_decay=0.1 if decays else 0.0)
        for decays in (True, False)
    ]
    optimizer = torch.optim.AdamW(groups, lr=LR, betas=(0.9, 0.95))
    with open(os.path.join(HERE, name + ".jsonl"), "w") as file:
        for step in range(STEPS):
            rows = slice(step * BATCH, (step + 1) * BATCH)
            loss = F.mse_loss(model(x[rows]), y[rows])
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            row = dict(step=step + 1, loss=loss.item(), norm=norm.item(),
                       lr=LR)
            file.write(json.dumps(row) + "\n")


def main():
    torch.manual_seed(0)
    model, folded = Model(False), Model(True)
    with torch.no_grad():
        for module in [*model.modules(), *folded.modules()]:
            if isinstance(module, nn.BatchNorm1d):
                module.running_mean.normal_()
                module.running_var.uniform_(0.5, 2)
                module.weight.uniform_(0.5, 1.5)
    modes = torch.onnx.TrainingMode
    export(model, "train", modes.TRAINING)
    export(model, "eval", modes.EVAL)
    export(folded, "folded", modes.EVAL)
    x = torch.randn(STEPS * BATCH, SEQ, 5)
    y = torch.randn(STEPS * BATCH, 3)
    os.makedirs(os.path.join(HERE, "data"), exist_ok=True)
    np.save(os.path.join(HERE, "data/x.npy"), x.numpy())
    np.save(os.path.join(HERE, "data/labels.npy"), y.numpy())
    curve(copy.deepcopy(model).eval(), x, y, "running")
    curve(model.train(), x, y, "curve")


if __name__ == "__main__":
    main()
