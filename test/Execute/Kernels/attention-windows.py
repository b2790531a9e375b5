# Attention with windows, chunks, documents, soft caps and sinks, against numpy:
# by tiles, and the row ops of expanded attention. Then the pairs of tiles that are
# computed are counted, and faults planted, with PCC_TEST_ALL more of them.
# RUN: %python %s

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels, check, check_all, random_factors

rng = np.random.default_rng(11)
SEED, STEP, ID, ORIGIN, SCALE = 1 << 40 | 7, 3, 5, 6, 0.25


def visible(at, to, window=0, chunk=0, starts=None):
    """Whether the query at each position sees the key at each other; with
    starts of documents [b, s], by sample: [b, 1, s, t]."""
    i, j = np.asarray(at)[:, None], np.asarray(to)[None, :]
    seen = j <= i
    if window:
        seen = seen & (i - j < window)
    if chunk:
        seen = seen & (i // chunk == j // chunk)
    if starts is not None:
        seen = seen & (j >= starts[:, None, :, None])
    return seen


def starts_of(b, at, many=9):
    """The starts of random documents, [b, s], of queries at positions."""
    starts = [np.insert(np.sort(rng.choice(np.arange(1, max(at) + 1), many,
                                           replace=False)), 0, 0)
              for _ in range(b)]
    return np.array([[s[s <= i].max() for i in at] for s in starts])


def expected(q, k, v, do, seen, cap, bias, sinks, factors):
    """o, lse, max, dq, dk, dv, dbias by samples and heads; max is None without
    a bias."""
    r = q.shape[2] // k.shape[2]
    by_head = lambda x: np.repeat(x.astype(np.float64), r, 2)
    x = np.einsum("bshd,bthd->bhst", q.astype(np.float64), by_head(k)) * SCALE
    slope = 1
    if cap:
        x = cap * np.tanh(x / cap)
        slope = 1 - (x / cap) ** 2
    if bias is not None:
        x = x + bias
    x = np.where(seen, x, -np.inf)
    sink = (np.full((1, x.shape[1], 1, 1), -np.inf) if sinks is None
            else sinks.reshape(1, -1, 1, 1).astype(np.float64))
    with np.errstate(all="ignore"):
        top = np.maximum(x.max(-1, keepdims=True), sink)
        e = np.where(np.isinf(x), 0, np.exp(x - top))
        total = e.sum(-1, keepdims=True) + np.exp(sink - top)
        probs = np.where(total > 0, e / total, 0)
        lse = ((0 if bias is not None else top) + np.log(total))[..., 0]
    out = np.einsum("bhst,bthe->bshe", probs * factors, by_head(v))
    d = np.einsum("bshe,bthe->bhst", do, by_head(v)) * factors
    dot = (do * out).sum(-1).transpose(0, 2, 1)[..., None]
    of_bias = probs * (d - dot)
    ds = of_bias * slope * SCALE
    add = lambda x: x.reshape(*x.shape[:2], -1, r, x.shape[3]).sum(3)
    rows = [x.transpose(0, 2, 1) for x in (lse, top[..., 0])]
    return (out, *rows, np.einsum("bhst,bthd->bshd", ds, by_head(k)),
            add(np.einsum("bhst,bshd->bthd", ds, q.astype(np.float64))),
            add(np.einsum("bhst,bshe->bthe", probs * factors, do)), of_bias)


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def attributes(window=0, chunk=0, cap=0.0, p=0.0):
    return (f"{{window = {window} : i64, chunk = {chunk} : i64, softcap = {cap}"
            f" : f64, p = {p} : f64, id = {ID} : i64}}")


def compare(sizes, mask, cap=0.0, p=0.0, with_bias=False, with_sinks=False,
            consecutive=True, documents=False):
    b, s, t, h, g, d, e = sizes
    draw = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    q, k, v, do = (draw(b, s, h, d), draw(b, t, g, d), draw(b, t, g, e),
                   draw(b, s, h, e))
    q *= 2
    bias = draw(1, h, s, t) if with_bias else None
    sinks = draw(h) if with_sinks else None
    at, to = np.arange(t)[t - s:], np.arange(t)
    if not consecutive:
        at, to = rng.permutation(t)[:s], rng.permutation(t)
    samples = [4 + 1000 * i for i in range(b)]
    starts = starts_of(b, at) if documents else None
    factors = 1
    if p:
        factors = random_factors(
            [(x, n + ORIGIN, i, j) for x in samples for n in range(h)
             for i in at for j in to], SEED, STEP, ID, p).reshape(b, h, s, t)
    out, lse, top, *grads = expected(
        q, k, v, do, visible(at, to, **mask, starts=starts), cap, bias, sinks,
        factors)
    Q, K, V, O, L = (tensor(b, s, h, d), tensor(b, t, g, d), tensor(b, t, g, e),
                     tensor(b, s, h, e), tensor(b, s, h))
    B, S, I = tensor(1, h, s, t), tensor(h), "tensor<i64>"
    more, types = "", f"tensor<{s}xi64>, tensor<{t}xi64>"
    forward, of_forward = "", ""
    if with_bias:
        more += " bias %bias"
        types += f", {B}"
    if with_sinks:
        forward, of_forward = " sinks %sinks", f", {S}"
    rest, of_rest = "", ""
    if p:
        rest = " samples %b seed %seed step %step head_origin %o"
        of_rest = f", tensor<{b}xi64>, {I}, {I}, {I}"
    if documents:
        rest += " starts %starts"
        of_rest += f", tensor<{b}x{s}xi64>"
    rest += f" scale {SCALE} {attributes(**mask, cap=cap, p=p)}"
    rows, made, given = [L], "%lse", ""
    results, names = [Q, K, V], "%dq, %dk, %dv"
    if with_bias:
        rows, made, given = [L, L], "%lse, %max", "max %m0 "
        results, names = [*results, B], f"{names}, %db"
    kernels = Kernels(
        [f"%q: {Q}", f"%k: {K}", f"%v: {V}", f"%do: {O}", f"%o0: {O}",
         f"%l0: {L}", f"%m0: {L}", f"%at: tensor<{s}xi64>",
         f"%to: tensor<{t}xi64>", f"%b: tensor<{b}xi64>", f"%seed: {I}",
         f"%step: {I}", f"%o: {I}", f"%bias: {B}", f"%sinks: {S}",
         f"%starts: tensor<{b}x{s}xi64>"],
        [O, *rows, *results], f"""
  %y, {made} = nn.attention causal %q, %k, %v positions %at, %to{more}{forward}{rest}
      : ({Q}, {K}, {V}, {types}{of_forward}{of_rest}) -> ({', '.join([O, *rows])})
  {names} = nn.attention_grad causal %do, %q, %k, %v result %o0 lse %l0 {given}positions %at, %to{more}{rest}
      : ({', '.join([O, Q, K, V, O, *rows])}, {types}{of_rest}) -> ({', '.join(results)})
  return %y, {made}, {names} : {', '.join([O, *rows, *results])}""")
    inputs = (q, k, v, do, out, lse, top, at, to, samples, SEED, STEP, ORIGIN,
              0 if bias is None else bias, 0 if sinks is None else sinks,
              starts if documents else 0)
    what = (f"{sizes} {mask} cap={cap} p={p} bias={with_bias} "
            f"sinks={with_sinks} {consecutive} documents={documents}")
    check_all(what, kernels, inputs, ())
    if with_bias:
        grads[3] = grads[3].sum(0, keepdims=True)
        wanted = (out, lse, top, *grads)
    else:
        wanted = (out, lse, *grads[:3])
    for found, right in zip(kernels(*inputs), wanted, strict=True):
        check(what, found, right, 5e-6)


# batch, queries, keys, heads, key heads, width, width of values
SIZES = ((2, 70, 70, 2, 1, 8, 8), (1, 100, 200, 4, 2, 20, 12),
         (1, 150, 150, 1, 1, 16, 64))
for turn, sizes in enumerate(SIZES):
    for mask in ({"window": 2}, {"window": 9}, {"window": 64}, {"chunk": 16},
                 {"chunk": 65}, {"window": 20, "chunk": 33}, {}):
        compare(sizes, mask, with_sinks=turn == 1, cap=0.75 * (turn == 2))
    compare(sizes, {"window": 13}, cap=0.5, p=0.25, with_bias=True,
            with_sinks=True, consecutive=False)
    compare(sizes, {"chunk": 13}, with_bias=True, cap=0.5)
    compare(sizes, {"chunk": 40}, p=0.25, with_sinks=True, consecutive=False)
    compare(sizes, {}, documents=True)
    compare(sizes, {"window": 13}, with_bias=True, with_sinks=True, p=0.25,
            documents=True)
    compare(sizes, {"chunk": 16}, consecutive=False, documents=True, cap=0.5)


def rows_of_softmax():
    """The row ops, whose scores are computed before."""
    b, h, s, t = 2, 3, 6, 40
    X, R, S = tensor(b, h, s, t), tensor(b, h, s), tensor(h)
    scores = rng.standard_normal((b, h, s, t)).astype(np.float32) * 3
    grad = rng.standard_normal((b, h, s, t)).astype(np.float32)
    sinks = rng.standard_normal(h).astype(np.float32)
    at, to = rng.permutation(t)[:s], rng.permutation(t)
    for mask in ({"window": 7}, {"chunk": 8}, {"window": 3, "chunk": 4}, {},
                 {"starts": starts_of(b, at)},
                 {"starts": starts_of(b, at), "window": 7}):
        starts = mask.pop("starts", None)
        more, of_more = "", ""
        if starts is not None:
            more, of_more = "starts %starts ", f", tensor<{b}x{s}xi64>"
        text = f"{more}scale {SCALE} {attributes(**mask)}".replace(
            "softcap = 0.0 : f64, ", "")
        kernels = Kernels(
            [f"%x: {X}", f"%d: {X}", f"%e: {R}", f"%at: tensor<{s}xi64>",
             f"%to: tensor<{t}xi64>", f"%sinks: {S}",
             f"%starts: tensor<{b}x{s}xi64>"], [X, R, X, X], f"""
  %y, %lse = nn.masked_softmax causal %x positions %at, %to sinks %sinks {text}
      : ({X}, tensor<{s}xi64>, tensor<{t}xi64>, {S}{of_more}) -> ({X}, {R})
  %z, %dx = nn.masked_softmax_grad causal %x, %d lse %e positions %at, %to {text}
      : ({X}, {X}, {R}, tensor<{s}xi64>, tensor<{t}xi64>{of_more}) -> ({X}, {X})
  return %y, %lse, %z, %dx : {X}, {R}, {X}, {X}""")
        x = np.where(visible(at, to, **mask, starts=starts), scores * SCALE,
                     -np.inf)
        sink = sinks.reshape(1, h, 1, 1).astype(np.float64)
        top = np.maximum(x.max(-1, keepdims=True), sink)
        e = np.exp(x - top)
        total = e.sum(-1, keepdims=True) + np.exp(sink - top)
        probs, lse = e / total, (top + np.log(total))[..., 0]
        dot = (probs * grad).sum(-1, keepdims=True)
        check_all(f"rows {mask} {starts}", kernels,
                  (scores, grad, lse, at, to, sinks,
                   0 if starts is None else starts),
                  (probs, lse, probs, probs * (grad - dot) * SCALE))


rows_of_softmax()

# The pairs of tiles of 64 queries and 64 keys that are computed. A tile of keys
# has a value that is NaN: it makes the results of all queries of a tile NaN
# that is multiplied by that tile, also those that do not see the key.
TILE = 64


def pairs(length, mask, starts=None):
    """Computed pairs forward and backward, and those with a visible score."""
    more, of_more = "", ""
    if starts is not None:
        more, of_more = "starts %starts ", f", tensor<1x{length}xi64>"
    Q, L, N = tensor(1, length, 1, 4), tensor(1, length, 1), f"tensor<{length}xi64>"
    text = f"positions %at, %at {more}scale {SCALE} {attributes(**mask)}"
    kernels = Kernels(
        [f"%q: {Q}", f"%v: {Q}", f"%l: {L}", f"%at: {N}",
         f"%starts: tensor<1x{length}xi64>"], [Q, L, Q, Q, Q], f"""
  %y, %lse = nn.attention causal %q, %q, %v {text} : ({Q}, {Q}, {Q}, {N}, {N}{of_more}) -> ({Q}, {L})
  %dq, %dk, %dv = nn.attention_grad causal %q, %q, %q, %v result %q lse %l {text}
      : ({Q}, {Q}, {Q}, {Q}, {Q}, {L}, {N}, {N}{of_more}) -> ({Q}, {Q}, {Q})
  return %y, %lse, %dq, %dk, %dv : {Q}, {L}, {Q}, {Q}, {Q}""")
    at = np.arange(length)
    q = rng.standard_normal((1, length, 1, 4)).astype(np.float32)
    forward = backward = 0
    tiles = lambda x: np.isnan(x).any(-1).reshape(-1, TILE).any(-1).sum()
    for key in range(0, length, TILE):
        v = q.copy()
        v[0, key] = np.nan
        y, _, dq, _, _ = kernels(q, v, np.zeros((1, length, 1)), at,
                                 0 if starts is None else starts)
        forward += tiles(y)
        backward += tiles(dq)
    seen = visible(at, at, **mask, starts=starts)
    least = seen.reshape(length // TILE, TILE, length // TILE, TILE)
    return forward, backward, least.any((1, 3)).sum()


LENGTH = 4096
forward, backward, least = pairs(LENGTH, {"window": 128})
# Causal attention over 256 tokens, 16 times.
of_causal = LENGTH // 256 * pairs(256, {})[2]
print(f"window 128: {forward}, {backward} pairs of tiles, at least {least}; "
      f"causal over 256 tokens: {of_causal}")
assert forward <= 1.35 * of_causal and backward <= 1.35 * of_causal
for mask in ({"window": 1}, {"window": 65}, {"window": 300}, {"chunk": 96},
             {"chunk": 256}):
    forward, backward, least = pairs(1024, mask)
    print(mask, forward, backward, least)
    assert least <= forward <= 1.2 * least and least <= backward <= 1.2 * least

# Documents; the tile of a document's end sees two of them.
for many in 1, 3, 9, 40:
    starts = starts_of(1, np.arange(1024), many)
    forward, backward, least = pairs(1024, {}, starts)
    print(f"{many + 1} documents", forward, backward, least)
    assert least <= forward <= 1.2 * least and least <= backward <= 1.2 * least

# Faults in the code of a CPU. With 129 queries and a window of 66, query 128 is
# alone in its tile, sees key 128, alone in its tile, too, and key 63, the last
# of its tile.
N, W = 129, 66


# Documents. That of key 63, the last of its tile, has two queries of another
# tile. One begins in each vector of keys.
FIRSTS = np.array([0, 11, 19, 27, 35, 43, 51, 63, 66, 128])
BEGINS = np.array([[FIRSTS[FIRSTS <= i].max() for i in range(N)]])


def results(plant=None, starts=None):
    Q, L = tensor(1, N, 1, 8), tensor(1, N, 1)
    A, S = f"tensor<{N}xi64>", tensor(1)
    text, of_starts = f"scale {SCALE} {attributes(window=W)}", ""
    if starts is not None:
        text = f"starts %starts scale {SCALE} {attributes()}"
        of_starts = f", tensor<1x{N}xi64>"
    kernels = Kernels(
        [f"%q: {Q}", f"%do: {Q}", f"%o: {Q}", f"%l: {L}", f"%at: {A}",
         f"%sinks: {S}", f"%starts: tensor<1x{N}xi64>"], [Q, L, Q, Q, Q], f"""
  %y, %lse = nn.attention causal %q, %q, %q positions %at, %at sinks %sinks {text}
      : ({Q}, {Q}, {Q}, {A}, {A}, {S}{of_starts}) -> ({Q}, {L})
  %dq, %dk, %dv = nn.attention_grad causal %do, %q, %q, %q result %o lse %l positions %at, %at {text}
      : ({Q}, {Q}, {Q}, {Q}, {Q}, {L}, {A}, {A}{of_starts}) -> ({Q}, {Q}, {Q})
  return %y, %lse, %dq, %dk, %dv : {Q}, {L}, {Q}, {Q}, {Q}""", plant=plant)
    mask = {"window": W} if starts is None else {"starts": starts}
    out, lse, _, *grads = expected(q, q, q, do, visible(at, at, **mask), 0, None,
                                   sinks, 1)
    found = kernels(q, do, out, lse, at, sinks, 0 if starts is None else starts)
    return [np.abs(x - y).max() / np.abs(y).max()
            for x, y in zip(found, (out, lse, *grads[:3]))]


at = np.arange(N)
q, do = (rng.standard_normal((1, N, 1, 8)).astype(np.float32) for _ in range(2))
sinks = rng.standard_normal(1).astype(np.float32)
texts = []
assert max(results(lambda text: texts.append(text) or text)) < 5e-6


def planted(old, new, number):
    """Replaces one occurrence, of the forward or the backward kernel."""
    def plant(text):
        parts = text.split(old)
        assert len(parts) > number + 1, (old, number)
        return old.join(parts[:number + 1]) + new + old.join(parts[number + 1:])
    return plant


WINDOW, SUM = f"arith.constant {W - 1} : i32", "dense<1.000000e+00> : vector<"
# A tile too few; a window off by one; a sink that is left out or counted twice.
faults = [("arith.cmpi sge", "arith.cmpi sgt", i)
          for i in range(texts[0].count("arith.cmpi sge"))]
for wrong in W - 2, W:
    faults += [(f"dense<{W - 1}> : vector<", f"dense<{wrong}> : vector<", 0)]
faults += [(WINDOW, f"arith.constant {W - 2} : i32", i)
           for i in range(texts[0].count(WINDOW))]
faults += [(SUM, SUM.replace("1.0", wrong), 0) for wrong in ("0.0", "2.0")]
print(len(faults), "faults")
if not os.environ.get("PCC_TEST_ALL"):
    faults = faults[::3]
unseen = [fault for fault in faults if max(results(planted(*fault))) < 1e-5]
assert not unseen, unseen
# A tile too few; a document that begins one token late.
texts.clear()
assert max(results(lambda text: texts.append(text) or text, BEGINS)) < 5e-6
# Masks compare vectors; other comparisons are of loops.
faults = [(f"arith.cmpi {old}", f"arith.cmpi {new}", i)
          for old, new in (("sge", "sgt"), ("slt", "sle"))
          for i, line in enumerate(re.findall(f"arith.cmpi {old}.*", texts[0]))
          if old == "sge" or "vector<" in line]
print(len(faults), "faults of documents")
unseen = [fault for fault in faults
          if max(results(planted(*fault), BEGINS)) < 1e-5]
assert not unseen, unseen
