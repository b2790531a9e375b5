# Attention by tiles, forward and backward, against numpy: odd sizes, grouped
# heads, positions out of order, dropout, operands that are parts of others.
# RUN: %python %s

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels, check, check_all, random_factors

rng = np.random.default_rng(7)
SEED, STEP, ID, ORIGIN = 1 << 40 | 7, 3, 5, 6
SCALE = 0.25


def expected(q, k, v, do, at, to, causal, factors, result=None):
    r = q.shape[2] // k.shape[2]
    by_head = lambda x: np.repeat(x.astype(np.float64), r, 2)
    x = np.einsum("bshd,bthd->bhst", q.astype(np.float64), by_head(k)) * SCALE
    if causal:
        x = np.where(to[None, :] > at[:, None], -np.inf, x)
    with np.errstate(all="ignore"):
        top = x.max(-1, keepdims=True)
        e = np.where(np.isinf(x), 0, np.exp(x - top))
        total = e.sum(-1, keepdims=True)
        probs = np.where(total > 0, e / total, 0)
        lse = (top + np.log(total))[..., 0]
    lse = np.where(np.isinf(x).all(-1), -np.inf, lse)
    out = np.einsum("bhst,bthe->bshe", probs * factors, by_head(v))
    d = np.einsum("bshe,bthe->bhst", do.astype(np.float64), by_head(v)) * factors
    given = out if result is None else result.astype(np.float64)
    dot = (do * given).sum(-1).transpose(0, 2, 1)[..., None]
    ds = probs * (d - dot) * SCALE
    dq = np.einsum("bhst,bthd->bshd", ds, by_head(k))
    add = lambda x: x.reshape(*x.shape[:2], -1, r, x.shape[3]).sum(3)
    dk = add(np.einsum("bhst,bshd->bthd", ds, q.astype(np.float64)))
    dv = add(np.einsum("bhst,bshe->bthe", probs * factors,
                       do.astype(np.float64)))
    return out, lse.transpose(0, 2, 1), dq, dk, dv


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def narrow(x, element):
    """What is stored of f32 numbers."""
    if element == "bf16":
        bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return x.astype({"f16": np.float16, "f32": np.float32}[element])


def wide(x):
    """And what is meant by it."""
    if x.dtype == np.uint16:
        return (x.astype(np.uint32) << 16).view(np.float32)
    return x.astype(np.float32)


TOLERANCE = {"f32": 5e-6, "bf16": 4e-3, "f16": 1e-3}
# batch, queries, keys, heads, key heads, width, width of values
SIZES = ((2, 5, 7, 3, 3, 8, 8), (1, 67, 67, 6, 2, 20, 20),
         (2, 131, 70, 2, 1, 64, 64), (1, 64, 128, 2, 2, 80, 48),
         (1, 33, 97, 3, 1, 128, 16), (1, 1, 3, 1, 1, 1, 3))
for b, s, t, h, g, d, e in SIZES:
    for causal, p, element in ((False, 0.0, "f32"), (True, 0.0, "f16"),
                               (True, 0.0, "f32"), (True, 0.25, "f32"),
                               (True, 0.25, "bf16")):
        q, k, v, do = (
            wide(narrow(rng.standard_normal(shape), element))
            for shape in ((b, s, h, d), (b, t, g, d), (b, t, g, e),
                          (b, s, h, e)))
        # Out of order, as context parallelism has them.
        at = rng.permutation(max(s, t))[:s]
        to = rng.permutation(max(s, t))[:t]
        if s > 1:
            at[s // 2] = -1  # sees no key
        samples = [4 + 1000 * i for i in range(b)]
        factors = 1
        if p:
            factors = random_factors(
                [(x, n + ORIGIN, i, j) for x in samples for n in range(h)
                 for i in at for j in to], SEED, STEP, ID, p)
            factors = factors.reshape(b, h, s, t)
        out, lse, dq, dk, dv = expected(q, k, v, do, at, to, causal, factors)
        mask = "causal " if causal else ""
        rest, I = "positions %at, %to", "tensor<i64>"
        types = f"tensor<{s}xi64>, tensor<{t}xi64>"
        if p:
            rest += " samples %b seed %seed step %step head_origin %o"
            types += f", tensor<{b}xi64>, {I}, {I}, {I}"
        rest += f" scale {SCALE} {{p = {p} : f64, id = {ID} : i64}}"
        Q, K, V, O, both, turned, lone = (
            tensor(*shape, element=element)
            for shape in ((b, s, h, d), (b, t, g, d), (b, t, g, e),
                          (b, s, h, e), (b, t, g, 2, d), (1, s, b, h, d),
                          (b, s, 1, h, d)))
        L, DQ = tensor(b, s, h), tensor(b, s, h, d)  # dq is f32 here
        kernels = Kernels(
            [f"%qq: {turned}", f"%kk: {both}", f"%v: {V}", f"%do: {O}", f"%o0: {O}",
             f"%l0: {L}", f"%at: tensor<{s}xi64>", f"%to: tensor<{t}xi64>",
             f"%b: tensor<{b}xi64>", f"%seed: {I}", f"%step: {I}", f"%o: {I}"],
            [O, L, DQ, K, V], f"""
  %qt = nn.transpose %qq [2, 1, 0, 3, 4] : {turned} -> {lone}
  %q = nn.reshape %qt : {lone} -> {Q}
  %k = nn.select %kk dim 3 index 1 : {both} -> {K}
  %y, %lse = nn.attention {mask}%q, %k, %v {rest} : ({Q}, {K}, {V}, {types}) -> ({O}, {L})
  %dq, %dk, %dv = nn.attention_grad {mask}%do, %q, %k, %v result %o0 lse %l0 {rest}
      : ({O}, {Q}, {K}, {V}, {O}, {L}, {types}) -> ({DQ}, {K}, {V})
  return %y, %lse, %dq, %dk, %dv : {O}, {L}, {DQ}, {K}, {V}""")
        # Rounded, what backward has of the result is another.
        out = wide(narrow(out, element))
        _, _, dq, dk, dv = expected(q, k, v, do, at, to, causal, factors, out)
        qq, kk, v, do, o = (
            narrow(x, element) for x in
            (q.transpose(1, 0, 2, 3)[None],
             np.stack([np.full_like(k, np.nan), k], 3), v, do, out))
        inputs = (qq, kk, v, do, o, lse, at, to, samples, SEED, STEP, ORIGIN)
        what = f"{(b, s, t, h, g, d, e)} {element} causal={causal} p={p}"
        check_all(what, kernels, inputs, ())
        y, sums, *rest = kernels(*inputs)
        seen = np.isfinite(lse)
        assert (np.isfinite(sums) == seen).all()
        assert np.abs(sums[seen] - lse[seen]).max() < 1e-5
        for found, right in zip((y, *rest), (out, dq, dk, dv)):
            check(what, wide(found), right, TOLERANCE[element])

# Scores that are not finite. A row whose scores are all -inf gives zeros, and
# takes part in no gradient; one with a NaN or +inf is NaN, and no other row is.
Q, L, N = tensor(1, 3, 1, 4), tensor(1, 3, 1), "tensor<3xi64>"
kernels = Kernels(
    [f"%q: {Q}", f"%k: {Q}", f"%do: {Q}", f"%o0: {Q}", f"%l0: {L}", f"%at: {N}"],
    [Q, L, Q, Q, Q], f"""
  %y, %lse = nn.attention %q, %k, %k positions %at, %at scale {SCALE} : ({Q}, {Q}, {Q}, {N}, {N}) -> ({Q}, {L})
  %dq, %dk, %dv = nn.attention_grad %do, %q, %k, %k result %o0 lse %l0 positions %at, %at scale {SCALE}
      : ({Q}, {Q}, {Q}, {Q}, {Q}, {L}, {N}, {N}) -> ({Q}, {Q}, {Q})
  return %y, %lse, %dq, %dk, %dv : {Q}, {L}, {Q}, {Q}, {Q}""")
k, do = (abs(rng.standard_normal((1, 3, 1, 4))).astype(np.float32)
         for _ in range(2))
k[..., 0] += 1
at = [0, 1, 2]
for number, isSeen in ((-3e38, False), (np.nan, True), (np.inf, True)):
    q = rng.standard_normal((1, 3, 1, 4)).astype(np.float32)
    # The scores overflow although the numbers do not.
    scaled = k * 2
    q[0, 1] = number
    y, lse, *_ = kernels(q, scaled, do, do, np.zeros((1, 3, 1)), at)
    rows = [0, 2]
    right = expected(q[:, rows], scaled, scaled, do[:, rows],
                     np.array([0, 2]), np.array(at), False, 1)
    check("rows beside", y[:, rows], right[0], 5e-6)
    assert np.isfinite(lse[:, rows]).all()
    if isSeen:
        assert np.isnan(y[0, 1]).all() and np.isnan(lse[0, 1]).all()
        continue
    assert (y[0, 1] == 0).all() and lse[0, 1, 0] == -np.inf
    _, _, dq, dk, dv = kernels(q, scaled, do, y, lse, at)
    assert (dq[0, 1] == 0).all()
    for found, wanted in ((dq[:, rows], right[2]), (dk, right[3]),
                          (dv, right[4])):
        check("gradients beside", found, wanted, 5e-6)
