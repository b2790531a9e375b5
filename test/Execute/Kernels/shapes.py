# Ops that move elements, fused into others and alone, and dropout's bits.
# RUN: %python %s

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels, check_all, random_factors

rng = np.random.default_rng(2)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


B, S, H, D = 2, 5, 3, 32
QKV, X = f"tensor<{B}x{S}x3x{H}x{D}xf32>", f"tensor<{B}x{S}x{H}x{D}xf32>"
W = f"tensor<3x{H}x{D}xf32>"
qkv, bias = normal(B, S, 3, H, D), normal(3, H, D)

# A fused projection that is split, and concatenated again in the backward pass.
k = Kernels([f"%x: {QKV}", f"%b: {W}"], [X, X, X], f"""
  %bb = nn.broadcast %b [2, 3, 4] : {W} -> {QKV}
  %y = nn.sum %x, %bb : {QKV}
  %q = nn.select %y dim 2 index 0 : {QKV} -> {X}
  %k = nn.select %y dim 2 index 1 : {QKV} -> {X}
  %v = nn.select %y dim 2 index 2 : {QKV} -> {X}
  return %q, %k, %v : {X}, {X}, {X}""")
y = qkv + bias
check_all("select", k, (qkv, bias), [y[:, :, i] for i in range(3)])

k = Kernels([f"%q: {X}", f"%k: {X}", f"%v: {X}"], [QKV, W], f"""
  %a = nn.insert %q dim 2 index 0 : {X} -> {QKV}
  %b = nn.insert %k dim 2 index 1 : {X} -> {QKV}
  %c = nn.insert %v dim 2 index 2 : {X} -> {QKV}
  %d = nn.sum %a, %b, %c : {QKV}
  %r = nn.reduce %d [0, 1] : {QKV} -> {W}
  return %d, %r : {QKV}, {W}""")
check_all("insert", k, [qkv[:, :, i] for i in range(3)],
          (qkv, qkv.astype(np.float64).sum((0, 1))))

T = f"tensor<{B}x{H}x{S}x{D}xf32>"
k = Kernels([f"%x: {X}"], [T, f"tensor<{D}x{H}x{S}x{B}xf32>"], f"""
  %s = nn.scale %x by 2.0 : {X}
  %t = nn.transpose %s [0, 2, 1, 3] : {X} -> {T}
  %u = nn.transpose %x [3, 2, 1, 0] : {X} -> tensor<{D}x{H}x{S}x{B}xf32>
  return %t, %u : {T}, tensor<{D}x{H}x{S}x{B}xf32>""")
x = normal(B, S, H, D)
check_all("transpose", k, (x,), (2 * x.transpose(0, 2, 1, 3),
                                 x.transpose(3, 2, 1, 0)))

# A roll after a softmax: a row is read for its own position and for another
# one.
R = "tensor<1x8x32xf32>"
k = Kernels([f"%x: {R}"], [R, R], f"""
  %y = nn.softmax %x : {R}
  %f = nn.slice %y at [0, 0, 0] step [1, 1, 1] : {R} -> tensor<1x1x32xf32>
  %p = nn.pad %f at [0, 7, 0] step [1, 1, 1] : tensor<1x1x32xf32> -> {R}
  return %y, %p : {R}, {R}""")
x = normal(1, 8, 32)
y = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
last = np.zeros_like(y)
last[:, 7] = y[:, 0]
check_all("first row elsewhere", k, (x,), (y, last))

M = "tensor<6x40xf32>"
k = Kernels([f"%x: {M}"],
            ["tensor<2x40xf32>", "tensor<6x7xf32>", "tensor<13x40xf32>",
             "tensor<6x85xf32>", "tensor<12x40xf32>", "tensor<6x80xf32>"], f"""
  %a = nn.slice %x at [1, 0] step [3, 1] : {M} -> tensor<2x40xf32>
  %b = nn.slice %x at [0, 5] step [1, 2] : {M} -> tensor<6x7xf32>
  %c = nn.pad %x at [2, 0] step [2, 1] : {M} -> tensor<13x40xf32>
  %d = nn.pad %x at [0, 3] step [1, 2] : {M} -> tensor<6x85xf32>
  %y = nn.exp %x : {M}
  %e = nn.concat %x, %y along 0 : {M}, {M} -> tensor<12x40xf32>
  %f = nn.concat %y, %x along 1 : {M}, {M} -> tensor<6x80xf32>
  return %a, %b, %c, %d, %e, %f : tensor<2x40xf32>, tensor<6x7xf32>,
      tensor<13x40xf32>, tensor<6x85xf32>, tensor<12x40xf32>, tensor<6x80xf32>
  """)
x = normal(6, 40)
c, d = np.zeros((13, 40)), np.zeros((6, 85))
c[2::2][:6] = x
d[:, 3:3 + 80:2] = x
check_all("boxes", k, (x,), (x[1:5:3], x[:, 5:19:2], c, d,
                             np.concatenate([x, np.exp(x)], 0),
                             np.concatenate([np.exp(x), x], 1)))

k = Kernels([f"%x: {M}", "%r: tensor<6xf32>"],
            [M, "tensor<6xf32>", "tensor<40xf32>", "tensor<f32>", M], f"""
  %b = nn.broadcast %r [0] : tensor<6xf32> -> {M}
  %y = nn.mul %x, %b : {M}
  %rows = nn.reduce %y [1] : {M} -> tensor<6xf32>
  %columns = nn.reduce %x [0] : {M} -> tensor<40xf32>
  %all = nn.reduce %x [0, 1] : {M} -> tensor<f32>
  %s = nn.softmax %x : {M}
  return %y, %rows, %columns, %all, %s
      : {M}, tensor<6xf32>, tensor<40xf32>, tensor<f32>, {M}""")
r, wide = normal(6), x.astype(np.float64)
e = np.exp(wide)
check_all("reduce", k, (x, r), (x * r[:, None], (wide * r[:, None]).sum(1),
                                wide.sum(0), wide.sum(),
                                e / e.sum(1, keepdims=True)))

# Sums of leading and trailing dims at once, and of one in the middle.
Z = "tensor<3x4x5x6xf32>"
z = normal(3, 4, 5, 6)
k = Kernels([f"%x: {Z}"], ["tensor<4x5xf32>", "tensor<3x5x6xf32>"], f"""
  %a = nn.reduce %x [0, 3] : {Z} -> tensor<4x5xf32>
  %b = nn.reduce %x [1] : {Z} -> tensor<3x5x6xf32>
  return %a, %b : tensor<4x5xf32>, tensor<3x5x6xf32>""")
check_all("mixed reduce", k, (z,), (z.sum((0, 3), dtype=np.float64),
                                    z.sum(1, dtype=np.float64)))

# Rows and columns of one element, and one number per row.
Z, R = "tensor<2x3x1xf32>", "tensor<2x3xf32>"
z = normal(2, 3, 1)
k = Kernels([f"%x: {Z}", "%w: tensor<1xf32>"],
            ["tensor<1xf32>", Z, Z, R], f"""
  %a = nn.reduce %x [0, 1] : {Z} -> tensor<1xf32>
  %b = nn.softmax %x : {Z}
  %c, %rstd = nn.rms_norm %x scale %w eps 1.0 : {Z}, tensor<1xf32> -> {R}
  return %a, %b, %c, %rstd : tensor<1xf32>, {Z}, {Z}, {R}""")
w, rstd = normal(1), 1 / np.sqrt(z.astype(np.float64) ** 2 + 1)
check_all("one element", k, (z, w), (z.sum((0, 1), dtype=np.float64),
                                     np.ones_like(z), z * rstd * w,
                                     rstd[..., 0]))

k = Kernels([f"%x: {M}"], [M, "tensor<8xi64>"], f"""
  %c = nn.constant dense<3.0> : {M}
  %y = nn.sum %x, %c : {M}
  %p = nn.constant dense<[4, 6, 8, 10, 12, 14, 16, 18]> : tensor<8xi64>
  return %y, %p : {M}, tensor<8xi64>""")
check_all("constants", k, (x,), (x + 3, np.arange(4, 20, 2)))


# A row op and an op that cannot be computed by rows: two kernels, not one that
# mixes rows and elements.
Y = "tensor<6x80xf32>"
k = Kernels([f"%x: {M}", f"%y: {Y}"], [M], f"""
  %s = nn.softmax %x : {M}
  %c = nn.slice %y at [0, 40] step [1, 1] : {Y} -> {M}
  %z = nn.sum %s, %c : {M}
  return %z : {M}""")
x, y = normal(6, 40), normal(6, 80)
e = np.exp(x.astype(np.float64))
check_all("rows and elements", k, (x, y),
          (e / e.sum(1, keepdims=True) + y[:, 40:],))

# Ops on bf16 compute in f32 and round to nearest even after each op.
H = "tensor<6x40xbf16>"
k = Kernels([f"%x: {M}", f"%y: {M}"], [H, M], f"""
  %a = nn.cast %x : {M} -> {H}
  %b = nn.cast %y : {M} -> {H}
  %c = nn.mul %a, %b : {H}
  %d = nn.sum %c, %a : {H}
  %e = nn.cast %d : {H} -> {M}
  return %d, %e : {H}, {M}""")
y = normal(6, 40)


def bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32)
    rounded = bits + 0x7fff + (bits >> 16 & 1) & 0xffff0000
    return rounded.astype(np.uint32).view(np.float32)


a, b = bf16(x), bf16(y)
d = bf16(bf16(a * b) + a)
check_all("bf16", k, (x, y), (d.view(np.uint32) >> 16, d), 0)


# Sums over rows of values that are such sums themselves, also of a single row
# and if other ops need both.
for b, s in ((1, 1), (1, 3), (2, 1), (2, 3)):
    X, R, V = f"tensor<{b}x{s}x16xf32>", f"tensor<{b}x16xf32>", "tensor<16xf32>"
    k = Kernels([f"%x: {X}", f"%y: {X}"], [V, X, V, V], f"""
  %a = nn.reduce %y [0, 1] : {X} -> {V}
  %b = nn.reduce %x [1] : {X} -> {R}
  %c = nn.insert %b dim 1 index {s - 1} : {R} -> {X}
  %d = nn.reduce %c [0, 1] : {X} -> {V}
  %e = nn.sum %a, %d : {V}
  %f = nn.reduce %b [0] : {R} -> {V}
  return %a, %c, %e, %f : {V}, {X}, {V}, {V}""")
    x, y = normal(b, s, 16), normal(b, s, 16)
    inserted = np.zeros_like(x)
    inserted[:, -1] = x.sum(1)
    check_all(f"sums of sums of {b} x {s}", k, (x, y),
              (y.sum((0, 1)), inserted, (x + y).sum((0, 1)), x.sum((0, 1))))


# Dropout, bit for bit.
E = "tensor<2x3x4x8xf32>"
k = Kernels([f"%x: {E}", "%b: tensor<2xi64>", "%s: tensor<3xi64>",
             "%seed: tensor<i64>", "%step: tensor<i64>", "%o: tensor<4xi64>"],
            [E], f"""
  %y = nn.dropout %x samples %b positions %s seed %seed step %step origin %o
      {{p = 0.3 : f64, id = 9 : i64, batch_dim = 0 : i64, seq_dim = 1 : i64}}
      : {E}, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>,
        tensor<4xi64>
  return %y : {E}""")
x, samples, positions = normal(2, 3, 4, 8), [5, 900], [7, 8, 1000]
seed, origin = 3 << 33 | 12345, [0, 0, 4, 16]
factor = random_factors(
    [(samples[b], positions[t], h + 4, d + 16) for b, t, h, d in
     np.ndindex(*x.shape)], seed, 17, 9, 0.3).reshape(x.shape)
check_all("dropout", k, (x, samples, positions, seed, 17, origin),
          (x * factor,), 1e-7)
