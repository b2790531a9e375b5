#!/usr/bin/env python3
"""Writes PyTorch's values and derivatives of nn ops, in double precision.

Run with the Python of benchmarks/setup. Each NAME.json is an object of

  op          the nn op's mnemonic
  attributes  its attributes, as spelled in the IR
  inputs      operand name -> tensor; absent optional operands are left out
  outputs     result name -> tensor
  cotangents  result name -> tensor; results that are left out have none
  gradients   operand name -> tensor: the sum over all results of cotangent
              times result, differentiated by the operand

where a tensor is {"shape", "type": "f64" or "i64", "data": flat, row-major}.
All inputs and cotangents are multiples of 1/64, so exact in f32 too.
"""

import json
import math
import os

import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
generator = torch.Generator().manual_seed(0)


def values(*shape):
    x = torch.randn(*shape, generator=generator, dtype=torch.float64)
    return torch.round(x * 64) / 64


def ids(limit, *shape):
    return torch.randint(limit, shape, generator=generator)


def dump(tensor):
    kind = "f64" if tensor.is_floating_point() else "i64"
    data = tensor.detach().flatten().tolist()
    return dict(shape=list(tensor.shape), type=kind, data=data)


def case(name, op, attributes, inputs, function, residuals=()):
    """Writes a case. `function` maps the inputs to {result name: tensor};
    results named in `residuals` get no cotangent."""
    for tensor in inputs.values():
        tensor.requires_grad_(tensor.is_floating_point())
    outputs = function(**inputs)
    cotangents = {
        n: values(*y.shape) for n, y in outputs.items() if n not in residuals
    }
    leaves = {n: x for n, x in inputs.items() if x.requires_grad}
    gradients = torch.autograd.grad(
        [outputs[n] for n in cotangents],
        list(leaves.values()),
        list(cotangents.values()),
    )
    tensors = dict(
        inputs=inputs,
        outputs=outputs,
        cotangents=cotangents,
        gradients=dict(zip(leaves, gradients)),
    )
    record = dict(op=op, attributes=attributes)
    for group, members in tensors.items():
        record[group] = {n: dump(x) for n, x in members.items()}
    with open(os.path.join(HERE, name + ".json"), "w") as file:
        # A line per tensor.
        text = json.dumps(record).replace('}, "', '},\n"')
        file.write(text + "\n")


def contract(name, spec, lhs, rhs):
    case(
        name,
        "contract",
        dict(spec=spec),
        dict(lhs=values(*lhs), rhs=values(*rhs)),
        lambda lhs, rhs: dict(result=torch.einsum(spec, lhs, rhs)),
    )


def layer_norm(name, with_bias):
    def norm(input, scale, bias=None):
        var, mean = torch.var_mean(input, -1, unbiased=False)
        return dict(
            result=F.layer_norm(input, input.shape[-1:], scale, bias, 1e-5),
            mean=mean,
            rstd=1 / torch.sqrt(var + 1e-5),
        )

    inputs = dict(input=values(2, 3, 8), scale=values(8))
    if with_bias:
        inputs["bias"] = values(8)
    case(
        name, "layer_norm", dict(eps=1e-5), inputs, norm, ["mean", "rstd"]
    )


def rms_norm(input, scale):
    rstd = 1 / torch.sqrt((input * input).mean(-1) + 1e-6)
    return dict(result=input * rstd[..., None] * scale, rstd=rstd)


def attention(name, heads, groups, causal=True):
    """q [b, s, h, d], k and v [b, s, g, d]; positions 0 .. s-1."""
    scale = 0.5

    def attend(q, k, v, q_pos, k_pos):
        # To [b, h, s, d], a key head serving heads / groups query heads.
        q = q.transpose(1, 2)
        k, v = (
            x.transpose(1, 2).repeat_interleave(heads // groups, dim=1)
            for x in (k, v)
        )
        scores = scale * (q @ k.transpose(-1, -2))
        if causal:
            hidden = k_pos[None, :] > q_pos[:, None]
            scores = scores.masked_fill(hidden, -math.inf)
        result = F.scaled_dot_product_attention(
            q, k, v, is_causal=causal, scale=scale
        )
        return dict(
            result=result.transpose(1, 2),
            lse=scores.logsumexp(-1).transpose(1, 2),
        )

    positions = torch.arange(5)
    case(
        name,
        "attention",
        dict(scale=scale, causal=causal),
        dict(
            q=values(2, 5, heads, 4),
            k=values(2, 5, groups, 4),
            v=values(2, 5, groups, 4),
            q_pos=positions,
            k_pos=positions.clone(),
        ),
        attend,
        ["lse"],
    )


def near_attention(name, heads, groups, softcap=0.0, window=0, chunk=0,
                   sinks=False):
    """As attention(), causal, with the op's attributes of these names."""
    scale = 0.5

    def attend(q, k, v, q_pos, k_pos, sinks=None):
        k, v = (x.repeat_interleave(heads // groups, dim=2) for x in (k, v))
        scores = scale * torch.einsum("bshd,bthd->bhst", q, k)
        if softcap:
            scores = softcap * torch.tanh(scores / softcap)
        i, j = q_pos[:, None], k_pos[None, :]
        hidden = j > i
        if window:
            hidden |= i - j >= window
        if chunk:
            hidden |= i // chunk != j // chunk
        scores = scores.masked_fill(hidden, -math.inf)
        if sinks is not None:
            more = sinks[None, :, None, None].expand(*scores.shape[:3], 1)
            scores = torch.cat([scores, more], -1)
        probs = scores.softmax(-1)[..., :k_pos.shape[0]]
        return dict(
            result=torch.einsum("bhst,bthd->bshd", probs, v),
            lse=scores.logsumexp(-1).transpose(1, 2),
        )

    inputs = dict(
        q=values(2, 7, heads, 4), k=values(2, 7, groups, 4),
        v=values(2, 7, groups, 4), q_pos=torch.arange(7),
        k_pos=torch.arange(7),
    )
    if sinks:
        inputs["sinks"] = values(heads)
    attributes = dict(scale=scale, causal=True, window=window, chunk=chunk,
                      softcap=softcap)
    case(name, "attention", attributes, inputs, attend, ["lse"])


def rope(input, positions, theta=10000.0, dim=4):
    """Rotates pairs (i, i + dim/2) of the first `dim` elements of [b,s,h,d]."""
    half = dim // 2
    power = torch.arange(half, dtype=torch.float64) * (-2 / dim)
    angle = positions[:, None].double() * theta**power
    cos, sin = angle.cos()[:, None, :], angle.sin()[:, None, :]
    a, b, rest = input.split([half, half, input.shape[-1] - dim], -1)
    rotated = [a * cos - b * sin, b * cos + a * sin, rest]
    return dict(result=torch.cat(rotated, -1))


def cross_entropy(logits, targets):
    # Padding columns, from `classes` on, are ignored.
    used = logits[..., :7]
    loss = F.cross_entropy(
        used.flatten(0, 1),
        targets.flatten(),
        ignore_index=-100,
        reduction="none",
    )
    return dict(loss=loss.view(targets.shape), lse=used.logsumexp(-1))


def ties(*shape):
    """Pairs of which every third is equal."""
    x, y = values(*shape), values(*shape)
    y.flatten()[::3] = x.flatten()[::3]
    return dict(lhs=x, rhs=y)


def rows_added(dy, ids):
    rows = dy.flatten(0, ids.dim() - 1)
    table = torch.zeros(6, *rows.shape[1:], dtype=dy.dtype)
    return dict(dtable=table.index_add(0, ids.flatten(), rows))


def main():
    contract("contract_linear", "bsk,kn->bsn", (2, 3, 4), (4, 5))
    contract("contract_qkv", "bsk,kphd->bsphd", (2, 3, 4), (4, 3, 2, 2))
    contract("contract_batched", "bshd,bthd->bhst", (2, 3, 2, 4), (2, 5, 2, 4))
    contract("contract_weight", "bsk,bsn->kn", (2, 3, 4), (2, 3, 5))
    for name, function in (
        ("relu", torch.relu),
        ("silu", F.silu),
        ("softmax", lambda x: x.softmax(-1)),
        ("gelu", F.gelu),
    ):
        case(
            name,
            name,
            {},
            dict(input=values(2, 3, 8)),
            lambda input, f=function: dict(result=f(input)),
        )
    case(
        "gelu_tanh",
        "gelu",
        dict(tanh=True),
        dict(input=values(2, 3, 8)),
        lambda input: dict(result=F.gelu(input, approximate="tanh")),
    )
    layer_norm("layer_norm", True)
    layer_norm("layer_norm_no_bias", False)
    case(
        "rms_norm",
        "rms_norm",
        dict(eps=1e-6),
        dict(input=values(2, 3, 8), scale=values(8)),
        rms_norm,
        ["rstd"],
    )
    attention("attention_causal", 2, 2)
    attention("attention_grouped", 4, 2)
    attention("attention_full", 2, 2, causal=False)
    case(
        "rope",
        "rope",
        dict(theta=10000.0, dim=4),
        dict(input=values(2, 5, 2, 6), positions=torch.arange(5)),
        rope,
    )
    # 15 ids of 6 rows: several occur more than once.
    case(
        "embedding",
        "embedding",
        {},
        dict(ids=ids(6, 3, 5), table=values(6, 4)),
        lambda ids, table: dict(result=F.embedding(ids, table)),
    )
    targets = ids(7, 3, 5)
    targets[0, 1] = targets[2, 4] = -100
    case(
        "cross_entropy",
        "cross_entropy",
        dict(classes=7),
        dict(logits=values(3, 5, 8), targets=targets),
        cross_entropy,
        ["lse"],
    )
    for name, function in (("max", torch.maximum), ("min", torch.minimum)):
        case(
            name,
            name,
            {},
            ties(2, 3, 4),
            lambda lhs, rhs, f=function: dict(result=f(lhs, rhs)),
        )
    # Integers: most rows have several largest or smallest elements.
    for name, function in (("max", torch.amax), ("min", torch.amin)):
        case(
            "reduce_" + name,
            "reduce_" + name,
            dict(dims=[1]),
            dict(input=torch.round(values(3, 8, 2))),
            lambda input, f=function: dict(result=f(input, 1)),
        )
    # Rows with no zero, one and two.
    factors = values(3, 4)
    factors[1, 2] = factors[2, 0] = factors[2, 3] = 0
    case(
        "reduce_prod",
        "reduce_prod",
        dict(dims=[1]),
        dict(input=factors),
        lambda input: dict(result=input.prod(1)),
    )
    case(
        "embedding_grad",
        "embedding_grad",
        {},
        dict(dy=values(3, 5, 4), ids=ids(6, 3, 5)),
        rows_added,
    )
    case(
        "embedding_rows",
        "embedding",
        {},
        dict(ids=ids(6, 3, 5), table=values(6, 2, 4)),
        lambda ids, table: dict(result=table[ids]),
    )
    case(
        "embedding_grad_rows",
        "embedding_grad",
        {},
        dict(dy=values(3, 5, 2, 4), ids=ids(6, 3, 5)),
        rows_added,
    )
    near_attention("attention_window", 2, 2, softcap=0.75, window=3)
    near_attention("attention_sinks", 4, 2, chunk=3, sinks=True)


if __name__ == "__main__":
    main()
