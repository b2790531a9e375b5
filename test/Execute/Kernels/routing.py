# The choice of elements of rows, and its use, against numpy: alone, fused, with
# many choices, of all element types; ties, zeros of both signs, denormals,
# infinities and NaNs.
# RUN: %python %s

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels, check_all

rng = np.random.default_rng(3)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def order(x, k):
    """The k largest of each row: NaNs first, equal ones by index."""
    with np.errstate(invalid="ignore"):
        keys = np.where(np.isnan(x), 1, 0), np.nan_to_num(
            x.astype(np.float64), nan=0, posinf=np.inf, neginf=-np.inf)
    return np.lexsort([-keys[1], -keys[0]], axis=-1)[..., :k]


def spread(v, ids, extent):
    sums = np.zeros(ids.shape[:-1] + (extent,))
    for row in np.ndindex(ids.shape[:-1]):
        for i, value in zip(ids[row], v[row]):
            if 0 <= i < extent:
                sums[row + (i,)] += value
    return sums


def scores(rows, extent):
    """With ties, zeros of both signs, denormals, infinities and NaNs."""
    special = np.array([0, -0.0, 1e-42, -1e-42, np.inf, -np.inf, np.nan,
                        -np.nan, 1, 3e38, -3e38], np.float32)
    x = normal(rows, extent)
    mask = rng.random((rows, extent)) < 0.5
    return np.where(mask, rng.choice(special, (rows, extent)), x)


# A few choices are maxima one after another. More choices, and those of f64,
# compare all pairs.
for rows, extent, k, element in ((37, 19, 4, "f32"), (5, 8, 8, "f32"),
                                 (6, 1, 1, "f32"), (1, 300, 32, "f32"),
                                 (9, 40, 33, "f32"), (4, 6, 3, "f64"),
                                 (21, 16, 2, "f16")):
    X, I = f"tensor<{rows}x{extent}x{element}>", f"tensor<{rows}x{k}xi32>"
    kernels = Kernels([f"%x: {X}"], [I], f"""
  %i = nn.top_k %x : {X} -> {I}
  return %i : {I}""")
    x = scores(rows, extent)
    if element == "f16":
        with np.errstate(over="ignore"):
            x = x.astype(np.float16)
    check_all(f"top_k of {extent}, {k}, {element}", kernels, (x,),
              (order(x, k),), 0)

# A router: the choice, its scores divided by their sum, and the derivative.
R, E, N = 24, 16, 4
X, V, I = f"tensor<{R}x{E}xf32>", f"tensor<{R}x{N}xf32>", f"tensor<{R}x{N}xi32>"
S = f"tensor<{R}xf32>"
kernels = Kernels([f"%x: {X}"], [I, V], f"""
  %i = nn.top_k %x : {X} -> {I}
  %v = nn.pick %x, %i : {X}, {I} -> {V}
  %s = nn.reduce %v [1] : {V} -> {S}
  %b = nn.broadcast %s [0] : {S} -> {V}
  %g = nn.div %v, %b : {V}
  return %i, %g : {I}, {V}""")
assert len(kernels.calls) == 1, "one kernel"
x = np.abs(normal(R, E))
ids = order(x, N)
values = np.take_along_axis(x, ids, 1)
check_all("router", kernels, (x,),
          (ids, values / values.sum(1, keepdims=True)))

# Ids outside of the row, from an offset on; equal ids.
O = "tensor<i64>"
given = rng.integers(-2, E + 12, (R, N)).astype(np.int32)
given[:, 1] = given[:, 0]
kernels = Kernels([f"%x: {X}", f"%i: {I}", f"%d: {V}", f"%o: {O}"], [V, X], f"""
  %v = nn.pick %x, %i offset %o : {O} : {X}, {I} -> {V}
  %s = nn.spread %d, %i offset %o : {O} : {V}, {I} -> {X}
  %e = nn.exp %s : {X}
  return %v, %e : {V}, {X}""")
d = normal(R, N)
for offset in (0, 8):
    at = given - offset
    inside = (at >= 0) & (at < E)
    picked = np.take_along_axis(x, np.where(inside, at, 0), 1)
    check_all("pick and spread", kernels, (x, given, d, offset),
              (picked * inside, np.exp(spread(d, at, E))))

# Many ids of i64, and rows of three dims; sums of a few rows; integers.
M = 40
X3, I3, V3 = f"tensor<2x3x{E}xf32>", f"tensor<2x3x{M}xi64>", f"tensor<2x3x{M}xf32>"
Y3, W3 = f"tensor<2x3x{E}xi32>", f"tensor<2x3x{M}xi32>"
kernels = Kernels([f"%x: {X3}", f"%i: {I3}", f"%y: {Y3}"],
                  [V3, X3, f"tensor<{E}xf32>", W3], f"""
  %v = nn.pick %x, %i : {X3}, {I3} -> {V3}
  %s = nn.spread %v, %i : {V3}, {I3} -> {X3}
  %r = nn.reduce %s [0, 1] : {X3} -> tensor<{E}xf32>
  %w = nn.pick %y, %i : {Y3}, {I3} -> {W3}
  return %v, %s, %r, %w : {V3}, {X3}, tensor<{E}xf32>, {W3}""")
x3, i3 = normal(2, 3, E), rng.integers(0, E, (2, 3, M))
y3 = rng.integers(-9, 9, (2, 3, E)).astype(np.int32)
v3 = np.take_along_axis(x3, i3, -1)
s3 = spread(v3, i3, E)
check_all("many ids", kernels, (x3, i3, y3),
          (v3, s3, s3.sum((0, 1)), np.take_along_axis(y3, i3, -1)))

# Rows that are computed, constants, and a view.
T = f"tensor<{E}x{R}xf32>"
kernels = Kernels([f"%x: {T}", f"%i: {I}"], [V, V, V], f"""
  %t = nn.transpose %x [1, 0] : {T} -> {X}
  %v = nn.pick %t, %i : {X}, {I} -> {V}
  %y = nn.softmax %t : {X}
  %w = nn.pick %y, %i : {X}, {I} -> {V}
  %c = nn.constant dense<{[[float(e * 2 + r) for e in range(E)] for r in range(R)]}> : {X}
  %u = nn.pick %c, %i : {X}, {I} -> {V}
  return %v, %w, %u : {V}, {V}, {V}""")
ids = rng.integers(0, E, (R, N)).astype(np.int32)
soft = np.exp(x) / np.exp(x).sum(1, keepdims=True)
table = np.arange(E) * 2 + np.arange(R)[:, None]
check_all("rows of a view", kernels, (x.T, ids),
          [np.take_along_axis(y, ids, 1) for y in (x, soft, table)])

# In bf16 and fp16 the sum of equal ids is rounded once.
H = f"tensor<{R}x{N}xf16>"
kernels = Kernels([f"%v: {H}", f"%i: {I}"], [f"tensor<{R}x{E}xf16>"], f"""
  %s = nn.spread %v, %i : {H}, {I} -> tensor<{R}x{E}xf16>
  return %s : tensor<{R}x{E}xf16>""")
half = normal(R, N).astype(np.float16)
check_all("spread of f16", kernels, (half, given),
          (spread(half, given, E).astype(np.float16),), 1e-6)


def route(ids, offset, experts):
    """The rows of choices in the order of experts."""
    flat = ids.reshape(-1) - offset
    key = np.where((flat >= 0) & (flat < experts), flat, experts)
    order = np.argsort(key, kind="stable")
    count = ids.shape[0] * min(ids.shape[1], experts)
    row = np.full(flat.size, -1, np.int64)
    valid = key[order] < experts
    row[order[valid]] = np.arange(valid.sum())
    pairs = np.where(valid, order, -1)[:count]
    return (np.where(pairs < 0, -1, pairs // ids.shape[1]), pairs,
            np.where(pairs < 0, -1, key[order][:count]), row.reshape(ids.shape),
            np.searchsorted(key[order], np.arange(experts), side="right"))


# Routing to a few experts, of which others have some, to one, and to so many that
# a sort has two digits.
for tokens, count, experts, offset in ((50, 3, 4, 2), (40, 1, 1, 0),
                                       (7, 2, 300, 0), (8192, 1, 3000, 5)):
    n = tokens * min(count, experts)
    T, R, D = (f"tensor<{tokens}x{count}xi32>", f"tensor<{n}xi32>",
               f"tensor<{experts}xi32>")
    kernels = Kernels([f"%i: {T}", "%o: tensor<i64>"], [R, R, R, T, D], f"""
  %t, %p, %e, %r, %d = nn.route %i offset %o
      : ({T}, tensor<i64>) -> ({R}, {R}, {R}, {T}, {D})
  return %t, %p, %e, %r, %d : {R}, {R}, {R}, {T}, {D}""")
    # Different experts for each token.
    all = experts + 2 * offset
    ids = (rng.integers(0, all, (tokens, 1)) + np.arange(count) * (all // count)) % all
    # A second digit is the remainder of a key.
    text = str(kernels.calls)
    assert ("rem" in text) == (experts == 3000), text
    check_all(f"route {tokens} {count} {experts}", kernels,
              (ids.astype(np.int32), offset), route(ids, offset, experts), 0)
