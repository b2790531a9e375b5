"""Made by scripts/fuzz exports."""
import math

import torch
import torch.nn.functional as F
from torch import nn

D, H, L = 16, 2, 1
DH, INNER, T_MAX = D // H, 32, 8
V, C = 50, 5
INPUTS = {'input_ids': {'kind': 'ids', 'shape': ('T',), 'bound': 50}, 'attention_mask': {'kind': 'mask', 'shape': ('T',)}}
TARGETS = {'kind': 'labels', 'shape': (), 'bound': 5, 'ignore': True}
LOSS = 'cross-entropy'
TOLD = {'torchscript': []}


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj = nn.Linear(D, D, bias=False)
        self.k_proj = nn.Linear(D, H * DH, bias=False)
        self.v_proj = nn.Linear(D, H * DH, bias=False)
        self.out = nn.Linear(D, D, bias=False)

    def forward(self, x, memory, visible, bias, causal, keys):
        B, T, _ = x.shape
        q = self.q_proj(x).view(B, -1, H, DH).transpose(1, 2)
        k = self.k_proj(memory).view(B, -1, H, DH).transpose(1, 2)
        v = self.v_proj(memory).view(B, -1, H, DH).transpose(1, 2)
        out = self.attend(q, k, v, visible, bias, causal, None)
        out = out.transpose(1, 2).reshape(B, T, D)
        return self.out(out)

    def attend(self, q, k, v, visible, bias, causal, head):
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(DH)
        if visible is not None:
            scores = scores.masked_fill(~visible, float('-inf'))
        weights = F.softmax(scores, dim=-1)
        out = weights @ v
        return out


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(D, INNER)
        self.down = nn.Linear(INNER, D)

    def forward(self, x):
        h = self.up(x)
        h = F.gelu(h)
        return self.down(h)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = Attention()
        self.mlp = MLP()
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)

    def forward(self, x, visible, bias, causal, keys):
        y = self.norm1(x)
        h = self.attn(y, y, visible, bias, causal, keys)
        x = x + h
        y = self.norm2(x)
        h = self.mlp(y)
        x = x + h
        return x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(V, D)
        self.blocks = nn.ModuleList([Block() for _ in range(L)])
        self.norm = nn.LayerNorm(D)
        self.probe = nn.Parameter(torch.randn(1, 1, D))
        self.pool_attn = nn.MultiheadAttention(D, H, batch_first=True)
        self.pool_norm = nn.LayerNorm(D)
        self.pool_mlp = MLP()
        self.head = nn.Linear(D, C)
        for name, parameter in self.named_parameters():
            if name.endswith('bias'):
                parameter.data.normal_(std=0.1)
            elif name.endswith('wte.weight'):
                parameter.data.mul_(0.3)

    def forward(self, input_ids, attention_mask):
        x = self.wte(input_ids)
        T = x.shape[1]
        bias = None
        visible, causal = None, False
        keys = attention_mask[:, None, None, :].bool()
        visible = keys if visible is None else visible & keys
        for block in self.blocks:
            x = block(x, visible, bias, causal, None)
        x = self.norm(x)
        probe = self.probe.expand(x.shape[0], -1, -1)
        x = self.pool_attn(probe, x, x, need_weights=False)[0]
        x = x + self.pool_mlp(self.pool_norm(x))
        x = x[:, 0]
        scores = self.head(x)
        return scores
