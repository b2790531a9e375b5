"""Made by scripts/fuzz exports."""
import math

import torch
import torch.nn.functional as F
from torch import nn

D, H, L = 32, 4, 1
DH, INNER, T_MAX = D // H, 64, 12
V, C = 50, 5
INPUTS = {'input_ids': {'kind': 'ids', 'shape': ('T',), 'bound': 50}}
TARGETS = {'kind': 'values', 'shape': (3,)}
LOSS = 'mse'
TOLD = {'torchscript': ['shift'], 'any': []}
SUSPECTS = ['shift']


def rotate_part(x, cos, sin):
    r = cos.shape[-1]
    head, tail = x[..., :r], x[..., r:]
    a, b = head.chunk(2, dim=-1)
    head = head * cos + torch.cat((-b, a), dim=-1) * sin
    return torch.cat((head, tail), dim=-1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(D, 3 * D, bias=False)
        self.out = nn.Linear(D, D, bias=False)
        self.register_buffer('inv_freq', 100.0 ** (-torch.arange(0, DH // 2, 2).float() / (DH // 2)))
        self.head_gate = nn.Parameter(torch.rand(H) + 0.5)
    
    def forward(self, x, memory, visible, bias, causal, keys):
        B, T, _ = x.shape
        q, k, v = self.qkv(x).split(D, dim=2)
        q, k, v = (t.view(B, T, H, DH).transpose(1, 2) for t in (q, k, v))
        angles = torch.arange(T)[:, None].to(x.dtype) * self.inv_freq[None, :].to(x.dtype)
        angles = torch.cat((angles, angles), dim=-1)
        cos, sin = angles.cos(), angles.sin()
        q, k = rotate_part(q, cos, sin), rotate_part(k, cos, sin)
        out = self.attend(q, k, v, visible, bias, causal, None)
        out = out * self.head_gate.view(1, H, 1, 1)
        out = out.transpose(1, 2).reshape(B, T, D)
        return self.out(out)
    
    def attend(self, q, k, v, visible, bias, causal, head):
        mask = visible
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return out


class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(size) + 0.5)

    def forward(self, x):
        rms = torch.sqrt((x * x).mean(dim=-1, keepdim=True) + 1e-6)
        return x / rms * self.scale


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(D, INNER)
        self.down = nn.Linear(INNER, D)

    def forward(self, x):
        h = self.up(x)
        h = torch.tanh(h)
        return self.down(h)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = Attention()
        self.mlp = MLP()
        self.norm1 = Norm(D)
        self.alpha1 = nn.Parameter(torch.full((1,), 0.3))
        self.norm2 = Norm(D)
        self.alpha2 = nn.Parameter(torch.full((1,), 0.3))

    def forward(self, x, visible, bias, causal, keys):
        y = self.norm1(x)
        h = self.attn(y, y, visible, bias, causal, keys)
        x = x + self.alpha1 * h
        y = self.norm2(x)
        h = self.mlp(y)
        x = x + self.alpha2 * h
        return x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(V, D)
        self.blocks = nn.ModuleList([Block() for _ in range(L)])
        self.register_buffer('shift', torch.randn(1, 1, D) * 0.3)
        self.norm = Norm(D)
        self.head = nn.Linear(D, 3)
        for name, parameter in self.named_parameters():
            if name.endswith('bias'):
                parameter.data.normal_(std=0.1)
            elif name.endswith('wte.weight'):
                parameter.data.mul_(0.3)

    def forward(self, input_ids):
        x = self.wte(input_ids)
        T = x.shape[1]
        bias = None
        visible, causal = None, False
        visible = (torch.arange(T)[:, None] >= torch.arange(T)[None, :])[None, None]
        x = x + self.shift
        for block in self.blocks:
            x = block(x, visible, bias, causal, None)
        x = self.norm(x)
        x = x[:, -1]
        scores = self.head(x)
        return scores
