#!/usr/bin/env python3
"""Prints a small random program with one function, @forward.

    random_model.py SEED [--batch 2] [--seq 6] [--dropout 0.1] ...

From tokens to logits through random ops: norms, GEMMs, attention between any
two values, elementwise and shape ops, sums and products of distant values,
shared weights. Equal arguments produce equal programs.
"""

import argparse
import random
import re

from make import Model, tensor


class RandomModel(Model):
    def __init__(self, seed, options):
        super().__init__(options)
        self.random = random.Random(seed)
        # Values that further ops may use: [batch, seq, width], newest last.
        self.pool = []
        # Parameters by shape and initial value, for further uses.
        self.known = {}
        self.count = 0

    def chance(self, probability):
        return self.random.random() < probability

    def name(self, kind):
        self.count += 1
        self.at = f"{kind}.{self.count}"
        return self.at

    def weight(self, name, shape, init="normal"):
        """A new parameter, or sometimes one that others use, too."""
        key = (tuple(shape), init)
        if key in self.known and self.chance(0.2):
            return self.random.choice(self.known[key])
        value = self.param(name, shape, init)
        if self.chance(0.1):  # a value computed from parameters alone
            self.at = name
            value = self.random.choice(
                [lambda: self.unary("tanh", value),
                 lambda: self.sum(value, *self.known.get(key, [value])),
                 lambda: self.scale(value, 0.5)])()
        self.known.setdefault(key, []).append(value)
        return value

    def pick(self):
        """A value, most often the last."""
        if self.chance(0.6):
            return self.pool[-1]
        return self.random.choice(self.pool)

    # Building blocks; each returns a value with the shape of those in the pool.

    def spread(self, x, shape):
        dims = range(len(shape) - len(x.shape), len(shape))
        return self.broadcast(x, shape, dims)

    def product(self, x, n, name):
        """x W, with W or its transpose stored, with or without a bias."""
        k = x.shape[-1]
        if self.chance(0.5):
            y = self.contract("bsk,kn->bsn", x,
                              self.weight(f"{name}.weight", (k, n)))
        else:
            y = self.contract("bsk,nk->bsn", x,
                              self.weight(f"{name}.weight", (n, k)))
        if self.chance(0.5):
            bias = self.weight(f"{name}.bias", (n,), "zero")
            y = self.sum(y, self.spread(bias, y.shape))
        return y

    def activation(self, x):
        kind = self.random.choice(
            ["gelu", "gelu tanh", "silu", "relu", "tanh", "sigmoid", "erf"])
        return self.unary(kind, x)

    def norm(self, x):
        name = self.name("norm")
        scale = self.weight(f"{name}.weight", x.shape[-1:], "one")
        rows = tensor(x.shape[:-1])
        statistic = (x.shape[:-1], "f32")
        if self.chance(0.4):
            return self.op(
                f"nn.rms_norm {x.name} scale {scale.name} eps 1.0e-5 : "
                f"{x.type}, {scale.type} -> {rows}",
                [(x.shape, x.element), statistic])[0]
        bias = self.weight(f"{name}.bias", x.shape[-1:], "zero")
        return self.op(
            f"nn.layer_norm {x.name} scale {scale.name} bias {bias.name} eps "
            f"1.0e-5 : {x.type}, {scale.type}, {bias.type} -> {rows}, {rows}",
            [(x.shape, x.element), statistic, statistic])[0]

    def mlp(self, x):
        name = self.name("mlp")
        y = self.activation(self.product(x, self.o.inner, f"{name}.up"))
        if self.chance(0.3):
            gate = self.product(x, self.o.inner, f"{name}.gate")
            y = self.mul(y, gate)
        return self.product(y, self.o.width, f"{name}.down")

    def low_rank(self, x):
        name = self.name("low_rank")
        y = self.product(x, self.o.low_rank, f"{name}.a")
        return self.product(y, self.o.width, f"{name}.b")

    def attention(self, x):
        """Attention of a value to itself or to another; maybe fewer key heads
        than query heads."""
        name = self.name("attention")
        memory = x if self.chance(0.6) else self.pick()
        o = self.o
        d = o.head_width
        groups = o.heads if self.chance(0.7) else o.kv_heads
        rotate = d % 2 == 0 and self.chance(0.3)

        def heads(y, n, part):
            w = self.weight(f"{name}.{part}.weight", (o.width, n, d))
            y = self.contract("bsk,khd->bshd", y, w)
            if self.chance(0.3):
                bias = self.weight(f"{name}.{part}.bias", (n, d), "zero")
                y = self.sum(y, self.spread(bias, y.shape))
            return y

        q, k, v = (heads(x, o.heads, "q"), heads(memory, groups, "k"),
                   heads(memory, groups, "v"))
        if rotate:
            q, k = (self.rope(y, self.positions) for y in (q, k))
        causal = self.chance(0.5)
        if groups == o.heads and self.chance(0.3):
            y = self.attend_in_steps(q, k, v, d ** -0.5, causal)
        else:
            y = self.attend_at_once(q, k, v, self.positions, self.positions,
                                    d ** -0.5, causal)
        w = self.weight(f"{name}.out.weight", (o.heads, d, o.width))
        return self.contract("bshd,hdn->bsn", y, w)

    def binary(self, x):
        self.name("binary")
        other = self.random.choice(self.pool)
        kind = self.random.choice(["sub", "mul", "max", "min", "div", "where"])
        if kind == "where":
            condition = "tensor<" + x.type.split("<")[1].replace("f32", "i1")
            bits = self.param_mask(x.shape)
            return self.op(
                f"nn.where {bits.name}, {x.name}, {other.name} : {condition}, "
                f"{x.type}", [(x.shape, x.element)])
        if kind == "div":
            # A divisor that is not close to zero.
            other = self.unary("sigmoid", other)
        return self.op(f"nn.{kind} {x.name}, {other.name} : {x.type}",
                       [(x.shape, x.element)])

    def param_mask(self, shape):
        """A constant row of truth values for every batch and position."""
        row = ", ".join(self.random.choice(["true", "false"])
                        for _ in range(shape[-1]))
        mask = self.op(f"nn.constant dense<[{row}]> : tensor<{shape[-1]}xi1>",
                       [(shape[-1:], "i1")])
        return self.broadcast(mask, shape, [len(shape) - 1])

    def chain(self, x):
        """log(1 + exp(x)) or sqrt(1 + x^2), in steps."""
        self.name("chain")
        one = self.op(f"nn.constant dense<1.0> : {x.type}",
                      [(x.shape, x.element)])
        if self.chance(0.5):
            return self.unary("log", self.sum(one, self.unary("exp", x)))
        return self.unary("sqrt", self.sum(one, self.mul(x, x)))

    def add(self, x):
        self.name("sum")
        others = [self.random.choice(self.pool)
                  for _ in range(self.random.randint(1, 3))]
        return self.sum(x, *others)

    def shape(self, x):
        """Moves elements around."""
        self.name("shape")
        o = self.o
        kind = self.random.randrange(5)
        if kind == 4:  # every other element, at another index
            taken = o.width // 2
            part = self.op(
                f"nn.slice {x.name} at [0, 0, 1] step [1, 1, 2] : {x.type} -> "
                f"{tensor(x.shape[:2] + (taken,))}",
                [(x.shape[:2] + (taken,), x.element)])
            return self.op(
                f"nn.pad {part.name} at [0, 0, {o.width - taken}] step "
                f"[1, 1, 1] : {part.type} -> {x.type}", [(x.shape, x.element)])
        if kind == 0:  # halves exchanged
            half = o.width // 2
            parts = [self.slice(x, 2, half, half), self.slice(x, 2, 0, half)]
            types = ", ".join(part.type for part in parts)
            return self.op(
                f"nn.concat {parts[0].name}, {parts[1].name} along 2 : {types}"
                f" -> {x.type}", [(x.shape, x.element)])
        if kind == 1:  # the last position's row for all
            row = self.select(x, 1, o.seq - 1)
            return self.broadcast(row, x.shape, (0, 2))
        if kind == 2:  # the mean over positions
            mean = self.scale(self.reduce(x, [1]), 1 / o.seq)
            return self.broadcast(mean, x.shape, (0, 2))
        turned = self.op(
            f"nn.transpose {x.name} [0, 2, 1] : {x.type} -> "
            f"{tensor((o.batch, o.width, o.seq), x.element)}",
            [((o.batch, o.width, o.seq), x.element)])
        turned = self.unary("tanh", turned)
        return self.op(
            f"nn.transpose {turned.name} [0, 2, 1] : {turned.type} -> {x.type}",
            [(x.shape, x.element)])

    def positional(self, x):
        name = self.name("position")
        table = self.weight(f"{name}.weight", (self.o.vocab, self.o.width))
        row = self.embedding(self.positions, table)
        return self.sum(x, self.broadcast(row, x.shape, (1, 2)))

    def unit(self, x):
        """x, or another value, through one random block."""
        block = self.random.choices(
            [self.mlp, self.attention, self.low_rank, self.binary, self.add,
             self.shape, self.positional, self.activation, self.chain],
            [5, 5, 1, 2, 2, 1, 1, 1, 1])[0]
        y = block(x)
        if self.chance(0.5):
            y = self.dropout(y)
        if self.chance(0.6):
            y = self.sum(x, y)
        return y

    def forward(self):
        o = self.o
        name = self.name("embedding")
        table = self.weight(f"{name}.weight", (o.vocab, o.width))
        self.pool.append(self.embedding(self.tokens, table))
        if self.chance(0.3):  # another embedding of the same tokens
            other = self.weight(f"{self.name('embedding')}.weight",
                                (o.vocab, o.width))
            self.pool.append(self.embedding(self.tokens, other))
        for _ in range(o.layers):
            x = self.pick()
            if self.chance(0.7):
                x = self.norm(x)
            self.pool.append(self.unit(x))
        # Unused values are added to the result.
        self.name("rest")
        used = set(re.findall(r"%\d+", " ".join(
            op.split(" = ", 1)[1] for op in self.ops)))
        rest = [v for v in self.pool[:-1] if v.name not in used]
        x = self.sum(self.pool[-1], *rest) if rest else self.pool[-1]
        x = self.norm(x)
        name = self.name("head")
        if self.chance(0.5):
            return self.contract("bsc,vc->bsv", x, table)
        w = self.weight(f"{name}.weight", (o.width, o.vocab))
        return self.contract("bsc,cv->bsv", x, w)


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("seed", type=int)
    for name, value in (("batch", 2), ("seq", 6), ("layers", 5), ("width", 16),
                        ("inner", 32), ("heads", 4), ("kv-heads", 2),
                        ("head-width", 4), ("vocab", 24), ("low-rank", 2)):
        p.add_argument(f"--{name}", type=int, default=value)
    p.add_argument("--dropout", type=float, default=0.0)
    options = p.parse_args()
    options.__dict__.update(
        element="f32",
        attention_dropout=True,
        distance_bias=options.seed % 4 == 0,
    )
    model = RandomModel(options.seed, options)
    print('module attributes {pcc.phase = "nn"} {')
    model.print(model.forward())
    print("}")


if __name__ == "__main__":
    main()
