# Elementwise chains, norms and column sums, fused and not, against numpy.
# RUN: %python %s

import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels, check_all

rng = np.random.default_rng(0)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) *
                                  (x + 0.044715 * x ** 3)))


def gelu_grad(x):
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)
    du = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x ** 2)
    t = np.tanh(u)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du


erf = np.vectorize(math.erf)
B, S, C = 3, 5, 384
X, V, R = f"tensor<{B}x{S}x{C}xf32>", f"tensor<{C}xf32>", f"tensor<{B}x{S}xf32>"

x, y, bias, scale = normal(B, S, C), normal(B, S, C), normal(C), normal(C)
wx, wy = x.astype(np.float64), y.astype(np.float64)

k = Kernels([f"%x: {X}", f"%b: {V}", f"%dy: {X}"], [X, X], f"""
  %bb = nn.broadcast %b [2] : {V} -> {X}
  %h = nn.sum %x, %bb : {X}
  %g = nn.gelu tanh %h : {X}
  %d = nn.gelu_grad tanh %dy, %h : {X}
  return %g, %d : {X}, {X}""")
assert len(k.calls) == 1, "bias, gelu and its gradient are one kernel"
check_all("gelu", k, (x, bias, y), (gelu(wx + bias), wy * gelu_grad(wx + bias)))

k = Kernels([f"%x: {X}", f"%dy: {X}"], [X, X], f"""
  %g = nn.gelu %x : {X}
  %d = nn.gelu_grad %dy, %x : {X}
  return %g, %d : {X}, {X}""")
phi = 0.5 * (1 + erf(wx / math.sqrt(2)))
density = np.exp(-wx * wx / 2) / math.sqrt(2 * math.pi)
check_all("gelu erf", k, (x, y), (wx * phi, wy * (phi + wx * density)))

k = Kernels([f"%x: {X}", f"%y: {X}", f"%s: {V}", f"%b: {V}"], [X, X, R, R], f"""
  %h = nn.sum %x, %y : {X}
  %n, %m, %r = nn.layer_norm %h scale %s bias %b eps 1.0e-5
      : {X}, {V}, {V} -> {R}, {R}
  return %h, %n, %m, %r : {X}, {X}, {R}, {R}""")
assert len(k.calls) == 1, "residual and norm are one kernel"
h = wx + wy
mean = h.mean(-1)
rstd = 1 / np.sqrt(h.var(-1) + 1e-5)
xhat = (h - mean[..., None]) * rstd[..., None]
check_all("layer_norm", k, (x, y, scale, bias),
          (h, xhat * scale + bias, mean, rstd))

k = Kernels([f"%dy: {X}", f"%x: {X}", f"%s: {V}", f"%m: {R}", f"%r: {R}",
             f"%res: {X}"], [X, V, V], f"""
  %dx = nn.layer_norm_grad %dy, %x scale %s mean %m rstd %r : {X}, {V}, {R}, {R}
  %sum = nn.sum %dx, %res : {X}
  %ds = nn.layer_norm_grad_scale %dy, %x mean %m rstd %r : {X}, {R}, {R} -> {V}
  %db = nn.reduce %dy [0, 1] : {X} -> {V}
  return %sum, %ds, %db : {X}, {V}, {V}""")
assert len(k.calls) == 2, "both column sums are one kernel"
g = wy * scale
dx = rstd[..., None] * (g - g.mean(-1, keepdims=True) -
                        xhat * (g * xhat).mean(-1, keepdims=True))
check_all("layer_norm_grad", k,
          (y, h, scale, mean, rstd, x),
          (dx + wx, (wy * xhat).sum((0, 1)), wy.sum((0, 1))), 1e-5)

k = Kernels([f"%x: {X}"], [X], f"""
  %a = nn.sigmoid %x : {X}
  %b = nn.silu %x : {X}
  %c = nn.relu %x : {X}
  %d = nn.tanh %x : {X}
  %e = nn.exp %x : {X}
  %f = nn.sum %a, %b, %c, %d, %e : {X}
  %z = nn.mul %x, %x : {X}
  %q = nn.sqrt %z : {X}
  %l = nn.log %e : {X}
  %m = nn.max %q, %l : {X}
  %n = nn.min %m, %f : {X}
  %r = nn.div %n, %e : {X}
  %s = nn.sub %r, %x : {X}
  %t = nn.scale %s by 0.25 : {X}
  return %t : {X}""")
s = 1 / (1 + np.exp(-wx))
f = s + wx * s + np.maximum(wx, 0) + np.tanh(wx) + np.exp(wx)
n = np.minimum(np.maximum(np.abs(wx), wx), f)
check_all("unary", k, (x,), ((n / np.exp(wx) - wx) * 0.25,))

# Ops that imported graphs keep if no larger pattern matches.
M = f"tensor<{B}x{S}x{C}xi1>"
mask = rng.integers(0, 2, (B, S, C)).astype(np.bool_)
k = Kernels([f"%m: {M}", f"%x: {X}", f"%y: {X}"], [X], f"""
  %e = nn.erf %x : {X}
  %w = nn.where %m, %e, %y : {M}, {X}
  return %w : {X}""")
check_all("erf, where", k, (mask, x, y), (np.where(mask, erf(wx), wy),))

# In f64 erf calls the C library.
D = f"tensor<{B}x{S}x{C}xf64>"
k = Kernels([f"%x: {D}"], [D], f"""
  %e = nn.erf %x : {D}
  return %e : {D}""")
check_all("erf in f64", k, (wx,), (erf(wx),), tolerance=1e-15)

# A cast to i1 compares with zero and does not take the lowest bit; true is
# larger than false.
I, N = "tensor<2x4xi64>", "tensor<2x4xi1>"
W = "tensor<2x4xf32>"
k = Kernels([f"%i: {I}", f"%x: {W}"], [N, N, N], f"""
  %a = nn.cast %i : {I} -> {N}
  %b = nn.cast %x : {W} -> {N}
  %c = nn.max %a, %b : {N}
  return %a, %b, %c : {N}, {N}, {N}""")
i = np.array([[0, 1, 2, -4], [0, 0, 3, 256]])
w = np.array([[0, 0.5, -2, 0], [-0.0, np.nan, 3, 0]], np.float32)
check_all("cast to i1", k, (i, w), (i != 0, w != 0, (i != 0) | (w != 0)))

# Every f16, and between each two adjacent ones the midpoint and its neighbors
# in f32: subnormals, the bounds of overflow, inf and NaN among them.
half = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
between = np.sort(half[np.isfinite(half)].astype(np.float64))
between = (between[1:] + between[:-1]) / 2
wide = np.concatenate([np.nextafter(between, -np.inf, dtype=np.float32),
                       between.astype(np.float32),
                       np.nextafter(between, np.inf, dtype=np.float32),
                       np.float32([65519.9, 65520, 1e30, np.inf, np.nan, 1e-30,
                                   2.0**-25, -65520, -np.inf, -1e-30])])
wide = np.resize(wide, (3, 1 << 16)).astype(np.float32)
H, F = f"tensor<{1 << 16}xf16>", f"tensor<3x{1 << 16}xf32>"
k = Kernels([f"%h: {H}", f"%w: {F}"],
            [H.replace("f16", "f32"), F.replace("f32", "f16")], f"""
  %a = nn.cast %h : {H} -> {H.replace("f16", "f32")}
  %b = nn.cast %w : {F} -> {F.replace("f32", "f16")}
  return %a, %b : {H.replace("f16", "f32")}, {F.replace("f32", "f16")}""")
with np.errstate(over="ignore"):
    widened, narrowed = half.astype(np.float32), wide.astype(np.float16)
for found, wanted in zip(k(half, wide), (widened, narrowed)):
    same = (found == wanted) & (np.signbit(found) == np.signbit(wanted))
    assert (same | (np.isnan(found) & np.isnan(wanted))).all(), "f16"

# Integers and predicates of imported files, and selections by them.
B1 = f"tensor<{B}x{S}x{C}xi1>"
N = f"tensor<{B}x{S}x{C}xi64>"
n1 = rng.integers(-9, 9, (B, S, C))
n2 = rng.integers(1, 5, (B, S, C))
k = Kernels([f"%a: {N}", f"%b: {N}", f"%x: {X}", f"%y: {X}"], [N, X, B1], f"""
  %r = nn.rem %a, %b : {N}
  %l = nn.compare lt %a, %b : {N} -> {B1}
  %m = nn.compare le %x, %y : {X} -> {B1}
  %e = nn.compare eq %l, %m : {B1} -> {B1}
  %s = nn.sum %a, %r : {N}
  %w = nn.where %l, %s, %b : {B1}, {N}
  %p = nn.sin %x : {X}
  %q = nn.cos %y : {X}
  %f = nn.floor %x : {X}
  %g = nn.round %y : {X}
  %t = nn.rem %x, %y : {X}
  %u = nn.exp %y : {X}
  %v = nn.pow %u, %x : {X}
  %h = nn.sum %p, %q, %f, %g, %t, %v : {X}
  %i = nn.where %e, %h, %x : {B1}, {X}
  return %w, %i, %m : {N}, {X}, {B1}""")
l, m = n1 < n2, wx <= wy
h = (np.sin(wx) + np.cos(wy) + np.floor(wx) + np.rint(wy) + np.fmod(wx, wy) +
     np.exp(wy * wx))
check_all("relations", k, (n1, n2, x, y),
          (np.where(l, n1 + np.fmod(n1, n2), n2), np.where(l == m, h, wx), m),
          1e-5)

# Reductions other than sums; dims other than the last are transposed first.
for kind, best in (("max", np.max), ("min", np.min), ("prod", np.prod)):
    results = [R, f"tensor<{C}xf32>", f"tensor<{B}x{S}xi64>",
               f"tensor<{B}x{S}xi1>", f"tensor<{C}xi1>"]
    k = Kernels([f"%x: {X}", f"%n: {N}", f"%m: {N}"], results, f"""
  %a = nn.reduce_{kind} %x [2] : {X} -> {R}
  %b = nn.reduce_{kind} %x [0, 1] : {X} -> tensor<{C}xf32>
  %c = nn.reduce_{kind} %n [2] : {N} -> tensor<{B}x{S}xi64>
  %l = nn.compare lt %n, %m : {N} -> {B1}
  %d = nn.reduce_{kind} %l [2] : {B1} -> tensor<{B}x{S}xi1>
  %e = nn.reduce_{kind} %l [0, 1] : {B1} -> tensor<{C}xi1>
  return %a, %b, %c, %d, %e : {', '.join(results)}""")
    small = np.where(n1 == 0, 3, np.sign(n1)) if kind == "prod" else n1
    near = 1 + x / 100 if kind == "prod" else x
    # Bools that are rarely true in some rows, and rarely false in others.
    limit = small + np.where(rng.random(n1.shape) < 0.9, -1, 1)
    limit[0] = small[0] + np.where(rng.random(n1[0].shape) < 0.9, 1, -1)
    limit[-1, -1] = small[-1, -1] - 1
    check_all("reduce_" + kind, k, (near, small, limit),
              (best(near.astype(np.float64), -1),
               best(near.astype(np.float64), (0, 1)), best(small, -1),
               best(small < limit, -1) != 0, best(small < limit, (0, 1)) != 0),
              1e-5)
