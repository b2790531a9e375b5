# The pairs of tiles of attention that context-parallel ranks compute. In
# head-tail order a rank has pieces of the sequence from both ends, and the keys
# of all ranks are in the order of ranks: all compute as many pairs, forward and
# backward. With windows or chunks, no more than a mask needs.
# RUN: %python %s

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels

TILE, SCALE = 64, 0.25
rng = np.random.default_rng(5)


def order(length, ranks):
    """The positions of tokens by their place: rank i has pieces i and 2 ranks -
    1 - i."""
    pieces = np.arange(length).reshape(2 * ranks, -1)
    return np.stack([pieces[:ranks], pieces[:ranks - 1:-1]], 1).reshape(-1)


assert list(order(8, 2)) == [0, 1, 6, 7, 2, 3, 4, 5]
assert list(order(12, 3)) == [0, 1, 10, 11, 2, 3, 8, 9, 4, 5, 6, 7]


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def visible(at, to, window=0, chunk=0):
    i, j = at[:, None], to[None, :]
    seen = j <= i
    if window:
        seen = seen & (i - j < window)
    if chunk:
        seen = seen & (i // chunk == j // chunk)
    return seen


def build(queries, length, heads, key_heads, mask, plant=None):
    Q, K = tensor(1, queries, heads, 4), tensor(1, length, key_heads, 4)
    L = tensor(1, queries, heads)
    A, T = (tensor(n, element="i64") for n in (queries, length))
    window, chunk = mask.get("window", 0), mask.get("chunk", 0)
    cap = mask.get("cap", 0.0)
    text = (f"positions %at, %to scale {SCALE} {{window = {window} : i64, "
            f"chunk = {chunk} : i64, softcap = {cap} : f64}}")
    return Kernels(
        [f"%q: {Q}", f"%k: {K}", f"%v: {K}", f"%l: {L}", f"%at: {A}",
         f"%to: {T}"], [Q, L, Q, K, K], f"""
  %y, %lse = nn.attention causal %q, %k, %v {text} : ({Q}, {K}, {K}, {A}, {T}) -> ({Q}, {L})
  %dq, %dk, %dv = nn.attention_grad causal %q, %q, %k, %v result %q lse %l {text}
      : ({Q}, {Q}, {K}, {K}, {Q}, {L}, {A}, {T}) -> ({Q}, {K}, {K})
  return %y, %lse, %dq, %dk, %dv : {Q}, {L}, {Q}, {K}, {K}""", plant=plant)


def pairs(kernels, at, to, heads=1, key_heads=1):
    """The pairs that a rank computes forward and backward: a tile of keys with a
    value that is NaN makes all queries NaN that are multiplied by it."""
    q = rng.standard_normal((1, len(at), heads, 4)).astype(np.float32)
    k = rng.standard_normal((1, len(to), key_heads, 4)).astype(np.float32)
    counts = [0, 0]
    for key in range(0, len(to), TILE):
        v = k.copy()
        v[0, key] = np.nan
        y, _, dq, _, _ = kernels(q, k, v, np.zeros((1, len(at), heads)), at, to)
        for i, x in enumerate((y, dq)):
            counts[i] += np.isnan(x).any(-1).reshape(-1, TILE, heads).any(1).sum()
    return counts


def least(at, to, mask):
    """The pairs with a visible score."""
    limits = {name: n for name, n in mask.items() if name != "cap"}
    seen = visible(at, to, **limits).reshape(
        len(at) // TILE, TILE, len(to) // TILE, TILE)
    return seen.any((1, 3)).sum()


def compare(length, ranks, mask, heads=1, key_heads=1):
    """Of each rank: the pairs forward and backward, and those needed."""
    kernels = build(length // ranks, length, heads, key_heads, mask)
    found = {}
    for name, to in (("none", np.arange(length)),
                     ("headtail", order(length, ranks))):
        found[name] = []
        for at in to.reshape(ranks, -1):
            needed = heads * least(at, to, mask)
            counts = pairs(kernels, at, to, heads, key_heads)
            found[name].append((*counts, needed))
            assert all(needed <= n <= 1.2 * needed for n in counts), (
                name, length, ranks, mask, counts, needed)
        print(length, ranks, mask, name, *map(str, found[name]))
    return found


for length, ranks, heads, key_heads in ((256, 2, 1, 1), (1024, 2, 1, 1),
                                        (384, 3, 4, 2), (1024, 4, 2, 1)):
    found = compare(length, ranks, {}, heads, key_heads)
    for pass_ in (0, 1):
        by_rank = [counts[pass_] for counts in found["headtail"]]
        assert max(by_rank) <= 1.02 * min(by_rank), by_rank
        # In the data's order the last rank has nearly (2c-1)/c times the mean.
        contiguous = [counts[pass_] for counts in found["none"]]
        assert sum(contiguous) == sum(by_rank)
        assert contiguous[-1] > 1.15 * by_rank[-1], (contiguous, by_rank)
for mask in {"window": 65}, {"window": 200}, {"chunk": 256}, {"window": 300,
                                                             "cap": 0.5}:
    compare(1024, 2, mask)
compare(768, 3, {"window": 130}, 2, 1)

# A pair that is skipped although a query sees a key, or visited although none
# does, changes the count.
at, to = order(256, 2)[:128], order(256, 2)
right = pairs(build(128, 256, 1, 1, {}), at, to)
texts = []
build(128, 256, 1, 1, {}, plant=lambda text: texts.append(text) or text)
count = texts[0].count("arith.cmpi sge")
assert count == 2, count
for new in "slt", "sle":
    for number in range(count):
        def plant(text):
            parts = text.split("arith.cmpi sge")
            assert len(parts) == count + 1
            return "".join(part + (f"arith.cmpi {new}" if i == number else
                                   "arith.cmpi sge" if i < count else "")
                           for i, part in enumerate(parts))
        found = pairs(build(128, 256, 1, 1, {}, plant=plant), at, to)
        assert found != right, (new, number, found)
