# Random bits for rounding in kernels, against their definition in
# dialects/NN/Random.h and against the interpreter: of shards of every form, of
# members that end within a row, of ranks that begin within a member. Then
# moments that AdamW rounds with them, bit by bit, with NaN, infinity and
# overflow.
# RUN: %python %s

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from harness import Kernels, check, run

SEED, STEP = 0x1234567800000042, 3 + (5 << 32)
STREAM = 0x80000000


def mix(h):
    h = h ^ h >> np.uint32(16)
    h = h * np.uint32(0x85ebca6b)
    h = h ^ h >> np.uint32(13)
    h = h * np.uint32(0xc2b2ae35)
    return h ^ h >> np.uint32(16)


def add(key, coordinate):
    coordinate = np.uint32(int(coordinate) & 0xffffffff) \
        if np.isscalar(coordinate) else coordinate.astype(np.uint32)
    return mix(key ^ coordinate * np.uint32(0x9e3779b9) +
               np.uint32(0x85ebca6b))


def bits_of(number, indices, seed=SEED, step=STEP):
    """The bits of elements of a parameter, by their index in the whole."""
    with np.errstate(over="ignore"):
        key = mix(np.uint32(seed & 0xffffffff) + np.uint32(0x9e3779b9))
        for word in (seed >> 32, step & 0xffffffff,
                     number + (step >> 32) + STREAM):
            key = add(key, word)
        return add(key, indices).view(np.int32)


class Member:
    """A shard at `start` of a bucket; `begin`: its first index per dim."""

    def __init__(self, number, start, shape, whole=None, begin=None):
        self.number, self.start, self.shape = number, start, shape
        self.whole = whole or shape
        self.begin = begin or (0,) * len(shape)
        self.size = int(np.prod(shape, dtype=np.int64))

    def indices(self):
        """The index in the whole tensor of each element. Padding, whose bits
        are not used, has those of elements of the next row."""
        strides = np.ones(len(self.shape), np.int64)
        for d in range(len(self.shape) - 1, 0, -1):
            strides[d - 1] = strides[d] * self.whole[d]
        grid = np.indices(self.shape, dtype=np.int64)
        return sum(((grid[d] + self.begin[d]) * strides[d]
                    for d in range(len(self.shape))),
                   np.zeros(self.shape, np.int64)).reshape(-1)


def op(members, length, position=None, plant=lambda text: text):
    """The op's text, the number of its origins, and their values."""
    values, texts = [], []
    if position is not None:
        values.append(position)
    for member in members:
        origins = []
        for d, begin in enumerate(member.begin):
            if begin and begin not in values[position is not None:]:
                values.append(begin)
            origins.append(values.index(begin, position is not None)
                           if begin else -1)
        text = f"shape = {list(member.shape)}, whole = {list(member.whole)}"
        if max(origins, default=-1) >= 0:
            text += f", origins = {origins}"
        texts.append(f"#nn.member<id = {member.number}, start = {member.start}, {text}>"
                     .replace("id = 0, ", "").replace("start = 0, ", ""))
    names = [f"%o{i}" for i in range(len(values))]
    text = (f"%bits = nn.rounding_bits 0 seed %seed step %step " +
            (f"origins {', '.join(names)} " if names else "") +
            ("position 0 " if position is not None else "") +
            f"members [{', '.join(texts)}] : " +
            ", ".join(["tensor<i64>"] * (2 + len(values))) +
            f" -> tensor<1x{length}xi32>")
    return plant(text), names, values


def compute(members, length, position=None, plant=lambda text: text):
    """The bits of a kernel, which must be those of the interpreter."""
    text, names, values = op(members, length, position, plant)
    arguments = [f"{name}: tensor<i64>" for name in ["%seed", "%step"] + names]
    result = f"tensor<1x{length}xi32>"
    kernels = Kernels(arguments, [result],
                      f"  {text}\n  return %bits : {result}")
    inputs = [np.int64(v) for v in [SEED, STEP] + values]
    mine = kernels(*inputs)[0].reshape(-1)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "bits.npy")
        constants = "\n".join(
            f"  {name} = nn.constant dense<{value}> : tensor<i64>"
            for name, value in zip(["%seed", "%step"] + names, inputs))
        run(["pcc-run", "-", "--print=none", "--save", f"0={file}"],
            f"func.func @main() -> {result} {{\n{constants}\n  {text}\n"
            f"  return %bits : {result}\n}}\n")
        other = np.load(file).reshape(-1)
    if (mine != other).any():
        raise SystemExit(f"kernel and interpreter differ for {text}")
    return mine


def expected(members, length, position=0):
    """The due bits and where they count."""
    end = max(m.start + m.size for m in members)
    whole = np.zeros(max(end, position + length), np.int32)
    used = np.zeros(len(whole), bool)
    for m in members:
        whole[m.start:m.start + m.size] = bits_of(m.number, m.indices())
        used[m.start:m.start + m.size] = True
    part = slice(position, position + length)
    return whole[part], used[part]


def agree(what, members, length, position=None, **planted):
    mine = compute(members, length, position, **planted)
    due, used = expected(members, length, position or 0)
    if (mine != due)[used].any():
        if planted:
            return False
        first = np.flatnonzero((mine != due) & used)[0]
        raise SystemExit(f"{what}: element {first} has other bits")
    if not planted:
        print(f"{what}: ok")
    return True


M = Member
# Short rows: one row of the kernel has all members.
agree("whole tensors", [M(0, 0, (5, 6)), M(1, 32, (3,)), M(2, 64, (2, 3, 4))],
      128)
agree("shards of first dims", [M(4, 0, (5, 6), (10, 6), (5, 0)),
                               M(0, 32, (3,), (9,), (6,))], 64)
agree("shards of last dims", [M(0, 0, (5, 6), (5, 12), (0, 6)),
                              M(1, 32, (7, 1), (7, 4), (0, 3)),
                              M(2, 64, (3, 40), (3, 80), (0, 40))], 192)
agree("shards of middle dims", [M(0, 0, (4, 3, 2, 5), (4, 3, 6, 5),
                                  (0, 0, 4, 0)),
                                M(9, 128, (2, 2, 7), (2, 8, 7), (0, 6, 0))],
      160)
agree("shards of two dims", [M(0, 0, (2, 3, 5), (8, 3, 10), (6, 0, 5)),
                             M(1, 32, (2, 2, 2, 3), (2, 4, 2, 9),
                               (0, 2, 0, 6))], 64)
agree("padded dims", [M(0, 0, (6, 4), (5, 4)), M(1, 32, (4, 6), (4, 5)),
                      M(2, 64, (4, 6), (4, 11), (0, 6))], 96)
agree("one element", [M(0, 0, ()), M(1, 32, (1,))], 64)

# Long rows: members begin in the middle of rows; a shard of a bucket begins
# within a member. 4096 divides none of these lengths.
members, start = [], 0
for i, (shape, whole, begin) in enumerate([
        ((300, 24), (300, 96), (0, 72)), ((24, 300), (96, 300), (24, 0)),
        ((40,), None, None), ((7000,), (14000,), (7000,)),
        ((16, 3, 2, 20), (16, 3, 8, 20), (0, 0, 6, 0)), ((33,), None, None),
        ((9000, 2), (9000, 4), (0, 2)), ((1,), None, None)]):
    members.append(M(3 * i + 1, start, shape, whole, begin))
    start += (members[-1].size + 31) // 32 * 32
length = (start + 127) // 128 * 128
agree("long rows", members, length)
for rank in range(4):
    agree(f"shard {rank} of 4", members, length // 4, rank * length // 4)
# A length of 32 times a prime has no rows of a good length.
agree("rows of a prime length", members, 32 * 1409)

# The bits do not depend on the plan: shards of a tensor are parts of it.
whole = compute([M(5, 0, (64, 48))], 64 * 48).reshape(64, 48)
for column in range(4):
    part = compute([M(5, 0, (64, 12), (64, 48), (0, 12 * column))], 64 * 12)
    assert (part.reshape(64, 12) == whole[:, 12 * column:][:, :12]).all()
    part = compute([M(2, 0, (3,)), M(5, 32, (16, 48), (64, 48),
                                     (16 * column, 0))], 16 * 48 + 32)
    assert (part[32:].reshape(16, 48) == whole[16 * column:][:16]).all()
print("plans: ok")

# Planted faults: local instead of global indices, other strides, another id.
shard = [M(1, 0, (5, 6), (5, 12), (0, 6))]
for what, change in (("local index", (", origins = [-1, 0]", "")),
                     ("local strides", ("whole = [5, 12]", "whole = [5, 6]")),
                     ("another id", ("member<id = 1", "member<id = 2"))):
    def plant(text):
        assert change[0] in text
        return text.replace(*change)
    assert not agree(what, shard, 32, plant=plant), what
print("faults: ok")

# AdamW: m = 0.5 m + 0.5 g and v = 0.5 v + 0.5 g^2 are exact in f32 here.
ROWS = 20000
P, B = f"tensor<1x{ROWS}xf32>", f"tensor<1x{ROWS}xbf16>"
SCALARS = ["scale", "lr", "beta", "eps", "decay"]
rng = np.random.default_rng(1)


def as_bf16(x):
    """The bf16 of f32 values that are bf16."""
    return (x.view(np.uint32) >> 16).astype(np.uint16)


def from_bf16(x):
    return (x.astype(np.uint32) << 16).view(np.float32)


g = (rng.integers(-2**11, 2**11, ROWS) * 2.0**-9).astype(np.float32)
m = from_bf16(as_bf16((rng.integers(-127, 127, ROWS) * 0.5)
                      .astype(np.float32)))
v = np.abs(from_bf16(as_bf16((rng.integers(0, 127, ROWS) * 0.25)
                             .astype(np.float32))))
LARGEST = np.float32(3.3895314e38)
special = [np.nan, np.inf, -np.inf, LARGEST, -LARGEST, 1e-40]
m[:len(special)] = from_bf16(as_bf16(np.array(special, np.float32)))
g[3:5] = LARGEST, -LARGEST
text, names, values = op([M(3, 0, (1, ROWS))], ROWS)
arguments = ([f"%p: {P}", f"%g: {P}", f"%m: {B}", f"%v: {B}",
              "%seed: tensor<i64>", "%step: tensor<i64>"] +
             [f"%{s}: tensor<f32>" for s in SCALARS])
body = (f"  {text}\n  %q:3 = nn.adamw decay %p, %g, %m, %v grad_scale %scale "
        "lr %lr betas %beta, %beta eps %eps weight_decay %decay step %step "
        f"rounding %bits : {P}, {P}, {B}, " +
        "tensor<f32>, " * 6 + f"tensor<i64>, tensor<1x{ROWS}xi32>\n"
        f"  return %q#0, %q#1, %q#2 : {P}, {B}, {B}")
kernels = Kernels(arguments, [P, B, B], body)
assert len(kernels.calls) == 1, "the bits have no memory"


def adamw(scale, seed=SEED, step=STEP):
    numbers = [np.float32(n) for n in (scale, 1e-3, 0.5, 1e-8, 0)]
    return kernels(np.zeros((1, ROWS), np.float32), g.reshape(1, -1),
                   as_bf16(m).reshape(1, -1), as_bf16(v).reshape(1, -1),
                   np.int64(seed), np.int64(step), *numbers)


def rounded(exact, bits):
    """Rounds f32 values at random with 16 bits."""
    pattern = exact.view(np.uint32)
    raised = np.where(np.isnan(exact), pattern | 0x400000, pattern + bits)
    return (raised >> 16).astype(np.uint16)


bits = bits_of(3, np.arange(ROWS)).view(np.uint32)
with np.errstate(invalid="ignore", over="ignore"):
    first = np.float32(0.5) * m + np.float32(0.5) * g
    second = np.float32(0.5) * v + np.float32(0.5) * g * g
_, mine, square = (r.reshape(-1) for r in adamw(1))
assert (mine == rounded(first, bits & 0xffff)).all()
finite = np.isfinite(second)
assert (square == rounded(second, bits >> 16))[finite].all()
assert np.isnan(from_bf16(mine)[0])
assert (from_bf16(mine)[1:3] == [np.inf, -np.inf]).all()
print("adamw: ok")

# Seed, step and its high half, which the id is added to, change a third of the
# roundings or more, as do the other moment's bits.
for seed, step in ((SEED + 1, STEP), (SEED + (1 << 32), STEP),
                   (SEED, STEP + 1), (SEED, STEP + (1 << 32))):
    _, changed, _ = (r.reshape(-1) for r in adamw(1, seed, step))
    bits = bits_of(3, np.arange(ROWS), seed, step).view(np.uint32)
    assert (changed == rounded(first, bits & 0xffff)).all()
    assert np.mean(changed != mine) > 0.2, np.mean(changed != mine)
bits = bits_of(3, np.arange(ROWS)).view(np.uint32)
assert np.mean(square != rounded(second, bits & 0xffff)) > 0.1

# Both halves of the bits are used, and the two moments are not rounded alike.
up = from_bf16(mine).astype(np.float64) > first
up_square = from_bf16(square) > second
inexact = ((first.view(np.uint32) & 0xffff) != 0) & \
    ((second.view(np.uint32) & 0xffff) != 0) & finite
alike = np.mean((np.abs(from_bf16(mine)) > np.abs(first))[inexact] ==
                up_square[inexact])
assert 0.4 < alike < 0.6, alike

# A step whose scale is NaN changes no bit.
_, mine, square = (r.reshape(-1) for r in adamw(np.nan))
assert (mine == as_bf16(m)).all() and (square == as_bf16(v)).all()
print("skipped: ok")

# Without bias: one element's mean over 2^16 seeds is the f32. The elements are
# those of one parameter, as the index is mixed like the seed.
for value in (1 + 2.0**-10, -3.3, 1e-20, 2.0**-133 * 1.3):
    exact = np.full(1 << 16, value, np.float32)
    with np.errstate(over="ignore"):
        key = mix(np.arange(1 << 16, dtype=np.uint32) + np.uint32(0x9e3779b9))
        for word in (0, 7, STREAM):
            key = add(key, word)
        low = add(key, 11)
    for half in (low & np.uint32(0xffff), low >> np.uint32(16)):
        values = from_bf16(rounded(exact, half)).astype(np.float64)
        error = np.abs(values.mean() - np.float64(exact[0]))
        # Five standard deviations of the mean.
        assert error <= 5 * max(values.std(), 1e-300) / 256, (value, error)
print("unbiased: ok")
