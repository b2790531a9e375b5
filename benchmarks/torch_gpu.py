#!/usr/bin/env python3
"""PyTorch's side of scripts/gpu-check: trains a GPT-2 or a LLaMA on one GPU or,
under torchrun, on several, and logs like pcc's training programs, one JSON object
per step.

    torch_gpu.py gpt --layers 12 --width 768 --inner 3072 --heads 12 \\
        --vocab 50257 --seq 1024 --batch 64 --steps 30 --json log.json --compile
    torchrun --standalone --nproc-per-node 8 torch_gpu.py gpt ... --batch 512 ...

Under torchrun the batch is divided over the ranks. Each rank has a replica
(DistributedDataParallel), which reduces gradients while the backward pass runs.

The shape flags are those of test/Inputs/models/make.py. The script uses bf16 autocast
with f32 parameters, scaled_dot_product_attention, fused AdamW and gradient clipping.
The vocabulary is padded to a multiple of 64, as is common in training scripts. A
step's time covers forward, backward, clipping, update and reading the loss back.
Tokens are random.
"""

import argparse
import json
import os
import time

import torch
import torch.distributed
import torch.nn.functional as F
from torch import nn


class GPTBlock(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.heads, self.dropout = o.heads, o.dropout
        self.ln_1, self.ln_2 = nn.LayerNorm(o.width), nn.LayerNorm(o.width)
        self.c_attn = nn.Linear(o.width, 3 * o.width)
        self.c_proj = nn.Linear(o.width, o.width)
        self.c_fc = nn.Linear(o.width, o.inner)
        self.mlp_proj = nn.Linear(o.inner, o.width)

    def forward(self, x):
        batch, seq, width = x.shape
        drop = lambda y: F.dropout(y, self.dropout) if self.dropout else y
        q, k, v = (part.view(batch, seq, self.heads, -1).transpose(1, 2)
                   for part in self.c_attn(self.ln_1(x)).split(width, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True,
                                           dropout_p=self.dropout)
        y = y.transpose(1, 2).reshape(batch, seq, width)
        x = x + drop(self.c_proj(y))
        hidden = F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh")
        return x + drop(self.mlp_proj(hidden))


class GPT(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.dropout = o.dropout
        self.wte = nn.Embedding(o.vocab, o.width)
        self.wpe = nn.Embedding(o.seq, o.width)
        self.blocks = nn.ModuleList(GPTBlock(o) for _ in range(o.layers))
        self.norm = nn.LayerNorm(o.width)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.wte(tokens) + self.wpe(places)
        if self.dropout:
            x = F.dropout(x, self.dropout)
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.wte.weight)


class LlamaBlock(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.heads, self.kv_heads = o.heads, o.kv_heads
        size = o.width // o.heads
        self.norm_1, self.norm_2 = nn.RMSNorm(o.width), nn.RMSNorm(o.width)
        self.q = nn.Linear(o.width, o.width, bias=False)
        self.k = nn.Linear(o.width, o.kv_heads * size, bias=False)
        self.v = nn.Linear(o.width, o.kv_heads * size, bias=False)
        self.o = nn.Linear(o.width, o.width, bias=False)
        self.gate = nn.Linear(o.width, o.inner, bias=False)
        self.up = nn.Linear(o.width, o.inner, bias=False)
        self.down = nn.Linear(o.inner, o.width, bias=False)

    def forward(self, x, cos, sin):
        batch, seq, width = x.shape
        y = self.norm_1(x)
        heads = lambda z, n: z.view(batch, seq, n, -1).transpose(1, 2)

        def rotate(z):
            half = z.shape[-1] // 2
            turned = torch.cat((-z[..., half:], z[..., :half]), dim=-1)
            return (z * cos + turned * sin).to(z.dtype)

        y = F.scaled_dot_product_attention(
            rotate(heads(self.q(y), self.heads)),
            rotate(heads(self.k(y), self.kv_heads)), heads(self.v(y), self.kv_heads),
            is_causal=True, enable_gqa=self.heads != self.kv_heads)
        x = x + self.o(y.transpose(1, 2).reshape(batch, seq, width))
        y = self.norm_2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.wte = nn.Embedding(o.vocab, o.width)
        self.blocks = nn.ModuleList(LlamaBlock(o) for _ in range(o.layers))
        self.norm = nn.RMSNorm(o.width)
        size = o.width // o.heads
        rates = 1e4 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
        angles = torch.outer(torch.arange(o.seq, dtype=torch.float64), rates)
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos().float())
        self.register_buffer("sin", angles.sin().float())

    def forward(self, tokens):
        x = self.wte(tokens)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        return F.linear(self.norm(x), self.wte.weight)


class WithLoss(nn.Module):
    """A model and its loss in one module, so that torch.compile sees both: f32
    logits would take more memory than everything else."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, targets):
        logits = self.model(tokens)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


class Ranks:
    """The ranks that torchrun started; without torchrun this process alone."""

    def __init__(self, device):
        self.rank = int(os.environ.get("RANK", 0))
        self.size = int(os.environ.get("WORLD_SIZE", 1))
        self.device = device
        if self.size == 1:
            return
        if device == "cuda":
            self.device = f"cuda:{os.environ['LOCAL_RANK']}"
            torch.cuda.set_device(self.device)
        torch.distributed.init_process_group("nccl" if device == "cuda" else "gloo")

    def replicate(self, model):
        """Returns the model, with gradients averaged over the ranks."""
        if self.size == 1:
            return model
        return nn.parallel.DistributedDataParallel(
            model, gradient_as_bucket_view=True, broadcast_buffers=False)

    def mean(self, loss):
        """Returns the loss of the whole batch as a float; blocks the host."""
        if self.size > 1:
            torch.distributed.all_reduce(loss)
        return loss.item() / self.size

    def end(self):
        if self.size > 1:
            torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=("gpt", "llama"))
    for name in ("layers", "width", "inner", "heads", "vocab", "seq", "batch"):
        parser.add_argument("--" + name, type=int, required=True)
    parser.add_argument("--kv-heads", type=int)
    parser.add_argument("--dropout", type=float, default=0)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--json", required=True, help="path of the log")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--device", default="cuda")
    o = parser.parse_args()
    o.kv_heads = o.kv_heads or o.heads
    ranks = Ranks(o.device)
    if o.batch % ranks.size:
        parser.error(f"--batch {o.batch} is not a multiple of {ranks.size} ranks")
    # Aligned rows of logits, as is common in training scripts.
    drawn, o.vocab = o.vocab, (o.vocab + 63) // 64 * 64
    torch.manual_seed(0)
    model = (GPT if o.family == "gpt" else Llama)(o).to(ranks.device)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.02)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.1,
                                  fused=True)
    run = ranks.replicate(WithLoss(model))
    if o.compile:
        run = torch.compile(run)
    torch.manual_seed(ranks.rank)
    tokens = torch.randint(drawn, (o.batch // ranks.size, o.seq + 1),
                           device=ranks.device)
    with open(o.json if ranks.rank == 0 else os.devnull, "w") as log:
        for step in range(1, o.steps + 1):
            begin = time.perf_counter()
            with torch.autocast(o.device, torch.bfloat16):
                loss = run(tokens[:, :-1], tokens[:, 1:])
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            row = {"step": step, "loss": ranks.mean(loss.detach()),
                   "norm": norm.item()}
            seconds = time.perf_counter() - begin
            row.update(ms=seconds * 1e3, tok_s=o.batch * o.seq / seconds)
            log.write(json.dumps(row) + "\n")
            log.flush()
    ranks.end()


main()
