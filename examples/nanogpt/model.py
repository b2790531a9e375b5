"""A GPT of nanoGPT's architecture and parameter names.

Learned positions, pre-norm blocks with one fused q, k, v projection, an MLP of
four times the width with the exact GELU, a head tied to the token embedding.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """Causal self-attention, by primitives or PyTorch's fused kernel."""

    def __init__(self, width, heads, context, bias, dropout, fused):
        super().__init__()
        self.heads, self.fused, self.dropout = heads, fused, dropout
        self.c_attn = nn.Linear(width, 3 * width, bias=bias)
        self.c_proj = nn.Linear(width, width, bias=bias)
        self.attn_dropout = nn.Dropout(dropout)
        self.resid_dropout = nn.Dropout(dropout)
        if not fused:
            mask = torch.ones(context, context).tril()
            self.register_buffer("bias", mask.view(1, 1, context, context))

    def forward(self, x):
        batch, seq, width = x.shape
        q, k, v = (
            part.view(batch, seq, self.heads, width // self.heads).transpose(
                1, 2
            )
            for part in self.c_attn(x).split(width, dim=2)
        )
        if self.fused:
            y = F.scaled_dot_product_attention(
                q, k, v, is_causal=True, dropout_p=self.dropout
            )
        else:
            scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(q.size(-1)))
            hidden = self.bias[:, :, :seq, :seq] == 0
            scores = scores.masked_fill(hidden, float("-inf"))
            y = self.attn_dropout(F.softmax(scores, dim=-1)) @ v
        y = y.transpose(1, 2).contiguous().view(batch, seq, width)
        return self.resid_dropout(self.c_proj(y))


class MLP(nn.Module):
    def __init__(self, width, bias, dropout):
        super().__init__()
        self.c_fc = nn.Linear(width, 4 * width, bias=bias)
        self.gelu = nn.GELU()
        self.c_proj = nn.Linear(4 * width, width, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))


class Block(nn.Module):
    def __init__(self, width, heads, context, bias, dropout, fused):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width, bias=bias)
        self.attn = Attention(width, heads, context, bias, dropout, fused)
        self.ln_2 = nn.LayerNorm(width, bias=bias)
        self.mlp = MLP(width, bias, dropout)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """`forward(idx)` returns logits [batch, seq, vocab] of all positions,
    `forward(idx, targets)` the mean cross entropy over targets other than -1.
    """

    def __init__(
        self,
        vocab=256,
        context=64,
        layers=2,
        heads=4,
        width=32,
        bias=True,
        dropout=0.0,
        fused=False,
    ):
        super().__init__()
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(vocab, width),
                wpe=nn.Embedding(context, width),
                drop=nn.Dropout(dropout),
                h=nn.ModuleList(
                    Block(width, heads, context, bias, dropout, fused)
                    for _ in range(layers)
                ),
                ln_f=nn.LayerNorm(width, bias=bias),
            )
        )
        self.lm_head = nn.Linear(width, vocab, bias=False)
        self.lm_head.weight = self.transformer.wte.weight
        for name, parameter in self.named_parameters():
            if parameter.dim() >= 2:
                # Projections into the residual stream are scaled down by the
                # square root of its number of summands.
                residual = name.endswith("c_proj.weight")
                std = 0.02 / math.sqrt(2 * layers) if residual else 0.02
                nn.init.normal_(parameter, std=std)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(self, idx, targets=None):
        positions = torch.arange(0, idx.size(1), device=idx.device)
        x = self.transformer.wte(idx) + self.transformer.wpe(positions)
        x = self.transformer.drop(x)
        for block in self.transformer.h:
            x = block(x)
        logits = self.lm_head(self.transformer.ln_f(x))
        if targets is None:
            return logits
        return F.cross_entropy(
            logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1
        )
