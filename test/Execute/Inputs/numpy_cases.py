#!/usr/bin/env python3
"""Writes a case for every op, with results that numpy computes with other
formulas or other code than the interpreter: usage numpy_cases.py DIRECTORY

Fails for an op of nn that has neither a case here nor one of PyTorch's."""

import glob
import json
import math
import os
import re
import sys

import numpy as np

import case

directory = sys.argv[1]
random = np.random.default_rng(1)
ops = set()


def real(*shape):
    return random.standard_normal(shape)


def add(name, inputs, outputs, attributes={}, op=None, types={}):
    """Arrays, or functions of the inputs' arrays."""
    if callable(outputs):
        outputs = outputs(*inputs.values())
    if not isinstance(outputs, (list, tuple)):
        outputs = [outputs]
    outputs = [np.asarray(x) for x in outputs]
    ops.add(op or name)
    case.forward(directory, name, op or name, attributes, inputs, outputs,
                 types)


def slope(f, x, dy):
    """dy times the derivative of f at x, by the complex step."""
    return dy * np.imag(f(x + 1e-30j)) / 1e-30


# Elementwise.
a, b = real(3, 4), real(3, 4)
positive = np.exp(b)
add("sub", dict(lhs=a, rhs=b), np.subtract)
add("mul", dict(lhs=a, rhs=b), np.multiply)
add("div", dict(lhs=a, rhs=b), np.divide)
add("max", dict(lhs=a, rhs=b), np.maximum)
add("min", dict(lhs=a, rhs=b), np.minimum)
add("sum", dict(x=a, y=b, z=positive), lambda *x: np.sum(x, 0))
for function in "exp sqrt log tanh".split():
    add(function, dict(input=positive), getattr(np, function))
add("sigmoid", dict(input=a), lambda x: 0.5 + 0.5 * np.tanh(x / 2))
silu = lambda x: x / (1 + np.exp(-x))
tanh_gelu = lambda x: (
    x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
)
add("relu_grad", dict(dy=a, x=b), lambda dy, x: dy * (x > 0))
add("silu_grad", dict(dy=a, x=b), lambda dy, x: slope(silu, x, dy))
add("gelu_grad_tanh", dict(dy=a, x=b), lambda dy, x: slope(tanh_gelu, x, dy),
    dict(tanh=True), op="gelu_grad")
phi = np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))
add("gelu_grad", dict(dy=a, x=b), lambda dy, x: dy * (
    phi(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)))
add("erf", dict(input=a), np.vectorize(math.erf))
add("where", dict(condition=a > 0, lhs=a, rhs=b), np.where)
add("sin", dict(input=a * 3), np.sin)
for function in "cos floor".split():
    add(function, dict(input=a * 3), getattr(np, function))
add("round", dict(input=np.array([-2.5, -0.5, 0.5, 1.5, 2.4, 2.6])), np.rint)
add("pow", dict(lhs=positive, rhs=a), np.power)
add("rem", dict(lhs=a * 5, rhs=b), np.fmod)
nan = np.array([[np.nan, 1, 2], [2, np.nan, -1]])
for relation, function in (("eq", np.equal), ("lt", np.less),
                           ("le", np.less_equal)):
    add("compare_" + relation, dict(lhs=nan, rhs=np.ones((2, 3))), function,
        dict(relation=relation), op="compare")
add("scale", dict(input=a), lambda x: x * -1.75, dict(factor=-1.75))
add("cast_to_int", dict(input=a * 3), lambda x: x.astype(np.int64), op="cast")
integers = random.integers(-9, 9, (2, 5))
add("cast_to_float", dict(input=integers), lambda x: x.astype(float),
    op="cast")
add("max_int", dict(lhs=integers, rhs=-integers), np.maximum, op="max")
add("rem_int", dict(lhs=integers, rhs=integers * 0 - 4), np.fmod, op="rem")
add("compare_int", dict(lhs=integers, rhs=-integers), np.less,
    dict(relation="lt"), op="compare")
add("div_int", dict(lhs=integers, rhs=integers * 0 - 3),
    lambda x, y: np.trunc(x / y).astype(np.int64), op="div")

# Shape.
x = real(2, 3, 4)
add("reshape", dict(input=x), lambda x: x.reshape(6, 4))
add("transpose", dict(input=x), lambda x: x.transpose(2, 0, 1),
    dict(permutation=[2, 0, 1]))
add("broadcast", dict(input=real(3, 4)),
    lambda x: np.broadcast_to(x[None, :, None], (2, 3, 5, 4)),
    dict(dims=[1, 3]))
add("reduce", dict(input=x), lambda x: x.sum((0, 2)), dict(dims=[0, 2]))
add("reduce_all", dict(input=x), lambda x: x.sum(), dict(dims=[0, 1, 2]),
    op="reduce")
for function in "max min prod".split():
    name = "reduce_" + function
    add(name, dict(input=x), lambda x: getattr(x, function)((0, 2)),
        dict(dims=[0, 2]))
    add(name + "_int", dict(input=integers),
        lambda x: getattr(x, function)(1), dict(dims=[1]), op=name)
    add(name + "_bool", dict(input=np.array([[0, 1], [0, 0], [1, 1]]) != 0),
        lambda x: getattr(x, function)(1) != 0, dict(dims=[1]), op=name)
nan = np.array([[1, np.nan, 2.0], [3, 1, 2]])
add("reduce_max_nan", dict(input=nan), lambda x: x.max(1), dict(dims=[1]),
    op="reduce_max")
add("slice", dict(input=real(5, 7)), lambda x: x[1:4:2, 2:7:2],
    dict(starts=[1, 2], steps=[2, 2]))


def pad(x):
    y = np.zeros((5, 7))
    y[1:4:2, 2:7:2] = x
    return y


add("pad", dict(input=real(2, 3)), pad, dict(starts=[1, 2], steps=[2, 2]))
add("concat", dict(x=real(2, 1, 3), y=real(2, 2, 3), z=real(2, 3, 3)),
    lambda *x: np.concatenate(x, 1), dict(dim=1))
add("select", dict(input=x), lambda x: x[:, 2], dict(dim=1, index=2))


def insert(x):
    y = np.zeros((2, 5, 4))
    y[:, 3] = x
    return y


add("insert", dict(input=real(2, 4)), insert, dict(dim=1, index=3))

# Contractions other than a plain GEMM.
for spec, lhs, rhs in (
    ("ab,ab->ab", (2, 3), (2, 3)),
    ("a,b->ba", (2,), (3,)),
    ("ab,ba->", (2, 3), (3, 2)),
    ("bgrsd,btgd->brgst", (2, 2, 3, 4, 5), (2, 6, 2, 5)),
):
    name = "contract_" + spec.replace(",", "_").replace("->", "_to_")
    add(name, dict(lhs=real(*lhs), rhs=real(*rhs)),
        lambda x, y: np.einsum(spec, x, y), dict(spec=spec), op="contract")

# Norm gradients: by the Jacobian of the textbook formula.
rows, n = 3, 6
x, dy, g = real(rows, n), real(rows, n), real(n)


def jacobian_product(f, x, dy):
    """sum of dy * df/dx by complex steps; f maps a row to a row."""
    out = np.zeros_like(x)
    for r in range(x.shape[0]):
        for i in range(x.shape[1]):
            step = x[r].astype(complex)
            step[i] += 1e-30j
            out[r, i] = (np.imag(f(step)) / 1e-30 * dy[r]).sum()
    return out


layer = lambda v: (v - v.mean()) / np.sqrt(((v - v.mean()) ** 2).mean() + 1e-5)
rms = lambda v: v / np.sqrt((v * v).mean() + 1e-6)
soft = lambda v: np.exp(v) / np.exp(v).sum()
mean, rstd = x.mean(1), 1 / np.sqrt(x.var(1) + 1e-5)
hat = np.array([layer(v) for v in x])
add("layer_norm_grad",
    dict(dy=dy, input=x, scale=g, mean=mean, rstd=rstd),
    jacobian_product(lambda v: layer(v) * g, x, dy))
add("layer_norm_grad_scale", dict(dy=dy, input=x, mean=mean, rstd=rstd),
    (dy * hat).sum(0))
rstd = 1 / np.sqrt((x * x).mean(1) + 1e-6)
add("rms_norm_grad", dict(dy=dy, input=x, scale=g, rstd=rstd),
    jacobian_product(lambda v: rms(v) * g, x, dy))
add("rms_norm_grad_scale", dict(dy=dy, input=x, rstd=rstd),
    (dy * np.array([rms(v) for v in x])).sum(0))
add("softmax_grad", dict(dy=dy, y=np.array([soft(v) for v in x])),
    jacobian_product(soft, x, dy))


# Random bits, after dialects/NN/Random.h.
def mix(h):
    h ^= h >> 16
    h = h * 0x85EBCA6B & 0xFFFFFFFF
    h ^= h >> 13
    h = h * 0xC2B2AE35 & 0xFFFFFFFF
    return h ^ h >> 16


def chain(key, coordinate):
    return mix(key ^ (coordinate * 0x9E3779B9 + 0x85EBCA6B) & 0xFFFFFFFF)


def kept(p, seed, step, op, *coordinates):
    """1 / (1 - p) for every element that is kept, else 0; one list of
    coordinates per dim."""
    key = mix((seed + 0x9E3779B9) & 0xFFFFFFFF)
    for word in (seed >> 32, step, op):
        key = chain(key, word)
    mask = np.zeros([len(c) for c in coordinates])
    for index in np.ndindex(mask.shape):
        bits = key
        for c, i in zip(coordinates, index):
            bits = chain(bits, int(c[i]))
        mask[index] = bits >= int(p * 2**32)
    return mask / (1 - p)


scalar = lambda value: np.array(value, np.int64)
samples, positions = np.array([7, 2]), np.array([4, 0, 9])
seed, step = (1 << 35) + 5, 3
x = real(2, 3, 4)
mask = kept(0.4, seed, step, 11, samples, positions, np.arange(4) + 8)
assert 0 < (mask == 0).sum() < mask.size
add("dropout", dict(input=x, samples=samples, positions=positions,
                    seed=scalar(seed), step=scalar(step),
                    origin=np.array([50, 60, 8])),
    x * mask, dict(p=0.4, id=11, batch_dim=0, seq_dim=1))

# Attention with grouped heads, dropout and permuted positions.
B, S, T, H, G, D, E = 2, 3, 4, 4, 2, 3, 5
q, k, v = real(B, S, H, D), real(B, T, G, D), real(B, T, G, E)
d_result = real(B, S, H, E)
q_pos, k_pos = np.array([2, 0, 3]), np.array([1, 3, 0, 2])
mask = kept(0.3, seed, step, 5, samples, np.arange(H) + 6, q_pos, k_pos)
visible = q_pos[:, None] >= k_pos[None, :]


def attend(q, k, v):
    repeat = lambda x: np.repeat(x, H // G, 2)
    scores = np.einsum("bshd,bthd->bhst", q, repeat(k)) * 0.4
    weights = np.where(visible, np.exp(scores), 0)
    total = weights.sum(-1, keepdims=True)
    out = np.einsum("bhst,bthe->bshe", weights / total * mask, repeat(v))
    return out, np.log(total)[..., 0].transpose(0, 2, 1)


def through(which):
    values = [q, k, v]
    grad = np.zeros_like(values[which])
    for index in np.ndindex(grad.shape):
        moved = [x.astype(complex) for x in values]
        moved[which][index] += 1e-30j
        grad[index] = (np.imag(attend(*moved)[0]) / 1e-30 * d_result).sum()
    return grad


extra = dict(q_pos=q_pos, k_pos=k_pos, samples=samples, seed=scalar(seed),
             step=scalar(step), head_origin=scalar(6))
settings = dict(scale=0.4, causal=True, p=0.3, id=5)
result, lse = attend(q, k, v)
add("attention", dict(q=q, k=k, v=v, **extra), [result, lse], settings)
add("attention_grad",
    dict(d_result=d_result, q=q, k=k, v=v, result=result, lse=lse, **extra),
    [through(0), through(1), through(2)], settings)

# With a bias by head and key, of which one element hides a key, and so all keys
# that one query sees. The results have the row's highest score and, relative to
# it, the log of the sum.
bias = real(1, H, 1, T)
bias[0, 1, 0, 2] = -np.inf


def add_bias(q, k, v, bias):
    repeat = lambda x: np.repeat(x, H // G, 2)
    scores = np.einsum("bshd,bthd->bhst", q, repeat(k)) * 0.4 + bias
    scores = np.where(visible, scores, -np.inf)
    highest = scores.real.max(-1, keepdims=True)
    has_any = highest > -np.inf
    highest = np.where(has_any, highest, 0)
    weights = np.where(np.isinf(scores.real), 0, np.exp(scores - highest))
    total = weights.sum(-1, keepdims=True)
    out = np.einsum("bhst,bthe->bshe", weights / np.where(has_any, total, 1),
                    repeat(v))
    rows = lambda x: x[..., 0].transpose(0, 2, 1)
    with np.errstate(divide="ignore"):
        return out, rows(np.log(total.real)), rows(highest)


def through_bias(which):
    values = [q, k, v, bias]
    grad = np.zeros_like(values[which])
    for index in np.ndindex(grad.shape):
        if np.isinf(values[which][index]):
            continue
        moved = [x.astype(complex) for x in values]
        moved[which][index] += 1e-30j
        grad[index] = (np.imag(add_bias(*moved)[0]) / 1e-30 * d_result).sum()
    return grad


places = dict(q_pos=q_pos, k_pos=k_pos, bias=bias)
settings = dict(scale=0.4, causal=True)
result, lse, highest = (x.real for x in add_bias(q, k, v, bias))
add("attention_bias", dict(q=q, k=k, v=v, **places), [result, lse, highest],
    settings, "attention")
add("attention_bias_grad",
    dict(d_result=d_result, q=q, k=k, v=v, result=result, lse=lse, max=highest,
         **places), [through_bias(i) for i in range(4)], settings,
    "attention_grad")

# Rope back and forth is the identity; forward is PyTorch's case.
x = real(2, 3, 2, 6)
angles = positions[:, None] * 100.0 ** (-np.arange(2) / 2)
pairs = (x[..., :2] + 1j * x[..., 2:4]) * np.exp(-1j * angles)[:, None]
add("rope_inverse", dict(input=x, positions=positions),
    np.concatenate([pairs.real, pairs.imag, x[..., 4:]], -1),
    dict(theta=100.0, dim=4, inverse=True), op="rope")

# Embedding of the rows [4, 7) of a table; other ids yield zeros.
ids = np.array([[4, 9, 6], [0, 4, 5]])
inside = (ids >= 4) & (ids < 7)
table, dy = real(3, 2), real(2, 3, 2)
add("embedding", dict(ids=ids, table=table, offset=scalar(4)),
    table[np.where(inside, ids - 4, 0)] * inside[..., None])
add("embedding_int", dict(ids=ids, table=integers), np.where(
    (ids < 2)[..., None], integers[np.minimum(ids, 1)], 0), op="embedding")
grad = np.zeros((3, 2))
np.add.at(grad, ids[inside] - 4, dy[inside])
add("embedding_grad", dict(dy=dy, ids=ids, offset=scalar(4)), grad)

# The choice of elements of rows: NaNs first, equal ones by index; elements
# [4, 7) of rows.
x = real(2, 3, 5)
x[0, 0] = [1, np.nan, np.inf, 1, np.nan]
x[1, 2] = [0, -np.inf, -0.0, -1, 0]
chosen = np.argsort(np.where(np.isnan(x), -np.inf, -np.nan_to_num(x, nan=0)),
                    -1, kind="stable")
chosen[0, 0] = [1, 4, 2, 0, 3]
add("top_k", dict(input=x), chosen[..., :4], types={0: "i32"})
rows, values = real(2, 3), real(2, 3)
add("pick", dict(input=rows, ids=ids, offset=scalar(4)),
    np.where(inside, np.take_along_axis(rows, np.where(inside, ids - 4, 0), 1),
             0))
add("pick_int", dict(input=integers, ids=ids[:, :2] % 2), np.take_along_axis(
    integers, ids[:, :2] % 2, 1), op="pick")
sums = np.zeros((2, 3))
for row, column in np.argwhere(inside):
    sums[row, ids[row, column] - 4] += values[row, column]
add("spread", dict(input=values, ids=ids, offset=scalar(4)), sums)

# Cross entropy of 6 classes in 8 columns, also in two shards of 4 columns.
classes, columns = 6, 8
logits, targets = real(2, 3, columns), np.array([[0, 5, -100], [3, -1, 4]])
valid = targets >= 0
most = logits[..., :classes].max(-1)
total = np.exp(logits[..., :classes] - most[..., None]).sum(-1)
lse = most + np.log(total)
chosen = np.take_along_axis(logits, np.where(valid, targets, 0)[..., None],
                            -1)[..., 0] * valid
loss = np.where(valid, lse - chosen, 0)
add("cross_entropy", dict(logits=logits, targets=targets), [loss, lse],
    dict(classes=classes))
d_loss = real(2, 3)
grad = np.zeros_like(logits)
grad[..., :classes] = np.exp(logits[..., :classes] - lse[..., None])
for index in np.argwhere(valid):
    grad[tuple(index)][targets[tuple(index)]] -= 1
grad *= (d_loss * valid)[..., None]
add("cross_entropy_grad",
    dict(dloss=d_loss, logits=logits, targets=targets, lse=lse), grad,
    dict(classes=classes))
for part in (0, 1):
    start = part * 4
    part_logits = logits[..., start : start + 4]
    part_valid = part_logits[..., : classes - start]
    offset = scalar(start)
    add(f"row_max_{part}", dict(logits=part_logits, offset=offset),
        part_valid.max(-1), dict(classes=classes), op="row_max")
    here = (targets >= start) & (targets < min(classes, start + 4))
    add(f"cross_entropy_stats_{part}",
        dict(logits=part_logits, targets=targets, max=most, offset=offset),
        np.stack([np.exp(part_valid - most[..., None]).sum(-1),
                  chosen * here]),
        dict(classes=classes), op="cross_entropy_stats")
    add(f"cross_entropy_grad_{part}",
        dict(dloss=d_loss, logits=part_logits, targets=targets, lse=lse,
             offset=offset),
        grad[..., start : start + 4], dict(classes=classes),
        op="cross_entropy_grad")
add("row_max_padding", dict(logits=logits, offset=scalar(6)),
    np.full((2, 3), -np.inf), dict(classes=classes), op="row_max")
add("cross_entropy_loss",
    dict(stats=np.stack([total, chosen]), max=most, targets=targets),
    [loss, lse])
add("valid", dict(targets=targets), valid.astype(float))

# Optimizers.
p, grad, m, v = real(3, 2), real(3, 2), real(3, 2), real(3, 2) ** 2
lr, b1, b2, eps, decay, scale = 0.01, 0.9, 0.95, 1e-8, 0.1, 0.5
g = grad * scale
m1, v1 = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
for name, rate in (("adamw", 0.0), ("adamw_decay", decay)):
    moved = (1 - lr * rate) * p - lr * (m1 / (1 - b1**3)) / (
        np.sqrt(v1) / math.sqrt(1 - b2**3) + eps)
    given = [np.array(x) for x in (scale, lr, b1, b2, eps, decay)]
    names = "grad_scale lr beta1 beta2 eps weight_decay".split()
    add(name, dict(param=p, grad=grad, exp_avg=m, exp_avg_sq=v,
                   **dict(zip(names, given)), step=scalar(3)),
        [moved, m1, v1], dict(decay=True) if rate else {}, op="adamw")
given = dict(grad_scale=np.array(scale), lr=np.array(lr),
             weight_decay=np.array(decay))
add("sgd", dict(param=p, grad=grad, **given),
    p - lr * (g + decay * p), dict(decay=True))
add("sgd_no_decay", dict(param=p, grad=grad, **given), p - lr * g, op="sgd")
add("sum_of_squares", dict(input=p), (p * p).sum())

# Tested elsewhere: state in ../state.mlir, constants in all programs, the ops
# of expanded attention in ../Kernels/attention.py, experts in
# ../Compiled/experts.mlir and ../gradients/experts.mlir, random bits for rounding
# in ../Kernels/rounding.py.
ops |= set("param state read write accumulate constant masked_softmax "
           "masked_softmax_grad experts experts_grad route "
           "grouped_contract rounding_bits".split())
test = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
for path in glob.glob(os.path.join(test, "Inputs/ops/*.json")):
    with open(path) as file:
        ops.add(json.load(file)["op"])
with open(os.path.join(test, "../docs/reference/nn.md")) as file:
    defined = set(re.findall(r"^### `nn\.(\w+)`", file.read(), re.M))
assert len(defined) > 60, defined
if defined - ops:
    sys.exit("no case of nn." + ", nn.".join(sorted(defined - ops)))
