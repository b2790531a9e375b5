"""The source of attention in one of many forms.

    class Attention(nn.Module):
        forward(x, memory, visible, bias)
            x [B, T, D] has the queries, memory [B, S, D] keys and values;
            visible: None or booleans [B or 1, 1, T, S]; bias: None or numbers
            [1, H, T, S].

If the mask is applied by "additive-...", `visible` has the numbers to add,
which the model computes once.
"""

SCALE = "DH ** -0.5"


def projections(c):
    """(lines of __init__, lines of forward up to q, k, v of [B, H, T, DH])."""
    kind, bias = c["projection"], c["attention-bias"]

    def linear(a, b):
        return f"nn.Linear({a}, {b}, bias={bias})"

    split = "view(B, -1, H, DH).transpose(1, 2)"
    three = ["q, k, v = ({0}.view(B, T, H, DH).transpose(1, 2)"
             .format("t") + " for t in (q, k, v))"]
    fused = [f"self.qkv = {linear('D', '3 * D')}"]
    if kind == "fused-split":
        return fused, ["q, k, v = self.qkv(x).split(D, dim=2)"] + three
    if kind == "fused-chunk":
        return fused, ["q, k, v = self.qkv(x).chunk(3, dim=-1)"] + three
    if kind == "fused-view":
        return fused, ["qkv = self.qkv(x).reshape(B, T, 3, H, DH)",
                       "qkv = qkv.permute(2, 0, 3, 1, 4)",
                       "q, k, v = qkv[0], qkv[1], qkv[2]"]
    if kind == "fused-unbind":
        return fused, ["qkv = self.qkv(x).view(B, T, 3, H, DH)",
                       "q, k, v = qkv.transpose(1, 3).unbind(2)"]
    if kind == "fused-by-head":
        return fused, ["qkv = self.qkv(x).view(B, T, H, 3 * DH)",
                       "q, k, v = qkv.transpose(1, 2).chunk(3, dim=-1)"]
    if kind == "fused-slices":
        return fused, ["qkv = self.qkv(x)",
                       "q, k, v = qkv[..., :D], qkv[..., D:2 * D], "
                       "qkv[..., 2 * D:]"] + three
    if kind == "parameter":
        init = ["self.in_proj_weight = "
                "nn.Parameter(torch.randn(3 * D, D) * 0.2)",
                "self.in_proj_bias = nn.Parameter(torch.randn(3 * D) * 0.1)"]
        return init, ["q, k, v = F.linear(x, self.in_proj_weight, "
                      "self.in_proj_bias).chunk(3, dim=-1)"] + three
    if kind == "einsum":
        init = [f"self.w_{n} = nn.Parameter(torch.randn(D, H, DH) * 0.2)"
                for n in "qkv"]
        return init, ["q = torch.einsum('btd,dhk->bhtk', x, self.w_q)",
                      "k = torch.einsum('btd,dhk->bhtk', memory, self.w_k)",
                      "v = torch.einsum('btd,dhk->bhtk', memory, self.w_v)"]
    if kind == "conv1d":
        return ["self.c_attn = Conv1D(D, 3 * D)"], [
            "q, k, v = self.c_attn(x).split(D, dim=2)"] + three
    if kind in ("heads-stacked", "heads-apart"):
        init = [f"self.{n} = nn.ModuleList([{linear('D', 'DH')} "
                "for _ in range(H)])" for n in ("query", "key", "value")]
        return init, [
            f"{n} = torch.stack([m({src}) for m in self.{full}], 1)"
            for n, src, full in (("q", "x", "query"), ("k", "memory", "key"),
                                 ("v", "memory", "value"))]
    # Projections of cross attention.
    if kind == "fused-cross":
        init = ["self.in_proj_weight = "
                "nn.Parameter(torch.randn(3 * D, D) * 0.2)",
                "self.in_proj_bias = nn.Parameter(torch.randn(3 * D) * 0.1)"]
        return init, [
            "wq, wk, wv = self.in_proj_weight.chunk(3)",
            "bq, bk, bv = self.in_proj_bias.chunk(3)",
            f"q = F.linear(x, wq, bq).{split}",
            f"k = F.linear(memory, wk, bk).{split}",
            f"v = F.linear(memory, wv, bv).{split}"]
    if kind == "fused-keys":
        return [f"self.q_proj = {linear('D', 'D')}",
                f"self.kv = {linear('D', '2 * D')}"], [
            f"q = self.q_proj(x).{split}",
            "k, v = self.kv(memory).chunk(2, dim=-1)",
            f"k, v = k.{split}, v.{split}"]
    kv = {"grouped": "H // 2", "one-kv-head": "1"}.get(kind, "H")
    init = [f"self.q_proj = {linear('D', 'D')}",
            f"self.k_proj = {linear('D', f'{kv} * DH')}",
            f"self.v_proj = {linear('D', f'{kv} * DH')}"]
    lines = [f"q = self.q_proj(x).{split}",
             f"k = self.k_proj(memory).{split.replace('H,', kv + ',')}",
             f"v = self.v_proj(memory).{split.replace('H,', kv + ',')}"]
    return init, lines


def repeats(c):
    """Lines that repeat keys and values for every query head."""
    kind = c["projection"]
    if kind == "grouped":
        if c["layers"] % 2:
            return ["k = k.repeat_interleave(2, dim=1)",
                    "v = v.repeat_interleave(2, dim=1)"]
        return ["k, v = (t[:, :, None].expand(-1, -1, 2, -1, -1)"
                ".reshape(B, H, -1, DH) for t in (k, v))"]
    if kind == "one-kv-head" and not c["scores"].startswith("sdpa") \
            and c["scores"] not in ("bmm", "baddbmm", "einsum"):
        return []  # broadcast
    if kind == "one-kv-head":
        return ["k = k.expand(-1, H, -1, -1)", "v = v.expand(-1, H, -1, -1)"]
    return []


def masked(c):
    """Lines that apply `visible` to `scores`."""
    apply = {
        "masked-fill-inf": ["scores = scores.masked_fill(~visible, "
                            "float('-inf'))"],
        "masked-fill-min": ["scores = scores.masked_fill(~visible, "
                            "torch.finfo(scores.dtype).min)"],
        "where": ["scores = torch.where(visible, scores, "
                  "torch.full_like(scores, -1e9))"],
        "additive-min": ["scores = scores + visible"],
        "additive-1e4": ["scores = scores + visible"],
        "multiply": ["seen = visible.to(scores.dtype)",
                     "scores = scores * seen - 1e4 * (1 - seen)"],
    }[c["fill"]]
    return ["if visible is not None:"] + ["    " + line for line in apply]


def biased(c):
    if c["causal"] == "additive-buffer" or c["positions"].startswith(
            ("alibi", "t5", "table")):
        return ["if bias is not None:", "    scores = scores + bias"]
    return []


def attend(c):
    """Lines from q, k, v to the heads' results, `out` [B, h, T, DH]."""
    kind = c["scores"]
    lines = []
    if c["extra"] == "query-norm":
        lines += ["q = q * torch.rsqrt(q.pow(2).mean(-1, keepdim=True) + 1e-5)"
                  " * self.q_norm",
                  "k = k * torch.rsqrt(k.pow(2).mean(-1, keepdim=True) + 1e-5)"
                  " * self.k_norm"]
    if c["extra"] == "temperature":
        lines.append("q = q * self.temperature")
    if kind.startswith("sdpa"):
        scale = ", scale=0.3" if kind == "sdpa-scale" else ""
        if c["causal"] == "is-causal":
            lines.append("out = F.scaled_dot_product_attention(q, k, v, "
                         f"is_causal=causal{scale})")
            return lines
        lines.append("mask = visible")
        if biased(c):
            lines += ["if bias is not None:",
                      "    mask = bias if mask is None else "
                      + ("bias + mask" if c["fill"].startswith("additive")
                         else "bias.masked_fill(~mask, -1e9)")]
        lines.append("out = F.scaled_dot_product_attention(q, k, v, "
                     f"attn_mask=mask{scale})")
        return lines
    flat = ["b, h, t, d = q.shape", "s = k.shape[2]"]
    if kind == "bmm":
        lines += flat + [
            "scores = torch.bmm(q.reshape(b * h, t, d), "
            "k.reshape(b * h, s, d).transpose(1, 2))",
            f"scores = scores.view(b, h, t, s) * {SCALE}"]
    elif kind == "baddbmm":
        lines += flat + [
            "start = torch.zeros(b * h, t, s, dtype=q.dtype)",
            "scores = torch.baddbmm(start, q.reshape(b * h, t, d), "
            "k.reshape(b * h, s, d).transpose(1, 2), "
            f"beta=1.0, alpha={SCALE}).view(b, h, t, s)"]
    else:
        product = "q @ k.transpose(-2, -1)"
        if kind == "mul":
            product = f"torch.matmul(q, k.transpose(2, 3)) * {SCALE}"
        elif kind == "scaled-query":
            product = f"(q * {SCALE}) @ k.transpose(-2, -1)"
        elif kind == "scaled-both":
            product = "(q * DH ** -0.25) @ (k * DH ** -0.25).transpose(-2, -1)"
        elif kind == "einsum":
            product = f"torch.einsum('bhtd,bhsd->bhts', q, k) * {SCALE}"
        elif kind != "unscaled":
            product = f"({product}) / math.sqrt(DH)"
        lines.append(f"scores = {product}")
    if c["positions"] == "shaw":
        lines += ["where = torch.arange(k.shape[2])[None, :] - "
                  "torch.arange(q.shape[2])[:, None] + T_MAX - 1",
                  "scores = scores + torch.einsum('bhtd,tsd->bhts', q, "
                  "self.distance(where))"]
    lines += biased(c)
    if c["extra"] == "softcap":
        lines.append("scores = torch.tanh(scores / 5.0) * 5.0")
    lines += masked(c)
    if c["extra"] == "sink":
        lines += ["sink = self.sinks.view(1, -1, 1, 1).expand("
                  "scores.shape[0], -1, scores.shape[2], -1)",
                  "weights = torch.cat([scores, sink], dim=-1).softmax(-1)"
                  "[..., :-1]"]
    elif kind == "manual-softmax":
        lines += ["e = torch.exp(scores - scores.amax(-1, keepdim=True))",
                  "weights = e / e.sum(-1, keepdim=True)"]
    else:
        lines.append("weights = F.softmax(scores, dim=-1)")
    if c["extra"] == "einsum-gate":
        lines.append("out = torch.einsum('bhts,bhsd,h->bhtd', weights, v, "
                     "self.head_gate)")
    elif kind == "einsum":
        lines.append("out = torch.einsum('bhts,bhsd->bhtd', weights, v)")
    elif kind in ("bmm", "baddbmm"):
        lines += ["out = torch.bmm(weights.view(b * h, t, s), "
                  "v.reshape(b * h, s, d)).view(b, h, t, d)"]
    else:
        lines.append("out = weights @ v")
    return lines


def rotary(c):
    kind = c["positions"]
    if not kind.startswith("rotary"):
        return []
    if kind == "rotary-cached":
        angles = ["cos, sin = self.cos[:T], self.sin[:T]"]
    elif kind == "rotary-partial":
        angles = ["angles = torch.einsum('i,j->ij', torch.arange(T)"
                  ".to(x.dtype), self.inv_freq.to(x.dtype))",
                  "angles = torch.cat((angles, angles), dim=-1)",
                  "cos, sin = angles.cos(), angles.sin()"]
    elif kind == "rotary-pairs":
        angles = ["angles = torch.outer(torch.arange(T, dtype=x.dtype), "
                  "self.inv_freq.to(x.dtype))",
                  "cos, sin = angles.cos(), angles.sin()"]
    else:
        angles = ["angles = torch.arange(T)[:, None].to(x.dtype) * "
                  "self.inv_freq[None, :].to(x.dtype)",
                  "angles = torch.cat((angles, angles), dim=-1)",
                  "cos, sin = angles.cos(), angles.sin()"]
    turn = {"rotary-pairs": "rotate_pairs", "rotary-partial": "rotate_part"}
    turn = turn.get(kind, "rotate_half")
    return angles + [f"q, k = {turn}(q, cos, sin), {turn}(k, cos, sin)"]


ROTARY_INIT = {
    "rotary-cached": [
        "angles = torch.outer(torch.arange(T_MAX).float(), 100.0 ** "
        "(-torch.arange(0, DH, 2).float() / DH))",
        "angles = torch.cat((angles, angles), dim=-1)",
        "self.register_buffer('cos', angles.cos())",
        "self.register_buffer('sin', angles.sin())"],
    "rotary-partial": [
        "self.register_buffer('inv_freq', 100.0 ** (-torch.arange(0, "
        "DH // 2, 2).float() / (DH // 2)))"],
}
ROTARY_PLAIN = ["self.register_buffer('inv_freq', 100.0 ** (-torch.arange("
                "0, DH, 2).float() / DH), persistent=False)"]


def native(c):
    """PyTorch's own module."""
    minus = "-1e4" if c["fill"] == "additive-1e4" else "float('-inf')"
    init = ["self.mha = nn.MultiheadAttention(D, H, batch_first=True, "
            f"bias={c['attention-bias']})"]
    lines = ["hidden, unread = None, None",
             "if causal:",
             "    hidden = torch.triu(torch.full((T, T), "
             f"{minus}, dtype=x.dtype), 1)",
             "if keys is not None:",
             "    unread = torch.zeros(keys.shape, dtype=x.dtype)"
             ".masked_fill(keys == 0, float('-inf'))",
             "out, _ = self.mha(x, memory, memory, attn_mask=hidden, "
             "key_padding_mask=unread, need_weights=False)",
             "return out"]
    return init, lines


def source(c):
    """The class Attention."""
    text = ["class Attention(nn.Module):",
            "    def __init__(self):",
            "        super().__init__()"]

    def add(lines, depth):
        text.extend("    " * depth + line for line in lines)

    head = ["def forward(self, x, memory, visible, bias, causal, keys):",
            "    B, T, _ = x.shape"]
    if c["projection"] == "module":
        init, lines = native(c)
        add(init, 2)
        add([""] + head, 1)
        add(lines, 2)
        return "\n".join(text) + "\n\n\n"
    init, lines = projections(c)
    add(init, 2)
    add([f"self.out = nn.Linear(D, D, bias={c['attention-bias']})"], 2)
    if c["positions"].startswith("rotary"):
        add(ROTARY_INIT.get(c["positions"], ROTARY_PLAIN), 2)
    if c["positions"] == "shaw":
        add(["self.distance = nn.Embedding(2 * T_MAX - 1, DH)"], 2)
    add({"sink": ["self.sinks = nn.Parameter(torch.randn(H))"],
         "query-norm": ["self.q_norm = nn.Parameter(torch.ones(DH))",
                        "self.k_norm = nn.Parameter(torch.ones(DH))"],
         "temperature": ["self.temperature = nn.Parameter(torch.tensor(0.8))"],
         "head-gate": ["self.head_gate = nn.Parameter(torch.rand(H) + 0.5)"],
         "einsum-gate": ["self.head_gate = "
                         "nn.Parameter(torch.rand(H) + 0.5)"],
         }.get(c["extra"], []), 2)
    add([""] + head, 1)
    add(lines + rotary(c) + repeats(c), 2)
    if c["projection"] == "heads-apart":
        add(["out = torch.cat([self.attend(q[:, h:h + 1], k[:, h:h + 1], "
             "v[:, h:h + 1], visible,",
             "    None if bias is None else bias[:, h:h + 1] if "
             "bias.shape[1] > 1 else bias, causal, h) for h in range(H)], 1)"],
            2)
    else:
        add(["out = self.attend(q, k, v, visible, bias, causal, None)"], 2)
    if c["extra"] == "head-gate":
        add(["out = out * self.head_gate.view(1, H, 1, 1)"], 2)
    add(["out = out.transpose(1, 2).reshape(B, T, D)",
         "return self.out(out)", ], 2)
    add(["", "def attend(self, q, k, v, visible, bias, causal, head):"], 1)
    body = attend(c)
    if c["projection"] == "heads-apart":
        for name in ("sinks", "head_gate"):
            body = [l.replace(f"self.{name}", f"self.{name}[head:head + 1]")
                    for l in body]
    add(body + ["return out"], 2)
    return "\n".join(text) + "\n\n\n"
