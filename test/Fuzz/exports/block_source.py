"""The source of norms, MLPs and blocks."""

COMMON = '''
class Conv1D(nn.Module):
    """A linear layer whose weight is [in, out], as GPT-2's."""

    def __init__(self, a, b):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(a, b) * 0.2)
        self.bias = nn.Parameter(torch.randn(b) * 0.1)

    def forward(self, x):
        y = torch.addmm(self.bias, x.reshape(-1, x.shape[-1]), self.weight)
        return y.view(*x.shape[:-1], self.bias.shape[0])


'''

ROTATIONS = {
    "rotary-pairs": '''
def rotate_pairs(x, cos, sin):
    a, b = x[..., ::2], x[..., 1::2]
    turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)
    return turned.flatten(-2)


''',
    "rotary-partial": '''
def rotate_part(x, cos, sin):
    r = cos.shape[-1]
    head, tail = x[..., :r], x[..., r:]
    a, b = head.chunk(2, dim=-1)
    head = head * cos + torch.cat((-b, a), dim=-1) * sin
    return torch.cat((head, tail), dim=-1)


''',
}
ROTATE_HALF = '''
def rotate_half(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * cos + turned * sin


'''

NORMS = {
    "layer-manual": (
        ["self.weight = nn.Parameter(torch.ones(size))",
         "self.bias = nn.Parameter(torch.zeros(size))"],
        ["mean = x.mean(-1, keepdim=True)",
         "var = (x - mean).pow(2).mean(-1, keepdim=True)",
         "return (x - mean) / torch.sqrt(var + 1e-5) * self.weight "
         "+ self.bias"]),
    "rms": (
        ["self.weight = nn.Parameter(torch.ones(size))"],
        ["x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)",
         "return self.weight * x"]),
    "rms-div": (
        ["self.scale = nn.Parameter(torch.rand(size) + 0.5)"],
        ["rms = torch.sqrt((x * x).mean(dim=-1, keepdim=True) + 1e-6)",
         "return x / rms * self.scale"]),
    "rms-plus-one": (
        ["self.weight = nn.Parameter(torch.zeros(size))"],
        ["x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)",
         "return x * (1.0 + self.weight)"]),
    "scale": (
        ["self.g = nn.Parameter(torch.tensor(float(size) ** 0.5))"],
        ["n = torch.norm(x, dim=-1, keepdim=True).clamp(min=1e-5)",
         "return self.g * x / n"]),
    "l2": ([], ["return F.normalize(x, dim=-1) * 4.0"]),
    "none": ([], ["return x"]),
}
MODULE_NORMS = {
    "layer": "nn.LayerNorm({})",
    "layer-no-bias": "nn.LayerNorm({}, bias=False)",
    "layer-plain": "nn.LayerNorm({}, elementwise_affine=False)",
    "rms-module": "nn.RMSNorm({}, eps=1e-6)",
}


def norm(c, size="D"):
    """The expression that creates a norm."""
    return MODULE_NORMS.get(c["norm"], "Norm({})").format(size)


def norm_source(c):
    if c["norm"] in MODULE_NORMS:
        return ""
    init, forward = NORMS[c["norm"]]
    lines = ["class Norm(nn.Module):", "    def __init__(self, size):",
             "        super().__init__()"]
    lines += ["        " + l for l in init]
    lines += ["", "    def forward(self, x):"]
    lines += ["        " + l for l in forward]
    return "\n".join(lines) + "\n\n\n"


GATED = {"swiglu": "F.silu(self.gate(x))",
         "geglu": "F.gelu(self.gate(x))"}
ACTIVATIONS = {
    "gelu": "F.gelu(h)", "gelu-tanh": "F.gelu(h, approximate='tanh')",
    "relu": "F.relu(h)", "silu": "F.silu(h)", "tanh": "torch.tanh(h)",
    "squared-relu": "F.relu(h).pow(2)", "residual": "h + F.relu(h)",
    "quick-gelu": "h * torch.sigmoid(1.702 * h)",
}


def mlp_source(c):
    kind = c["mlp"]
    init = ["self.up = nn.Linear(D, INNER)", "self.down = nn.Linear(INNER, D)"]
    body = ["h = self.up(x)"]
    if kind in GATED:
        init.append("self.gate = nn.Linear(D, INNER, bias=False)")
        body = [f"h = {GATED[kind]} * self.up(x)"]
    elif kind == "glu-chunk":
        init[0] = "self.up = nn.Linear(D, 2 * INNER)"
        body = ["a, b = self.up(x).chunk(2, dim=-1)",
                "h = a * torch.sigmoid(b)"]
    else:
        body.append(f"h = {ACTIVATIONS[kind]}")
    lines = ["class MLP(nn.Module):", "    def __init__(self):",
             "        super().__init__()"]
    lines += ["        " + l for l in init]
    lines += ["", "    def forward(self, x):"]
    lines += ["        " + l for l in body]
    lines += ["        return self.down(h)"]
    return "\n".join(lines) + "\n\n\n"


GATES = {
    "none": ([], "{0}"),
    "rezero": (["self.alpha{1} = nn.Parameter(torch.full((1,), 0.3))"],
               "self.alpha{1} * {0}"),
    "layer-scale": (["self.gamma{1} = nn.Parameter(0.3 * torch.ones(D))"],
                    "self.gamma{1} * {0}"),
    "highway": (["self.router{1} = nn.Linear(D, D)"],
                "torch.sigmoid(self.router{1}(x)) * {0}"),
    "residual-scalar": (["self.lam{1} = nn.Parameter(torch.tensor(0.9))"],
                        "(self.lam{1} - 1.0) * x + {0}"),
    "tanh-gate": (["self.attn_gate{1} = nn.Parameter(torch.zeros(1, 1) + 0.5)"],
                  "{0} * self.attn_gate{1}.tanh()"),
}


def block_source(c, cross):
    """The class Block: forward(x, visible, bias, causal, keys) and, if
    `cross`, the arguments of cross attention."""
    place, init, body = c["place"], [], []
    shared = c["share"] == "norm"

    def normed(name, value):
        if shared and name.startswith("norm"):
            name = "norm1"
        line = f"self.{name} = {norm(c)}"
        if line not in init:
            init.append(line)
        return f"self.{name}({value})"

    def add(result, number):
        lines, form = GATES[c["gate"]]
        init.extend(l.format("", number) for l in lines)
        return "x + " + form.format(result, number)

    init += ["self.attn = Attention()", "self.mlp = MLP()"]
    rest = "visible, bias, causal, keys"
    if place == "parallel":
        body += [f"y = {normed('norm1', 'x')}",
                 f"a = self.attn(y, y, {rest})"]
        if cross:
            init.append("self.cross = CrossAttention()")
            body.append("a = a + self.cross(y, memory, seen, None, False, "
                        "None)")
        body.append("h = a + self.mlp(y)")
        body.append("x = " + add("h", 1))
    else:
        steps = [("self.attn(y, y, {})".format(rest), 1)]
        if cross:
            init.append("self.cross = CrossAttention()")
            steps.append(("self.cross(y, memory, seen, None, False, None)", 3))
        steps.append(("self.mlp(y)", 2))
        for call, number in steps:
            pre = place in ("pre", "sandwich")
            body.append("y = " + (normed(f"norm{number}", "x") if pre
                                  else "x"))
            body.append(f"h = {call}")
            if place == "sandwich":
                body.append(f"h = {normed(f'after{number}', 'h')}")
            body.append("x = " + add("h", number))
            if place == "post":
                body.append(f"x = {normed(f'norm{number}', 'x')}")
    name = "CrossBlock" if cross else "Block"
    more = ", memory, seen" if cross else ""
    lines = [f"class {name}(nn.Module):", "    def __init__(self):",
             "        super().__init__()"]
    lines += ["        " + l for l in init]
    lines += ["", f"    def forward(self, x, {rest}{more}):"]
    lines += ["        " + l for l in body + ["return x"]]
    return "\n".join(lines) + "\n\n\n"
