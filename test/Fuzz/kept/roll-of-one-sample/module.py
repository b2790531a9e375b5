"""Made by scripts/fuzz exports."""
import math

import torch
import torch.nn.functional as F
from torch import nn

D, H, L = 16, 2, 1
DH, INNER, T_MAX = D // H, 32, 8
V, C = 50, 5
INPUTS = {'input_ids': {'kind': 'ids', 'shape': ('T',), 'bound': 50}}
TARGETS = {'kind': 'labels', 'shape': (), 'bound': 5, 'ignore': True}
LOSS = 'cross-entropy'
TOLD = {'torchscript': [], 'any': []}
SUSPECTS = []


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj = nn.Linear(D, D, bias=True)
        self.k_proj = nn.Linear(D, H * DH, bias=True)
        self.v_proj = nn.Linear(D, H * DH, bias=True)
        self.out = nn.Linear(D, D, bias=True)
    
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
        self.wpe = nn.Embedding(T_MAX, D)
        self.blocks = nn.ModuleList([Block() for _ in range(L)])
        self.norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, C)
        for name, parameter in self.named_parameters():
            if name.endswith('bias'):
                parameter.data.normal_(std=0.1)
            elif name.endswith('wte.weight'):
                parameter.data.mul_(0.3)

    def forward(self, input_ids):
        x = self.wte(input_ids)
        x = x + self.wpe(torch.arange(x.shape[1]))
        T = x.shape[1]
        bias = None
        visible, causal = None, False
        visible = torch.tril(torch.ones(T, T)).bool()[None, None]
        x = torch.roll(x, 1, dims=1)
        for block in self.blocks:
            x = block(x, visible, bias, causal, None)
        x = self.norm(x)
        x = x.mean(1)
        scores = self.head(x)
        return scores
