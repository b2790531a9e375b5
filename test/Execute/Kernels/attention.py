# The row ops of expanded attention, with masks, biases and dropout, against
# numpy.
# RUN: %python %s

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels, check_all, random_factors

rng = np.random.default_rng(3)
B, H, S, T = 2, 3, 5, 40
X, R = f"tensor<{B}x{H}x{S}x{T}xf32>", f"tensor<{B}x{H}x{S}xf32>"
scores = rng.standard_normal((B, H, S, T)).astype(np.float32) * 3
grad = rng.standard_normal((B, H, S, T)).astype(np.float32)
# Out of order, as with context parallelism; the first query sees no key.
query = np.array([-1, 30, 3, 39, 0])
key = rng.permutation(T)
samples, seed, step, origin = [4, 1000], 1 << 40 | 7, 3, 6
by_head = rng.standard_normal((1, H, S, T)).astype(np.float32)
# A padding mask; the second sample is all padding.
padding = np.where(rng.random((B, 1, 1, T)) < 0.3, -np.inf, 0)
padding[1] = -np.inf
by_query = rng.standard_normal((B, 1, S, 1)).astype(np.float32)
# Padding as a finite number: with the least float the second sample's scores
# vanish, so its keys have equal weights; with -1e4 they do not.
least = np.where(np.isinf(padding), np.finfo(np.float32).min, 0)
fill = np.where(np.isinf(padding), -1e4, 0)


def expected(causal, p, bias):
    x = (scores * np.float32(0.25) + np.float32(bias)).astype(np.float64)
    masked = (key[None, :] > query[:, None]) & causal | np.isinf(x)
    x = np.where(masked, -np.inf, x)
    with np.errstate(all="ignore"):
        top = x.max(-1, keepdims=True)
        e = np.where(masked, 0, np.exp(x - top))
        total = e.sum(-1, keepdims=True)
        probs = np.where(total > 0, e / total, 0)
        lse = (np.log(total) + (0 if np.ndim(bias) else top))[..., 0]
    factors = np.ones_like(probs)
    if p:
        factors = random_factors(
            [(b, h + origin, q, k) for b in samples for h in range(H)
             for q in query for k in key], seed, step, 5, p).reshape(B, H, S, T)
    d = grad * factors
    dot = (probs * d).sum(-1, keepdims=True)
    top = np.where(np.isinf(top), 0, top)[..., 0]
    return probs * factors, lse, probs * (d - dot) * 0.25, top


I = "tensor<i64>"
POS = f"tensor<{S}xi64>, tensor<{T}xi64>"
for causal, bias in ((False, 0), (True, 0), (True, by_head),
                     (False, padding.astype(np.float32)), (False, by_query),
                     (False, least.astype(np.float32)),
                     (True, fill.astype(np.float32))):
    for p in (0.0, 0.25):
        mask = "causal " if causal else ""
        rest = "positions %q, %k"
        types = POS
        bias_type = "tensor<f32>"
        rows, made, given = [R], "%lse", ""
        if np.ndim(bias):
            bias_type = f"tensor<{'x'.join(map(str, bias.shape))}xf32>"
            rest += " bias %bias"
            rows, made, given = [R, R], "%lse, %max", "max %f "
            types += f", {bias_type}"
        if p:
            rest += " samples %b seed %seed step %step head_origin %o"
            types += f", tensor<{B}xi64>, {I}, {I}, {I}"
        rest += f" scale 0.25 {{p = {p} : f64, id = 5 : i64}}"
        k = Kernels([f"%x: {X}", f"%d: {X}", f"%e: {R}",
                     f"%q: tensor<{S}xi64>", f"%k: tensor<{T}xi64>",
                     f"%b: tensor<{B}xi64>", f"%seed: {I}", f"%step: {I}",
                     f"%o: {I}", f"%bias: {bias_type}", f"%f: {R}"],
                    [X, *rows, X, X], f"""
  %y, {made} = nn.masked_softmax {mask}%x {rest} : ({X}, {types}) -> ({', '.join([X, *rows])})
  %z, %dx = nn.masked_softmax_grad {mask}%x, %d lse %e {given}{rest}
      : ({', '.join([X, X, *rows])}, {types}) -> ({X}, {X})
  return %y, {made}, %z, %dx : {', '.join([X, *rows, X, X])}""")
        probs, lse, d, top = expected(causal, p, bias)
        what = f"causal={causal} p={p} bias={np.shape(bias)}"
        inputs = (scores, grad, lse, query, key, samples, seed, step, origin,
                  bias, top)
        finite = np.where(np.isfinite(lse), lse, 0)
        y, out, *highest, z, dx = k(*inputs)
        assert all(np.allclose(found, top, 1e-6, 1e-6) for found in highest)
        assert (np.isfinite(out) == np.isfinite(lse)).all()
        assert not np.isnan(dx).any()
        check_all(what, k, inputs,
                  (probs, None, *[None for _ in highest], probs, d))
