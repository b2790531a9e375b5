"""Made by scripts/fuzz exports."""
import math

import torch
import torch.nn.functional as F
from torch import nn

D, H, L = 16, 2, 3
DH, INNER, T_MAX = D // H, 32, 16
V, C = 50, 5
INPUTS = {'pixel_values': {'kind': 'values', 'shape': (3, 8, 8)}, 'labels': {'kind': 'labels', 'shape': (), 'bound': 5, 'ignore': True}}
TARGETS = None
LOSS = None
TOLD = {'torchscript': [], 'any': []}
SUSPECTS = []


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(D, 3 * D, bias=True)
        self.out = nn.Linear(D, D, bias=True)
        self.head_gate = nn.Parameter(torch.rand(H) + 0.5)
    
    def forward(self, x, memory, visible, bias, causal, keys):
        B, T, _ = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.view(B, T, H, DH).transpose(1, 2) for t in (q, k, v))
        out = self.attend(q, k, v, visible, bias, causal, None)
        out = out * self.head_gate.view(1, H, 1, 1)
        out = out.transpose(1, 2).reshape(B, T, D)
        return self.out(out)
    
    def attend(self, q, k, v, visible, bias, causal, head):
        mask = visible
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.3)
        return out


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(D, INNER)
        self.down = nn.Linear(INNER, D)

    def forward(self, x):
        h = self.up(x)
        h = F.relu(h)
        return self.down(h)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = Attention()
        self.mlp = MLP()
        self.norm1 = nn.LayerNorm(D, elementwise_affine=False)

    def forward(self, x, visible, bias, causal, keys):
        y = self.norm1(x)
        a = self.attn(y, y, visible, bias, causal, keys)
        h = a + self.mlp(y)
        x = x + h
        return x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, D, 2, stride=2)
        self.blocks = nn.ModuleList([Block() for _ in range(L)])
        self.head = nn.Linear(D, C)
        for name, parameter in self.named_parameters():
            if name.endswith('bias'):
                parameter.data.normal_(std=0.1)
            elif name.endswith('wte.weight'):
                parameter.data.mul_(0.3)

    def forward(self, pixel_values, labels):
        x = self.patches(pixel_values).flatten(2).transpose(1, 2)
        T = x.shape[1]
        bias = None
        visible, causal = None, False
        x = torch.roll(x, 1, dims=1)
        for block in self.blocks:
            x = block(x, visible, bias, causal, None)
        x = x.mean(1)
        scores = self.head(x)
        loss = F.nll_loss(F.log_softmax(scores.reshape(-1, C), dim=-1), labels.reshape(-1), ignore_index=-100)
        return loss
