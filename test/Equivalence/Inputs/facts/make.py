#!/usr/bin/env python3
"""Small models with facts that a file does not state, and PyTorch's curves.

Run with the Python of benchmarks/setup; writes beside this file

    NAME-KIND.onnx   the module NAME, exported by TorchScript in training (train)
                     or eval mode (eval), by dynamo, for a batch of any size
                     or a fixed one (fixed), or in training mode with
                     the metadata of pcc-export (declared)
    NAME.jsonl       its losses and gradient norms over five steps
    tokens.bin       the training data

    equal     a block that was initialized as a copy of another
    head      an untied head that was initialized as a copy of the token table
    tied      a head that is the table
    albert    one block, three times
    scalars   gains of one element of rank 0, 1 and 2, and a Linear(D, 1)
    buffers   sinusoidal positions, a triangular mask and final_logits_bias
    shared    two blocks that share a norm and a weight
    sines     frequencies that are learned
    folded    a product of two parameters, a gain of 1, a table of sines and
              cosines of positions in an image
    zeros     layers whose biases, all zeros, the dynamo exporter removes
    expanded  tokens in front of every sample, random and zeros, and positions
              looked up by sample
    fronts    a token before every sample in each block, initialized equally
    steps     one block, three times, after a row of a table for each
    computed  values that an exporter computes from parameters: a gate as a
              column, two numbers minus one, a layer without a bias that is
              called twice, elements of a vector of ones, a bias of scores that
              is a buffer
    merged    two scales of a block, initialized equally, as columns
    tokens    two tokens before all others, initialized equally
    padding   a tied table with a padding row, a frozen table of positions, a
              scale that is a buffer, a factor that is detached
"""

import copy
import functools
import json
import math
import os
import sys

import numpy as np
import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, *[os.pardir] * 4)
sys.path[:0] = [os.path.join(ROOT, "examples")]
import training  # noqa: E402
from onnx_files import strip_traces  # noqa: E402

WIDTH, VOCAB, HEADS, SEQ, BATCH, STEPS = 8, 16, 2, 8, 8, 5
H = dict(training.HYPERPARAMETERS, global_batch_size=BATCH, seq=SEQ,
         steps=STEPS, lr=1e-2, lr_schedule="constant")


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        b, s, _ = x.shape
        q, k, v = (
            t.view(b, s, HEADS, -1).transpose(1, 2)
            for t in self.qkv(self.ln_1(x)).split(WIDTH, -1)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, s, WIDTH))
        return x + self.down(F.gelu(self.up(self.ln_2(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(VOCAB, WIDTH)
        self.wpe = nn.Embedding(SEQ, WIDTH)
        self.h = nn.ModuleList([Block(), Block()])
        self.ln_f = nn.LayerNorm(WIDTH)
        self.lm_head = nn.Linear(WIDTH, VOCAB, bias=False)

    def embed(self, ids):
        return self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))

    def logits(self, x):
        return self.lm_head(self.ln_f(x))

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.h:
            x = block(x)
        return self.logits(x)


class Equal(Model):
    def __init__(self):
        super().__init__()
        self.h[1].load_state_dict(self.h[0].state_dict())


class Head(Model):
    def __init__(self):
        super().__init__()
        self.lm_head.weight.data.copy_(self.wte.weight.data)


class Tied(Model):
    def __init__(self):
        super().__init__()
        self.lm_head.weight = self.wte.weight


class Albert(Model):
    def __init__(self):
        super().__init__()
        self.h = nn.ModuleList([Block()])

    def forward(self, ids):
        x = self.embed(ids)
        for _ in range(3):
            x = self.h[0](x)
        return self.logits(x)


class Scalars(Model):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor(0.7))
        self.temperature = nn.Parameter(torch.tensor([1.3]))
        self.scale = nn.Parameter(torch.tensor([[0.9]]))
        self.gate = nn.Linear(WIDTH, 1)

    def embed(self, ids):
        return super().embed(ids) * self.gain

    def logits(self, x):
        x = x * torch.sigmoid(self.gate(x)) * self.scale
        return super().logits(x) / self.temperature


class Buffers(Model):
    def __init__(self):
        super().__init__()
        del self.wpe
        position = torch.arange(64)[:, None]
        rate = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(1e4) / WIDTH))
        pe = torch.zeros(1, 64, WIDTH)
        pe[0, :, 0::2] = torch.sin(position * rate)
        pe[0, :, 1::2] = torch.cos(position * rate)
        self.register_buffer("pe", pe)
        self.register_buffer("mixed", torch.tril(torch.ones(SEQ, SEQ)))
        self.register_buffer("final_logits_bias", torch.zeros(1, VOCAB))

    def embed(self, ids):
        return self.wte(ids) + self.pe[:, : ids.shape[1]]

    def logits(self, x):
        x = x + 0.1 * (self.mixed @ x)
        return super().logits(x) + self.final_logits_bias


class Shared(Model):
    def __init__(self):
        super().__init__()
        self.h[1].ln_1 = self.h[0].ln_1
        self.h[1].up.weight = self.h[0].up.weight


class Sines(Model):
    def __init__(self):
        super().__init__()
        self.rate = nn.Parameter(torch.rand(WIDTH))
        self.phase = nn.Parameter(torch.rand(WIDTH))

    def embed(self, ids):
        x = super().embed(ids)
        return x + torch.sin(x * self.rate)

    def logits(self, x):
        return super().logits(x * torch.cos(self.phase))


class Folded(Model):
    def __init__(self):
        super().__init__()
        self.left = nn.Parameter(torch.rand(WIDTH))
        self.right = nn.Parameter(torch.rand(WIDTH))
        self.gain = nn.Parameter(torch.tensor(1.0))
        y, x = torch.arange(SEQ) // 4, torch.arange(SEQ) % 4
        rate = 1e4 ** -(torch.arange(WIDTH // 4) / (WIDTH // 4))
        waves = [f(at[:, None] * rate)
                 for at in (x, y) for f in (torch.sin, torch.cos)]
        self.register_buffer("places", torch.cat(waves, 1))

    def embed(self, ids):
        return super().embed(ids) * self.gain + self.places

    def logits(self, x):
        return super().logits(x * (self.left * self.right))


class Zeros(Model):
    def __init__(self):
        super().__init__()
        self.mix = nn.Conv1d(WIDTH, WIDTH, 1)
        self.flat = nn.Linear(WIDTH, WIDTH)
        nn.init.zeros_(self.mix.bias)
        nn.init.zeros_(self.flat.bias)

    def embed(self, ids):
        x = super().embed(ids)
        return x + self.mix(x.transpose(1, 2)).transpose(1, 2)

    def logits(self, x):
        rows = x.flatten(0, 1)
        for _ in range(2):
            rows = rows + F.gelu(self.flat(rows))
        return super().logits(rows.view_as(x))


class Expanded(Model):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.randn(1, 1, WIDTH))
        self.second = nn.Parameter(torch.zeros(1, 1, WIDTH))

    def embed(self, ids):
        batch, seq = ids.shape
        x = self.wte(ids) + self.wpe(torch.arange(seq).expand(batch, -1))
        front = [p.expand(batch, -1, -1) for p in (self.first, self.second)]
        return torch.cat([*front, x], 1)

    def logits(self, x):
        return super().logits(x[:, 2:])


class Fronts(Model):
    def __init__(self):
        super().__init__()
        front = torch.randn(1, 1, WIDTH)
        for block in self.h:
            block.front = nn.Parameter(front.clone())
            block.forward = functools.partial(self.fronted, block)

    @staticmethod
    def fronted(block, x):
        x = torch.cat([block.front.expand(x.shape[0], -1, -1), x], 1)
        return Block.forward(block, x)[:, 1:]


class Steps(Albert):
    def __init__(self):
        super().__init__()
        self.step = nn.Embedding(3, WIDTH)

    def forward(self, ids):
        x = self.embed(ids)
        for i in range(3):
            x = self.h[0](x + self.step.weight[i])
        return self.logits(x)


class Computed(Model):
    def __init__(self):
        super().__init__()
        self.columns = nn.Parameter(torch.rand(SEQ) + 0.5)
        self.lam = nn.ParameterList(torch.tensor(0.9) for _ in range(2))
        self.mix = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gain = nn.Parameter(torch.ones(2))
        self.register_buffer("final_logits_bias", torch.zeros(1, VOCAB))

    def embed(self, ids):
        x = super().embed(ids)
        for lam in self.lam:
            x = x + (lam - 1.0) * torch.tanh(x)
        return x * self.columns.view(1, SEQ, 1)

    def logits(self, x):
        for i in range(2):
            x = x + self.gain[i] * torch.tanh(self.mix(x))
        bias = self.final_logits_bias * torch.ones(1)
        return super().logits(x) + bias


class Merged(Model):
    def __init__(self):
        super().__init__()
        for block in self.h:
            block.scale_1 = nn.Parameter(torch.full((SEQ,), 0.1))
            block.scale_2 = nn.Parameter(torch.full((SEQ,), 0.1))
            block.forward = functools.partial(self.scaled, block)

    @staticmethod
    def scaled(block, x):
        x = x + block.scale_1.view(1, SEQ, 1) * block.up(x)[..., :WIDTH]
        x = x + block.scale_2.view(1, SEQ, 1) * block.down(block.up(x))
        return Block.forward(block, x)


class Tokens(Model):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.second = nn.Parameter(torch.zeros(1, 1, WIDTH))

    def logits(self, x):
        size = x.shape[0]
        x = torch.cat([self.first.expand(size, -1, -1),
                       self.second.expand(size, -1, -1), x], 1)
        x = self.h[0](x)
        return super().logits(x[:, 2:] + 2 * x[:, :1] - x[:, 1:2])


class Padding(Tied):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(VOCAB, WIDTH, padding_idx=3)
        self.lm_head.weight = self.wte.weight
        self.wpe.weight.requires_grad = False
        self.register_buffer("scale", torch.tensor([0.5]))

    def logits(self, x):
        x = x + x * torch.tanh(x).detach()
        return super().logits(x) * self.scale


MODELS = {
    "equal": (Equal, ("train", "eval", "dynamo")),
    "head": (Head, ("train", "eval", "dynamo")),
    "tied": (Tied, ("eval", "dynamo")),
    "albert": (Albert, ("eval", "dynamo")),
    "scalars": (Scalars, ("train", "eval", "dynamo")),
    "buffers": (Buffers, ("train", "eval", "dynamo")),
    "shared": (Shared, ("train", "dynamo")),
    "sines": (Sines, ("train", "raw")),
    "folded": (Folded, ("train", "dynamo")),
    "zeros": (Zeros, ("dynamo",)),
    "expanded": (Expanded, ("fixed",)),
    "fronts": (Fronts, ("fixed",)),
    "steps": (Steps, ("dynamo",)),
    "computed": (Computed, ("eval", "dynamo")),
    "merged": (Merged, ("dynamo",)),
    "tokens": (Tokens, ("dynamo", "fixed")),
    "padding": (Padding, ("declared",)),
}


def declare(path, model):
    """Writes what pcc-export would, of a training-mode export."""
    file = onnx.load(path)
    held = {t.name for t in file.graph.initializer}
    holders = lambda name: [{"name": name}] if name in held else []
    names = {}
    for name, p in model.named_parameters(remove_duplicate=False):
        names.setdefault(p, []).append(name)
    parameters = []
    for p, (name, *aliases) in names.items():
        entry = {"name": name, "initializers": holders(name),
                 "trained": p.requires_grad}
        if aliases:
            entry["aliases"] = aliases
        if name == "wte.weight":
            entry["padding_row"] = model.wte.padding_idx
        parameters.append(entry)
    buffers = [{"name": n, "initializers": holders(n)}
               for n, _ in model.named_buffers()]
    onnx.helper.set_model_props(file, {
        "pcc.version": "1",
        "pcc.parameters": json.dumps(parameters),
        "pcc.buffers": json.dumps(buffers),
        "pcc.context_length": str(SEQ),
        "pcc.detached": json.dumps([n.output[0] for n in file.graph.node
                                    if n.op_type == "Tanh"]),
    })
    onnx.save(file, path)


def export(model, path, kind):
    ids = torch.zeros((2, SEQ), dtype=torch.int64)
    if kind in ("dynamo", "raw", "fixed"):
        torch.onnx.export(
            model.eval(), (ids,), path, dynamo=True, external_data=False,
            verbose=False, optimize=kind != "raw", input_names=["input_ids"],
            output_names=["logits"],
            dynamic_shapes=None if kind == "fixed" else ({0: "batch"},),
        )
        return
    mode = torch.onnx.TrainingMode
    torch.onnx.export(
        model.eval() if kind == "eval" else model.train(), (ids,), path,
        dynamo=False, opset_version=17, do_constant_folding=kind == "eval",
        training=mode.EVAL if kind == "eval" else mode.TRAINING,
        input_names=["input_ids"], output_names=["logits"],
        dynamic_axes={"input_ids": {0: "batch"}},
    )
    if kind == "declared":
        declare(path, model)


def main():
    torch.manual_seed(0)
    tokens = torch.randint(0, VOCAB, (STEPS * BATCH * SEQ + 1,))
    tokens.numpy().astype("<u2").tofile(os.path.join(HERE, "tokens.bin"))
    for name in sys.argv[1:] or MODELS:
        torch.manual_seed(1)
        build, kinds = MODELS[name]
        model = build()
        for kind in kinds:
            path = os.path.join(HERE, f"{name}-{kind}.onnx")
            export(copy.deepcopy(model), path, kind)
            strip_traces(path)
        with open(os.path.join(HERE, name + ".jsonl"), "w") as file:
            for row in training.train(model, tokens, H):
                del row["lr"]
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
