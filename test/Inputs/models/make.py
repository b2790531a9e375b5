#!/usr/bin/env python3
"""Prints transformers as nn modules with one function, @forward.

    make.py FAMILY [--layers 2] [--heads 4] [--dropout 0.1] ...

Families: gpt (pre-LN), gpt-post (post-LN), gpt-parallel (attention and MLP in
parallel), llama (RMS norm, rope, grouped queries, SwiGLU), moe (llama with a
mixture of experts in place of the MLP), encdec (encoder and decoder with cross
attention), lora (a low-rank MLP). Every op carries the name
of the layer it belongs to as its location. Parameters are named as the
well-known implementations name them.
"""

import argparse


class Value:
    def __init__(self, name, shape, element="f32"):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        return tensor(self.shape, self.element)


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


class Module:
    """Collects parameters, arguments and ops; `at` names the present layer."""

    def __init__(self, element):
        self.element, self.at = element, ""
        self.params, self.args, self.ops = [], [], []
        self.values = 0
        self.drops = 0

    def arg(self, name, role, shape, element="i64"):
        self.args.append(
            f"%{name}: {tensor(shape, element)} "
            f'{{nn.name = "{name}", nn.role = #nn.role<{role}>}}')
        return Value(f"%{name}", shape, element)

    def param(self, name, shape, init="normal", decay=None):
        """Declares and reads a parameter; by default matrices have weight
        decay."""
        decay = len(shape) > 1 if decay is None else decay
        kind = tensor(shape, self.element)
        self.params.append(f'nn.param @"{name}" : {kind} init {init}'
                           + (" decay" if decay else ""))
        return self.op(f'nn.read @"{name}" : {kind}', [(shape, self.element)],
                       at=name)

    def op(self, text, results, at=None):
        """Adds an op; `results` are (shape, element) pairs."""
        values = []
        for shape, element in results:
            values.append(Value(f"%{self.values}", shape, element))
            self.values += 1
        names = ", ".join(v.name for v in values)
        self.ops.append(f'  {names} = {text} loc("{at or self.at}")')
        return values[0] if len(values) == 1 else values

    # One method per op.

    def contract(self, spec, lhs, rhs):
        labels, result = spec.split("->")
        sizes = {}
        for part, value in zip(labels.split(","), (lhs, rhs)):
            sizes.update(zip(part, value.shape))
        shape = [sizes[label] for label in result]
        return self.op(
            f'nn.contract "{spec}" {lhs.name}, {rhs.name} : {lhs.type}, '
            f"{rhs.type} -> {tensor(shape, lhs.element)}",
            [(shape, lhs.element)])

    def sum(self, *values):
        names = ", ".join(v.name for v in values)
        return self.op(f"nn.sum {names} : {values[0].type}",
                       [(values[0].shape, values[0].element)])

    def mul(self, a, b):
        return self.op(f"nn.mul {a.name}, {b.name} : {a.type}",
                       [(a.shape, a.element)])

    def unary(self, name, x):
        return self.op(f"nn.{name} {x.name} : {x.type}", [(x.shape, x.element)])

    def scale(self, x, factor):
        return self.op(f"nn.scale {x.name} by {factor!r} : {x.type}",
                       [(x.shape, x.element)])

    def broadcast(self, x, shape, dims):
        return self.op(
            f"nn.broadcast {x.name} {list(dims)} : {x.type} -> "
            f"{tensor(shape, x.element)}", [(shape, x.element)])

    def reshape(self, x, shape):
        return self.op(
            f"nn.reshape {x.name} : {x.type} -> {tensor(shape, x.element)}",
            [(shape, x.element)])

    def reduce(self, x, dims):
        shape = [n for i, n in enumerate(x.shape) if i not in dims]
        return self.op(
            f"nn.reduce {x.name} {list(dims)} : {x.type} -> "
            f"{tensor(shape, x.element)}", [(shape, x.element)])

    def select(self, x, dim, index):
        shape = x.shape[:dim] + x.shape[dim + 1:]
        return self.op(
            f"nn.select {x.name} dim {dim} index {index} : {x.type} -> "
            f"{tensor(shape, x.element)}", [(shape, x.element)])

    def slice(self, x, dim, start, size):
        starts = [start if i == dim else 0 for i in range(len(x.shape))]
        shape = [size if i == dim else n for i, n in enumerate(x.shape)]
        return self.op(
            f"nn.slice {x.name} at {starts} step {[1] * len(shape)} : {x.type}"
            f" -> {tensor(shape, x.element)}", [(shape, x.element)])

    def embedding(self, ids, table):
        shape = ids.shape + table.shape[1:]
        return self.op(
            f"nn.embedding {ids.name}, {table.name} : {ids.type}, {table.type}"
            f" -> {tensor(shape, table.element)}", [(shape, table.element)])

    def layer_norm(self, x, name):
        scale = self.param(f"{name}.weight", x.shape[-1:], "one")
        bias = self.param(f"{name}.bias", x.shape[-1:], "zero")
        rows = tensor(x.shape[:-1])
        return self.op(
            f"nn.layer_norm {x.name} scale {scale.name} bias {bias.name} eps "
            f"1.0e-5 : {x.type}, {scale.type}, {bias.type} -> {rows}, {rows}",
            [(x.shape, x.element)] + [(x.shape[:-1], "f32")] * 2, name)[0]

    def rms_norm(self, x, name):
        scale = self.param(f"{name}.weight", x.shape[-1:], "one")
        return self.op(
            f"nn.rms_norm {x.name} scale {scale.name} eps 1.0e-5 : {x.type}, "
            f"{scale.type} -> {tensor(x.shape[:-1])}",
            [(x.shape, x.element), (x.shape[:-1], "f32")], name)[0]

    def rope(self, x, positions):
        return self.op(
            f"nn.rope {x.name} positions {positions.name} theta 1.0e4 dim "
            f"{x.shape[3]} : {x.type}, {positions.type}",
            [(x.shape, x.element)])


class Model(Module):
    """The common parts of the families."""

    def __init__(self, options):
        super().__init__(options.element)
        self.o = o = options
        self.tokens = self.arg("tokens", "tokens", [o.batch, o.seq])
        self.positions = self.arg("positions", "positions", [o.seq])
        self.has_random = o.dropout > 0
        if self.has_random:
            self.samples = self.arg("samples", "samples", [o.batch])
            self.seed = self.arg("seed", "seed", [])
            self.step = self.arg("step", "step", [])

    def dropout(self, x):
        if not self.has_random:
            return x
        self.drops += 1
        return self.op(
            f"nn.dropout {x.name} samples %samples positions %positions seed "
            f"%seed step %step {{p = {self.o.dropout}, id = {self.drops}, "
            f"batch_dim = 0, seq_dim = 1}} : {x.type}, {self.samples.type}, "
            f"{self.positions.type}, tensor<i64>, tensor<i64>",
            [(x.shape, x.element)])

    def bias(self, x, name):
        if not self.o.bias:
            return x
        shape = x.shape[2:]
        b = self.param(name, shape, "zero", decay=False)
        dims = range(len(x.shape) - len(shape), len(x.shape))
        return self.sum(x, self.broadcast(b, x.shape, dims))

    def linear(self, x, name, n, bias=True, spec="bsk,kn->bsn", shape=None):
        self.at = name
        w = self.param(f"{name}.weight", shape or (x.shape[-1], n))
        y = self.contract(spec, x, w)
        return self.bias(y, f"{name}.bias") if bias else y

    def heads(self, x, count):
        return self.reshape(x, x.shape[:2] + (count, x.shape[2] // count))

    def attend(self, q, k, v, q_pos, k_pos, name, causal=True):
        """[b, s, h, d] x 3 -> [b, s, h * d]"""
        self.at = name
        scale = q.shape[3] ** -0.5
        if self.o.attention == "primitive":
            y = self.attend_in_steps(q, k, v, scale, causal)
        else:
            y = self.attend_at_once(q, k, v, q_pos, k_pos, scale, causal)
        return self.reshape(y, y.shape[:2] + (y.shape[2] * y.shape[3],))

    def attend_at_once(self, q, k, v, q_pos, k_pos, scale, causal):
        operands = [q, k, v, q_pos, k_pos]
        bias, random, attrs = "", "", ""
        if self.o.distance_bias:
            operands.append(self.distances(q.shape[2], q.shape[1], k.shape[1]))
            bias = f" bias {operands[-1].name}"
        if self.has_random and self.o.attention_dropout:
            operands += [self.samples, self.seed, self.step]
            random = " samples %samples seed %seed step %step"
            self.drops += 1
            attrs = f" {{p = {self.o.dropout}, id = {self.drops}}}"
        types = ", ".join(v.type for v in operands)
        out = q.shape[:3] + (v.shape[3],)
        # lse and, with a bias, the highest scores.
        rows = [(q.shape[:3], "f32")] * (2 if bias else 1)
        made = ", ".join(tensor(*each) for each in [(out, q.element), *rows])
        return self.op(
            f"nn.attention {'causal ' if causal else ''}{q.name}, {k.name}, "
            f"{v.name} positions {q_pos.name}, {k_pos.name}{bias}{random} "
            f"scale "
            f"{scale!r}{attrs} : ({types}) -> ({made})",
            [(out, q.element), *rows])[0]

    def distances(self, heads, s, t):
        """A constant that falls with the distance, by a slope of each head."""
        rows = [[[round(-abs(i - j) / 2 ** (h + 1), 6) for j in range(t)]
                 for i in range(s)] for h in range(heads)]
        shape = (1, heads, s, t)
        return self.op(f"nn.constant dense<{[rows]}> : {tensor(shape)}",
                       [(shape, "f32")])

    def attend_in_steps(self, q, k, v, scale, causal):
        s, t = q.shape[1], k.shape[1]
        x = self.scale(self.contract("bshd,bthd->bhst", q, k), scale)
        if causal:
            rows = ", ".join(
                "[" + ", ".join("0.0" if j <= i else "-1.0e9"
                                for j in range(t)) + "]" for i in range(s))
            kind = tensor((s, t), q.element)
            mask = self.op(f"nn.constant dense<[{rows}]> : {kind}",
                           [((s, t), q.element)])
            x = self.sum(x, self.broadcast(mask, x.shape, (2, 3)))
        return self.contract("bhst,bthd->bshd", self.unary("softmax", x), v)

    def logits(self, x, table):
        o = self.o
        if not o.tied:
            table = self.param("lm_head.weight", (o.vocab, x.shape[-1]))
        self.at = "lm_head"
        return self.contract("bsc,vc->bsv", x, table)

    def print(self, result):
        print("\n".join(self.params) + "\n")
        print("func.func @forward(" + ",\n    ".join(self.args)
              + f")\n    -> ({result.type} {{nn.name = \"logits\"}}) {{")
        print("\n".join(self.ops))
        print(f"  return {result.name} : {result.type}\n}}")


def gpt_attention(m, x, name):
    o = m.o
    c, h = o.width, o.heads
    if o.qkv == "separate":
        q, k, v = (m.heads(m.linear(x, f"{name}.{n}_proj", c), h)
                   for n in "qkv")
    elif o.qkv == "naive":
        y = m.linear(x, f"{name}.c_attn", 3 * c)
        q, k, v = (m.heads(m.slice(y, 2, i * c, c), h) for i in range(3))
    else:
        dim, spec, shape = {
            "factored": (2, "bsk,kphd->bsphd", (c, 3, h, c // h)),
            "interleaved": (3, "bsk,khpd->bshpd", (c, h, 3, c // h))}[o.qkv]
        y = m.linear(x, f"{name}.c_attn", 0, spec=spec, shape=shape)
        q, k, v = (m.select(y, dim, i) for i in range(3))
    y = m.attend(q, k, v, m.positions, m.positions, name)
    return m.dropout(m.linear(y, f"{name}.c_proj", c))


def gpt_mlp(m, x, name):
    y = m.linear(x, f"{name}.c_fc", m.o.inner)
    y = m.op(f"nn.gelu tanh {y.name} : {y.type}", [(y.shape, y.element)])
    return m.dropout(m.linear(y, f"{name}.c_proj", m.o.width))


def gpt(m, block):
    o = m.o
    m.at = "wte"
    wte = m.param("wte.weight", (o.vocab, o.width))
    x = m.embedding(m.tokens, wte)
    m.at = "wpe"
    wpe = m.param("wpe.weight", (o.seq + o.more_positions, o.width))
    if o.wpe == "slice":
        pos = m.slice(wpe, 0, 0, o.seq)
    else:
        pos = m.embedding(m.positions, wpe)
    x = m.dropout(m.sum(x, m.broadcast(pos, x.shape, (1, 2))))
    for i in range(o.layers):
        p = f"h.{i}"
        if block == "pre":
            y = gpt_attention(m, m.layer_norm(x, f"{p}.ln_1"), f"{p}.attn")
            x = m.sum(x, y)
            y = gpt_mlp(m, m.layer_norm(x, f"{p}.ln_2"), f"{p}.mlp")
            x = m.sum(x, y)
        elif block == "post":
            x = m.layer_norm(m.sum(x, gpt_attention(m, x, f"{p}.attn")),
                             f"{p}.ln_1")
            x = m.layer_norm(m.sum(x, gpt_mlp(m, x, f"{p}.mlp")),
                             f"{p}.ln_2")
        else:
            y = m.layer_norm(x, f"{p}.ln_1")
            x = m.sum(x, gpt_attention(m, y, f"{p}.attn"),
                      gpt_mlp(m, y, f"{p}.mlp"))
    return m.logits(m.layer_norm(x, "ln_f"), wte)


def gated_mlp(m, x, name):
    o = m.o
    if o.fused_gate:
        u = m.linear(x, f"{name}.gate_up_proj", 0, bias=False,
                     spec="bsk,kpn->bspn", shape=(o.width, 2, o.inner))
        gate, up = (m.select(u, 2, j) for j in range(2))
    else:
        gate, up = (m.linear(x, f"{name}.{n}_proj", o.inner, bias=False)
                    for n in ("gate", "up"))
    u = m.mul(m.unary("silu", gate), up)
    return m.linear(u, f"{name}.down_proj", o.width, bias=False)


def mixture(m, x, name):
    """Experts. Each token chooses by its scores, or its id chooses for it. The
    scores of the chosen ones are scaled to the sum 1."""
    o = m.o
    m.at = f"{name}.router"
    router = m.param(f"{name}.router.weight", (o.experts, o.width))
    scores = m.unary("softmax", m.contract("bsh,eh->bse", x, router))
    if o.routing == "hash":
        rows = [[(7 * token + 3 * choice * (token % 2 + 1)) % o.experts
                 for choice in range(o.choices)] for token in range(o.vocab)]
        shape = (o.vocab, o.choices)
        table = m.op(f"nn.constant dense<{rows}> : {tensor(shape, 'i32')}",
                     [(shape, "i32")])
        ids = m.embedding(m.tokens, table)
    else:
        shape = x.shape[:2] + (o.choices,)
        ids = m.op(f"nn.top_k {scores.name} : {scores.type} -> "
                   f"{tensor(shape, 'i32')}", [(shape, "i32")])
    gates = m.op(
        f"nn.pick {scores.name}, {ids.name} : {scores.type}, {ids.type} -> "
        f"{tensor(ids.shape)}", [(ids.shape, "f32")])
    total = m.broadcast(m.reduce(gates, [2]), gates.shape, (0, 1))
    gates = m.op(f"nn.div {gates.name}, {total.name} : {gates.type}",
                 [(gates.shape, "f32")])
    m.at = f"{name}.experts"
    w1 = m.param(f"{name}.experts.gate_up_proj",
                 (o.experts, 2, o.inner, o.width))
    w2 = m.param(f"{name}.experts.down_proj", (o.experts, o.width, o.inner))
    operands, biases = [x, ids, gates, w1], ""
    if o.expert_bias:
        b1 = m.param(f"{name}.experts.gate_up_bias", (o.experts, 2, o.inner),
                     decay=False)
        operands.append(b1)
        biases = f"b1 {b1.name} "
    operands.append(w2)
    types = ", ".join(v.type for v in operands)
    y = m.op(f"nn.experts silu {x.name} ids {ids.name} gates {gates.name} "
             f"w1 {w1.name} {biases}w2 {w2.name} : ({types}) -> {x.type}",
             [(x.shape, x.element)])
    terms = [y]
    if o.expert_bias:
        b2 = m.param(f"{name}.experts.down_bias", (o.experts, o.width),
                     decay=False)
        weights = m.op(
            f"nn.spread {gates.name}, {ids.name} : {gates.type}, {ids.type} -> "
            f"{scores.type}", [(scores.shape, "f32")])
        terms.append(m.contract("bse,eh->bsh", weights, b2))
    if o.shared_expert:
        terms.append(gated_mlp(m, x, f"{name}.shared_expert"))
    return m.sum(*terms) if len(terms) > 1 else y


def llama(m, mlp=gated_mlp):
    o = m.o
    d = o.width // o.heads
    m.at = "embed_tokens"
    wte = m.param("embed_tokens.weight", (o.vocab, o.width))
    x = m.embedding(m.tokens, wte)
    for i in range(o.layers):
        p = f"layers.{i}"
        y = m.rms_norm(x, f"{p}.input_layernorm")
        a = f"{p}.self_attn"

        def project(name, count):
            return m.heads(m.linear(y, f"{a}.{name}", count * d, bias=False),
                           count)

        q = m.rope(project("q_proj", o.heads), m.positions)
        k = m.rope(project("k_proj", o.kv_heads), m.positions)
        v = project("v_proj", o.kv_heads)
        z = m.attend(q, k, v, m.positions, m.positions, a)
        z = m.linear(z, f"{a}.o_proj", o.width, bias=False)
        x = m.sum(x, m.dropout(z))
        y = m.rms_norm(x, f"{p}.post_attention_layernorm")
        x = m.sum(x, m.dropout(mlp(m, y, f"{p}.mlp")))
    return m.logits(m.rms_norm(x, "norm"), wte)


def encdec(m):
    """Pre-LN encoder and decoder that share the table. The source is another
    input of the model, with separate positions, or the tokens themselves."""
    o = m.o
    source, at = m.tokens, m.positions
    if not o.own_source:
        source = m.arg("source", "data", [o.batch, o.source_seq])
        at = m.arg("source_positions", "positions", [o.source_seq])

    def attention(x, memory, name, q_pos, k_pos, causal):
        q, k, v = (m.heads(m.linear(y, f"{name}.{n}_proj", o.width), o.heads)
                   for n, y in (("q", x), ("k", memory), ("v", memory)))
        y = m.attend(q, k, v, q_pos, k_pos, name, causal)
        return m.linear(y, f"{name}.out_proj", o.width)

    def mlp(x, name):
        y = m.linear(x, f"{name}.fc1", o.inner)
        y = m.unary("gelu", y)
        return m.linear(y, f"{name}.fc2", o.width)

    m.at = "shared"
    wte = m.param("shared.weight", (o.vocab, o.width))
    e, x = m.embedding(source, wte), m.embedding(m.tokens, wte)
    for i in range(o.layers):
        p = f"encoder.{i}"
        y = m.layer_norm(e, f"{p}.ln_1")
        e = m.sum(e, attention(y, y, f"{p}.self_attn", at, at, False))
        e = m.sum(e, mlp(m.layer_norm(e, f"{p}.ln_2"), f"{p}.mlp"))
    e = m.layer_norm(e, "encoder.ln_f")
    for i in range(o.layers):
        p, pos = f"decoder.{i}", m.positions
        y = m.layer_norm(x, f"{p}.ln_1")
        x = m.sum(x, attention(y, y, f"{p}.self_attn", pos, pos, True))
        y = m.layer_norm(x, f"{p}.ln_2")
        x = m.sum(x, attention(y, e, f"{p}.cross_attn", pos, at, False))
        x = m.sum(x, mlp(m.layer_norm(x, f"{p}.ln_3"), f"{p}.mlp"))
    return m.logits(m.layer_norm(x, "decoder.ln_f"), wte)


def lora(m):
    """RMS norm and an MLP whose two weights have low-rank companions."""
    o = m.o
    m.at = "wte"
    wte = m.param("wte.weight", (o.vocab, o.width))
    x = m.embedding(m.tokens, wte)
    for i in range(o.layers):
        p = f"h.{i}.mlp"

        def adapted(x, name, n):
            low = m.linear(x, f"{p}.{name}.lora_A", o.low_rank, bias=False)
            return (m.linear(x, f"{p}.{name}", n, bias=False),
                    m.linear(low, f"{p}.{name}.lora_B", n, bias=False))

        y = m.rms_norm(x, f"h.{i}.norm")
        y = m.unary("gelu", m.sum(*adapted(y, "c_fc", o.inner)))
        x = m.sum(x, *adapted(y, "c_proj", o.width))
    return m.logits(x, wte)


FAMILIES = {
    "gpt": lambda m: gpt(m, "pre"),
    "gpt-post": lambda m: gpt(m, "post"),
    "gpt-parallel": lambda m: gpt(m, "parallel"),
    "llama": llama,
    "moe": lambda m: llama(m, mixture),
    "encdec": encdec,
    "lora": lora,
}


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("family", choices=sorted(FAMILIES))
    for name, value, what in (
            ("layers", 2, "blocks (of encoder and of decoder)"),
            ("batch", 4, "rows of a microbatch"),
            ("seq", 8, "sequence length"),
            ("source-seq", 12, "length of encdec's source"),
            ("width", 16, "hidden size"),
            ("inner", 32, "hidden size of the MLP"),
            ("heads", 4, "query heads"),
            ("kv-heads", 2, "key and value heads (llama, moe)"),
            ("experts", 4, "experts of a layer (moe)"),
            ("choices", 2, "experts of a token (moe)"),
            ("vocab", 24, "classes"),
            ("more-positions", 4, "rows of the position table beyond --seq"),
            ("low-rank", 2, "rank of lora's companions")):
        p.add_argument(f"--{name}", type=int, default=value, help=what)
    p.add_argument("--dropout", type=float, default=0.0,
                   help="probability; 0: no dropout ops")
    p.add_argument("--no-attention-dropout", dest="attention_dropout",
                   action="store_false", help="dropout elsewhere only")
    p.add_argument("--element", default="f32", help="of parameters")
    p.add_argument("--qkv", default="factored",
                   choices=["separate", "factored", "interleaved", "naive"])
    p.add_argument("--attention", default="fused",
                   choices=["fused", "primitive"])
    p.add_argument("--distance-bias", action="store_true",
                   help="scores fall with the distance, by constants")
    p.add_argument("--wpe", default="embedding", choices=["embedding", "slice"])
    p.add_argument("--fused-gate", action="store_true",
                   help="gate and up as one weight (llama)")
    p.add_argument("--routing", default="top_k", choices=["top_k", "hash"],
                   help="experts by scores, or by token ids (moe)")
    p.add_argument("--expert-bias", action="store_true",
                   help="experts have biases (moe)")
    p.add_argument("--shared-expert", action="store_true",
                   help="an MLP for all tokens beside the experts (moe)")
    p.add_argument("--own-source", action="store_true",
                   help="encodes the tokens to decode (encdec)")
    p.add_argument("--no-bias", dest="bias", action="store_false")
    p.add_argument("--untied", dest="tied", action="store_false",
                   help="a head with a weight of its own")
    options = p.parse_args()
    model = Model(options)
    model.print(FAMILIES[options.family](model))


if __name__ == "__main__":
    main()
