# Attention by tiles, forward and backward, against numpy: odd sizes, grouped
# heads, positions out of order, dropout, biases of all shapes, operands that
# are slices of tensors. For a size, kinds of attention alternate between a bias
# and none; with PCC_TEST_ALL all are also tested without a bias.
# RUN: %python %s

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels, check, check_all, random_factors

ALL = bool(os.environ.get("PCC_TEST_ALL"))
rng, rng_of_biases = np.random.default_rng(7), np.random.default_rng(8)
SEED, STEP, ID, ORIGIN = 1 << 40 | 7, 3, 5, 6
SCALE = 0.25


def expected(q, k, v, do, at, to, causal, factors, result=None, bias=None):
    """o, lse, dq, dk, dv; with a bias max and dbias. Computes all scores."""
    r = q.shape[2] // k.shape[2]
    by_head = lambda x: np.repeat(x.astype(np.float64), r, 2)
    x = np.einsum("bshd,bthd->bhst", q.astype(np.float64), by_head(k)) * SCALE
    if bias is not None:
        # In f32: a score that is added to the least float vanishes.
        x = (x.astype(np.float32) + bias.astype(np.float32)).astype(np.float64)
    if causal:
        x = np.where(to[None, :] > at[:, None], -np.inf, x)
    with np.errstate(all="ignore"):
        top = x.max(-1, keepdims=True)
        e = np.where(np.isinf(x), 0, np.exp(x - top))
        total = e.sum(-1, keepdims=True)
        probs = np.where(total > 0, e / total, 0)
        lse = ((0 if bias is not None else top) + np.log(total))[..., 0]
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
    rows = (lse.transpose(0, 2, 1),)
    if bias is None:
        return out, *rows, dq, dk, dv
    top = np.where(np.isinf(top), 0, top)[..., 0]
    return out, *rows, top.transpose(0, 2, 1), dq, dk, dv, ds / SCALE


def biases(b, h, s, t):
    """Biases as in models: slopes by the key (ALiBi), a number per score,
    padding of each sample, rows of -inf and of the least float, a number per
    query."""
    least = np.finfo(np.float32).min
    draw = lambda *shape: rng_of_biases.standard_normal(shape).astype(
        np.float32)
    padding = np.where(np.arange(t) >= max(1, t - 3), least, 0)
    rows = draw(b, 1, s, t)
    rows[0, 0, 0] = least
    rows[b - 1, 0, s - 1] = -np.inf
    rows[:, 0, :, t - 1] = -np.inf
    return [draw(1, h, 1, t), draw(1, h, s, t),
            np.broadcast_to(padding, (b, 1, 1, t)).astype(np.float32), rows,
            draw(1, 1, s, 1), draw(b, h, s, t)]


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def narrow(x, element):
    """The stored form of f32 numbers."""
    if element == "bf16":
        bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return x.astype({"f16": np.float16, "f32": np.float32}[element])


def wide(x):
    """The values that stored numbers represent."""
    if x.dtype == np.uint16:
        return (x.astype(np.uint32) << 16).view(np.float32)
    return x.astype(np.float32)


TOLERANCE = {"f32": 5e-6, "bf16": 4e-3, "f16": 1e-3}


def compare(sizes, causal, p, element, bias, values, samples, factors):
    b, s, t, h, g, d, e = sizes
    q, k, v, do, at, to = values
    # The bias has the operands' type, but f32 if it contains the least float.
    has_bias = bias is not None
    of_bias = "f32"
    if has_bias:
        finite = np.abs(bias[np.isfinite(bias)])
        of_bias = element if finite.max(initial=0) < 99 else "f32"
        bias = wide(narrow(bias, of_bias))
    out, lse, *rest = expected(q, k, v, do, at, to, causal, factors, bias=bias)
    mask = "causal " if causal else ""
    more, I = "", "tensor<i64>"
    types = f"tensor<{s}xi64>, tensor<{t}xi64>"
    Q, K, V, O, both, turned, lone = (
        tensor(*shape, element=element)
        for shape in ((b, s, h, d), (b, t, g, d), (b, t, g, e),
                      (b, s, h, e), (b, t, g, 2, d), (1, s, b, h, d),
                      (b, s, 1, h, d)))
    L, DQ = tensor(b, s, h), tensor(b, s, h, d)  # dq is f32 here
    B = D = tensor(1, 1, 1, 1)
    if has_bias:
        B = tensor(*bias.shape, element=of_bias)
        # Whole rows of scores, which the back end requests.
        D = tensor(*bias.shape[:2], s, t, element=of_bias)
        more += " bias %bias"
        types += f", {B}"
    if p:
        more += " samples %b seed %seed step %step head_origin %o"
        types += f", tensor<{b}xi64>, {I}, {I}, {I}"
    more += f" scale {SCALE} {{p = {p} : f64, id = {ID} : i64}}"
    at_rows = "max %m0 " if has_bias else ""
    rows = [L] * (2 if has_bias else 1)
    grads = [DQ, K, V] + [D] * has_bias
    made = "%lse, %max" if has_bias else "%lse"
    names = "%dq, %dk, %dv" + (", %db" if has_bias else "")
    kernels = Kernels(
        [f"%qq: {turned}", f"%kk: {both}", f"%v: {V}", f"%do: {O}", f"%o0: {O}",
         f"%l0: {L}", f"%m0: {L}", f"%at: tensor<{s}xi64>",
         f"%to: tensor<{t}xi64>", f"%b: tensor<{b}xi64>", f"%seed: {I}",
         f"%step: {I}", f"%o: {I}", f"%bias: {B}"],
        [O, *rows, *grads], f"""
  %qt = nn.transpose %qq [2, 1, 0, 3, 4] : {turned} -> {lone}
  %q = nn.reshape %qt : {lone} -> {Q}
  %k = nn.select %kk dim 3 index 1 : {both} -> {K}
  %y, {made} = nn.attention {mask}%q, %k, %v positions %at, %to{more} : ({Q}, {K}, {V}, {types}) -> ({', '.join([O, *rows])})
  {names} = nn.attention_grad {mask}%do, %q, %k, %v result %o0 lse %l0 {at_rows}positions %at, %to{more}
      : ({', '.join([O, Q, K, V, O, *rows])}, {types}) -> ({', '.join(grads)})
  return %y, {made}, {names} : {', '.join([O, *rows, *grads])}""")
    # The backward pass reads the result after rounding.
    out = wide(narrow(out, element))
    _, _, *rest = expected(q, k, v, do, at, to, causal, factors, out, bias)
    highest = np.zeros_like(lse)
    if has_bias:
        highest, *rest = rest
        over = tuple(i for i in (0, 1) if bias.shape[i] == 1)
        rest[3] = rest[3].sum(over, keepdims=True)
    qq, kk, v, do, o = (
        narrow(x, element) for x in
        (q.transpose(1, 0, 2, 3)[None],
         np.stack([np.full_like(k, np.nan), k], 3), v, do, out))
    inputs = (qq, kk, v, do, o, lse, highest, at, to, samples, SEED, STEP,
              ORIGIN, narrow(bias, of_bias) if has_bias else np.zeros((1, 1, 1, 1)))
    what = (f"{sizes} {element} causal={causal} p={p} "
            f"bias={bias.shape if has_bias else None}")
    check_all(what, kernels, inputs, ())
    y, sums, *found = kernels(*inputs)
    seen = np.isfinite(lse)
    assert (np.isfinite(sums) == seen).all()
    assert np.abs(sums[seen] - lse[seen]).max() < 1e-5
    if has_bias:
        most, *found = found
        assert (most[~seen] == 0).all()
        assert np.allclose(most, highest, 1e-6, 1e-6)
    for each, right in zip((y, *found), (out, *rest), strict=True):
        check(what, wide(each), right, TOLERANCE[element])


# batch, queries, keys, heads, key heads, width, width of values
SIZES = ((2, 5, 7, 3, 3, 8, 8), (1, 67, 67, 6, 2, 20, 20),
         (2, 131, 70, 2, 1, 64, 64), (1, 64, 128, 2, 2, 80, 48),
         (1, 33, 97, 3, 1, 128, 16), (1, 1, 3, 1, 1, 1, 3))
for number, (b, s, t, h, g, d, e) in enumerate(SIZES):
    kinds = biases(b, h, s, t)
    for turn, (causal, p, element) in enumerate((
            (False, 0.0, "f32"), (True, 0.0, "f16"), (True, 0.0, "f32"),
            (True, 0.25, "f32"), (True, 0.25, "bf16"))):
        case = number * 5 + turn
        if not ALL and case % 4 == 2:
            continue
        q, k, v, do = (
            wide(narrow(rng.standard_normal(shape), element))
            for shape in ((b, s, h, d), (b, t, g, d), (b, t, g, e),
                          (b, s, h, e)))
        # Out of order, as with context parallelism.
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
        of_case = (None, kinds[case // 2 % len(kinds)])[:1 + case % 2]
        for bias in of_case if ALL else of_case[-1:]:
            compare((b, s, t, h, g, d, e), causal, p, element, bias,
                    (q, k, v, do, at, to), samples, factors)

# Scores that are not finite. The result of a row whose scores are all -inf is
# zero, and it contributes to no gradient; a row with a NaN or +inf is NaN, and
# no other.
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
    # The scores overflow, although the operands are finite.
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

# Cotangents that are written into interleaved slices of one tensor, along any
# dim but the last.
b, s, h, d = 2, 19, 3, 6
Q, L, N = tensor(b, s, h, d), tensor(b, s, h), f"tensor<{s}xi64>"
q, k, v, do = (rng.standard_normal((b, s, h, d)).astype(np.float32)
               for _ in range(4))
at = np.arange(s)
out, lse, *wanted = expected(q, k, v, do, at, at, True, 1)
for dim in range(4) if ALL else (1, 3):
    shape = [b, s, h, d]
    shape.insert(dim, 3)
    S = tensor(*shape)
    kernels = Kernels(
        [f"%q: {Q}", f"%k: {Q}", f"%v: {Q}", f"%do: {Q}", f"%o: {Q}", f"%l: {L}",
         f"%at: {N}"], [S], f"""
  %dq, %dk, %dv = nn.attention_grad causal %do, %q, %k, %v result %o lse %l positions %at, %at scale {SCALE}
      : ({Q}, {Q}, {Q}, {Q}, {Q}, {L}, {N}, {N}) -> ({Q}, {Q}, {Q})
  %0 = nn.insert %dq dim {dim} index 1 : {Q} -> {S}
  %1 = nn.insert %dk dim {dim} index 0 : {Q} -> {S}
  %2 = nn.insert %dv dim {dim} index 2 : {Q} -> {S}
  %s = nn.sum %0, %1, %2 : {S}
  return %s : {S}""")
    assert len(kernels.meta) == 1, kernels.meta
    dq, dk, dv = wanted
    check_all(f"stacked along {dim}", kernels,
              (q, k, v, do, out.astype(np.float32), lse, at),
              (np.stack([dk, dq, dv], dim),), TOLERANCE["f32"])
