# Rotary embeddings of a whole and of a part of the head, and their inverse.
# RUN: %python %s

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels, check_all

rng = np.random.default_rng(4)
B, S, H, D = 2, 5, 3, 48
X = f"tensor<{B}x{S}x{H}x{D}xf32>"
x = rng.standard_normal((B, S, H, D)).astype(np.float32)
positions = np.array([0, 7, 100000, 3, 2])
for dim in (D, 32):
    for inverse in ("", "inverse "):
        k = Kernels([f"%x: {X}", f"%p: tensor<{S}xi64>"], [X], f"""
  %y = nn.rope {inverse}%x positions %p theta 1.0e4 dim {dim}
      : {X}, tensor<{S}xi64>
  return %y : {X}""")
        half = dim // 2
        angle = positions[:, None, None] * 1e4 ** (-2 * np.arange(half) / dim)
        c, s = np.cos(angle), np.sin(angle) * (-1 if inverse else 1)
        y = x.astype(np.float64)
        a, b = y[..., :half].copy(), y[..., half:dim].copy()
        y[..., :half] = a * c - b * s
        y[..., half:dim] = b * c + a * s
        check_all(f"rope {inverse}{dim}", k, (x, positions), (y,))

# Of slices of a fused projection with a bias.
QKV, W = f"tensor<{B}x{S}x2x{H}x{D}xf32>", f"tensor<2x{H}x{D}xf32>"
qk = rng.standard_normal((B, S, 2, H, D)).astype(np.float32)
w = rng.standard_normal((2, H, D)).astype(np.float32)
k = Kernels([f"%x: {QKV}", f"%w: {W}", f"%p: tensor<{S}xi64>"], [X, X], f"""
  %bw = nn.broadcast %w [2, 3, 4] : {W} -> {QKV}
  %y = nn.sum %x, %bw : {QKV}
  %k = nn.select %y dim 2 index 1 : {QKV} -> {X}
  %r = nn.rope %k positions %p theta 1.0e4 dim {D} : {X}, tensor<{S}xi64>
  %q = nn.select %x dim 2 index 0 : {QKV} -> {X}
  %z = nn.rope %q positions %p theta 1.0e4 dim {D} : {X}, tensor<{S}xi64>
  return %r, %z : {X}, {X}""")
angle = positions[:, None, None] * 1e4 ** (-2 * np.arange(D // 2) / D)
c, s = np.cos(angle), np.sin(angle)


def rotate(x):
    a, b = x[..., :D // 2].astype(np.float64), x[..., D // 2:]
    return np.concatenate([a * c - b * s, b * c + a * s], -1)


check_all("rope of a part", k, (qk, w, positions),
          (rotate((qk + w)[:, :, 1]), rotate(qk[:, :, 0])))
