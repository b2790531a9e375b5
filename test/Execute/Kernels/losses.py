# Losses, embeddings and their gradients, optimizers, full sums, against numpy.
# RUN: %python %s

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels, check_all

rng = np.random.default_rng(1)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


B, S, V, CLASSES = 2, 7, 333, 300
L, T, R = f"tensor<{B}x{S}x{V}xf32>", f"tensor<{B}x{S}xi64>", f"tensor<{B}x{S}xf32>"
logits = normal(B, S, V) * 3
targets = rng.integers(0, CLASSES, (B, S))
targets[0, 2] = targets[1, 5] = -100
wide = logits.astype(np.float64)
lse = np.log(np.exp(wide[..., :CLASSES]).sum(-1))
picked = np.take_along_axis(wide, np.maximum(targets, 0)[..., None], -1)[..., 0]
loss = np.where(targets < 0, 0, lse - picked)

k = Kernels([f"%x: {L}", f"%t: {T}"], [R, R, "tensor<f32>", "tensor<f32>"], f"""
  %loss, %lse = nn.cross_entropy %x, %t classes {CLASSES} : {L}, {T} -> {R}
  %sum = nn.reduce %loss [0, 1] : {R} -> tensor<f32>
  %valid = nn.valid %t : {T} -> {R}
  %count = nn.reduce %valid [0, 1] : {R} -> tensor<f32>
  return %loss, %lse, %sum, %count : {R}, {R}, tensor<f32>, tensor<f32>""")
check_all("cross_entropy", k, (logits, targets),
          (loss, lse, loss.sum(), (targets >= 0).sum()))

dloss = normal(B, S)
k = Kernels([f"%d: {R}", f"%x: {L}", f"%t: {T}", f"%lse: {R}"], [L], f"""
  %dx = nn.cross_entropy_grad %d, %x, %t lse %lse classes {CLASSES}
      : {R}, {L}, {T}
  return %dx : {L}""")
p = np.exp(wide - lse[..., None])
p[np.arange(B)[:, None], np.arange(S), np.maximum(targets, 0)] -= 1
p[..., CLASSES:] = 0
expected = np.where(targets < 0, 0, dloss)[..., None] * p
check_all("cross_entropy_grad", k, (dloss, logits, targets, lse), (expected,))

# The classes are sharded over two ranks: the partial results sum up to the
# loss.
half = 160
H = f"tensor<{B}x{S}x{half}xf32>"
ST = f"tensor<2x{B}x{S}xf32>"
padded = np.concatenate([wide, np.zeros((B, S, 2 * half))], -1)
parts = [padded[..., i * half:(i + 1) * half].astype(np.float32)
         for i in range(2)]
k = Kernels([f"%x: {H}", "%o: tensor<i64>"], [R], f"""
  %m = nn.row_max %x offset %o : tensor<i64> classes {CLASSES} : {H} -> {R}
  return %m : {R}""")
valid = [np.where(np.arange(half) + i * half < CLASSES, parts[i], -np.inf)
         for i in range(2)]
for i in range(2):
    check_all("row_max", k, (parts[i], i * half), (valid[i].max(-1),))
top = np.maximum(*[v.max(-1) for v in valid])
k = Kernels([f"%x: {H}", f"%t: {T}", f"%m: {R}", "%o: tensor<i64>"], [ST], f"""
  %s = nn.cross_entropy_stats %x, %t max %m offset %o : tensor<i64>
      classes {CLASSES} : {H}, {T}, {R} -> {ST}
  return %s : {ST}""")
total = 0
for i in range(2):
    stats, = k(parts[i], targets, top, i * half)
    total = total + stats.astype(np.float64)
k = Kernels([f"%s: {ST}", f"%m: {R}", f"%t: {T}"], [R, R], f"""
  %l, %e = nn.cross_entropy_loss %s max %m, %t : {ST}, {R}, {T}
  return %l, %e : {R}, {R}""")
check_all("parallel cross_entropy", k, (total, top, targets), (loss, lse))

# Token and position embeddings, and their gradients into tables.
N, C = 50, 96
E, TABLE = f"tensor<{B}x{S}x{C}xf32>", f"tensor<{N}x{C}xf32>"
ids = rng.integers(0, N, (B, S))
ids[0, 1] = ids[0, 0]
table, positions = normal(N, C), normal(S, C)
k = Kernels([f"%i: {T}", f"%w: {TABLE}", f"%p: tensor<{S}x{C}xf32>",
             f"%s: tensor<{S}xi64>", "%o: tensor<i64>"], [E], f"""
  %t = nn.embedding %i, %w offset %o : tensor<i64> : {T}, {TABLE} -> {E}
  %q = nn.embedding %s, %p : tensor<{S}xi64>, tensor<{S}x{C}xf32>
      -> tensor<{S}x{C}xf32>
  %b = nn.broadcast %q [1, 2] : tensor<{S}x{C}xf32> -> {E}
  %x = nn.sum %t, %b : {E}
  return %x : {E}""")
order = rng.permutation(S)
for offset in (0, 20):
    row = ids - offset
    inside = (row >= 0) & (row < N)
    rows = np.where(inside[..., None], table[np.where(inside, row, 0)], 0)
    check_all("embedding", k, (ids, table, positions, order, offset),
              (rows + positions[order],))

dy = normal(B, S, C)
k = Kernels([f"%d: {E}", f"%i: {T}"], [TABLE, f"tensor<{S}x{C}xf32>"], f"""
  %g = nn.embedding_grad %d, %i : {E}, {T} -> {TABLE}
  %p = nn.reduce %d [0] : {E} -> tensor<{S}x{C}xf32>
  return %g, %p : {TABLE}, tensor<{S}x{C}xf32>""")
grad = np.zeros((N, C))
np.add.at(grad, ids, dy)
check_all("embedding_grad", k, (dy, ids), (grad, dy.astype(np.float64).sum(0)))
k = Kernels([f"%d: {E}", f"%i: {T}", f"%w: {TABLE}"], [TABLE], f"""
  %g = nn.embedding_grad %d, %i : {E}, {T} -> {TABLE}
  %s = nn.sum %w, %g : {TABLE}
  return %s : {TABLE}""")
assert len(k.calls) == 1, "the gradient is added in place"
check_all("embedding_grad of state", k, (dy, ids, table), (grad + table,))
# Ids that are sums, as positions that count tokens other than padding: a
# separate kernel computes them, since a scatter processes one token after
# another.
MASK = f"tensor<{B}x{S}x{S}xf32>"
mask = rng.integers(0, 2, (B, S, S)).astype(np.float32)
k = Kernels([f"%d: {E}", f"%m: {MASK}", f"%w: {TABLE}"], [TABLE], f"""
  %n = nn.reduce %m [2] : {MASK} -> tensor<{B}x{S}xf32>
  %i = nn.cast %n : tensor<{B}x{S}xf32> -> {T}
  %g = nn.embedding_grad %d, %i : {E}, {T} -> {TABLE}
  %s = nn.sum %w, %g : {TABLE}
  return %s : {TABLE}""")
assert len(k.calls) == 2, "the sums come before the scatter"
counted = np.zeros((N, C))
np.add.at(counted, mask.sum(2).astype(int), dy)
check_all("embedding_grad by sums", k, (dy, mask, table), (counted + table,))

# AdamW in place, and the gradient norm for clipping.
P, F = f"tensor<{N}x{C}xf32>", "tensor<f32>"
names = "%scale %lr %b1 %b2 %eps %wd".split()
k = Kernels([f"%p: {P}", f"%g: {P}", f"%m: {P}", f"%v: {P}"] +
            [f"{n}: {F}" for n in names] + ["%t: tensor<i64>"], [P, P, P], f"""
  %a, %b, %c = nn.adamw decay %p, %g, %m, %v grad_scale %scale lr %lr
      betas %b1, %b2 eps %eps weight_decay %wd step %t
      : {P}, {P}, {P}, {F}, {F}, {F}, {F}, {F}, {F}, tensor<i64>
  return %a, %b, %c : {P}, {P}, {P}""")
p, g, m = normal(N, C), normal(N, C), normal(N, C) * 0.1
v = normal(N, C) ** 2 * 0.1
gs, lr, b1, b2, eps, wd, step = 0.5, 1e-3, 0.9, 0.95, 1e-8, 0.1, 3
gg = g.astype(np.float64) * gs
nm, nv = b1 * m + (1 - b1) * gg, b2 * v + (1 - b2) * gg * gg
np_ = p * (1 - lr * wd) - lr * (nm / (1 - b1 ** step)) / (
    np.sqrt(nv / (1 - b2 ** step)) + eps)
check_all("adamw", k, (p, g, m, v, gs, lr, b1, b2, eps, wd, step),
          (np_, nm, nv))

k = Kernels([f"%p: {P}", f"%g: {P}", f"%s: {F}", f"%lr: {F}", f"%wd: {F}"],
            [P], f"""
  %a = nn.sgd decay %p, %g grad_scale %s lr %lr weight_decay %wd
      : {P}, {P}, {F}, {F}, {F}
  return %a : {P}""")
check_all("sgd", k, (p, g, gs, lr, wd), (p - lr * (gg + wd * p),))

BIG = "tensor<300x768xf32>"
k = Kernels([f"%x: {BIG}", f"%y: {P}", f"%c: {F}"], [F, F], f"""
  %a = nn.sum_of_squares %x : {BIG} -> {F}
  %b = nn.sum_of_squares %y : {P} -> {F}
  %s = nn.sum %a, %b : {F}
  %n = nn.sqrt %s : {F}
  %one = nn.constant dense<1.0> : {F}
  %q = nn.div %c, %n : {F}
  %clip = nn.min %one, %q : {F}
  return %n, %clip : {F}, {F}""")
big = normal(300, 768)
norm = np.sqrt((big.astype(np.float64) ** 2).sum() +
               (p.astype(np.float64) ** 2).sum())
check_all("norm", k, (big, p, 1.5), (norm, min(1, 1.5 / norm)), 3e-7)
