"""The source of positions and masks, which the model computes once."""


def positions(c):
    """(lines of __init__, lines of forward on x, lines that compute `bias`)."""
    kind = c["positions"]
    angles = ["where = torch.arange({0})[:, None].float() * 10000.0 ** "
              "(-torch.arange(0, D, 2).float() / D)"]
    table = [angles[0].format("T_MAX"), "pe = torch.zeros(T_MAX, D)",
             "pe[:, 0::2], pe[:, 1::2] = where.sin(), where.cos()"]
    if kind == "learned":
        return (["self.wpe = nn.Embedding(T_MAX, D)"],
                ["x = x + self.wpe(torch.arange(x.shape[1]))"], [])
    if kind == "parameter":
        return (["self.pos = nn.Parameter(torch.randn(1, T_MAX, D) * 0.3)"],
                ["x = x + self.pos[:, :x.shape[1]]"], [])
    if kind == "sinusoid-buffer":
        return (table + ["self.register_buffer('pe', pe[None])"],
                ["x = x + self.pe[:, :x.shape[1]]"], [])
    if kind == "sinusoid-unsaved":
        return (table + ["self.register_buffer('pe', pe, persistent=False)"],
                ["x = x + self.pe[:x.shape[1]].unsqueeze(0)"], [])
    if kind == "sinusoid-computed":
        return ([], [angles[0].format("x.shape[1]"),
                     "x = x + torch.cat((where.sin(), where.cos()), -1)"
                     ".to(x.dtype)"], [])
    slopes = "2.0 ** (-8.0 * torch.arange(1, H + 1).float() / H)"
    grid = "torch.arange(T)[None, :] - torch.arange(T)[:, None]"
    if kind == "alibi-computed":
        return ([], [], [f"slopes = {slopes}",
                         f"distance = -({grid}).abs().to(x.dtype)",
                         "bias = (slopes.view(1, H, 1, 1).to(x.dtype) "
                         "* distance)"])
    if kind == "alibi-slopes":
        return ([f"self.register_buffer('slopes', {slopes})"], [],
                [f"distance = ({grid}).to(x.dtype)",
                 "bias = self.slopes.view(1, -1, 1, 1) * "
                 "-distance.abs()[None, None]"])
    if kind == "alibi-cached":
        return ([f"slopes = {slopes}",
                 f"grid = {grid.replace('(T)', '(T_MAX)')}",
                 "self.register_buffer('alibi', (slopes.view(H, 1, 1) * "
                 "-grid.abs())[None], persistent=False)"], [],
                ["bias = self.alibi[:, :, :T, :T]"])
    if kind in ("t5-buckets", "t5-shared"):
        return (["self.relative_attention_bias = nn.Embedding(8, H)"], [],
                [f"distance = ({grid}).clamp(-6, 6).abs()",
                 "far = 3 + (torch.log(distance.float().clamp(min=1) / 3) "
                 "* 2).long()",
                 "bucket = torch.where(distance < 4, distance, "
                 "far.clamp(max=7))",
                 "bias = self.relative_attention_bias(bucket)"
                 ".permute(2, 0, 1).unsqueeze(0)"])
    if kind == "table":
        return (["self.bias_table = nn.Parameter("
                 "torch.randn(2 * T_MAX - 1, H) * 0.3)",
                 "grid = torch.arange(T_MAX)[None, :] - "
                 "torch.arange(T_MAX)[:, None] + T_MAX - 1",
                 "self.register_buffer('offsets', grid)"], [],
                ["bias = self.bias_table[self.offsets[:T, :T]]"
                 ".permute(2, 0, 1)[None]"])
    return [], [], []


def masks(c):
    """(lines of __init__, lines that compute `visible`, `causal` and
    `bias`)."""
    kind, init, lines = c["causal"], [], ["visible, causal = None, False"]
    triangle = {
        "tril": "torch.tril(torch.ones(T, T)).bool()[None, None]",
        "buffer": "self.triangle[:, :, :T, :T] != 0",
        "triu-buffer": "~self.hidden[:T, :T][None, None]",
        "compare": "(torch.arange(T)[:, None] >= torch.arange(T)[None, :])"
                   "[None, None]",
        "additive": "torch.ones(T, T, dtype=torch.bool).tril()"
                    ".view(1, 1, T, T)",
        "ones-like": "torch.ones_like(input_ids[0][:, None] * "
                     "input_ids[0][None, :]).tril().bool()[None, None]",
        "window": "((torch.arange(T)[:, None] >= torch.arange(T)[None, :]) & "
                  "(torch.arange(T)[:, None] - torch.arange(T)[None, :] < 4))"
                  "[None, None]",
    }
    if kind == "buffer":
        init.append("self.register_buffer('triangle', torch.tril(torch.ones("
                    "T_MAX, T_MAX)).view(1, 1, T_MAX, T_MAX))")
    if kind == "triu-buffer":
        init.append("self.register_buffer('hidden', torch.triu(torch.ones("
                    "T_MAX, T_MAX), 1).bool(), persistent=False)")
    if kind in triangle:
        lines.append(f"visible = {triangle[kind]}")
    if kind == "is-causal" or (kind != "none" and c["projection"] == "module"):
        lines.append("causal = True")
    if kind == "additive-buffer":
        init.append("self.register_buffer('causal_mask', torch.triu(torch."
                    "full((T_MAX, T_MAX), -1e9), 1)[None, None])")
        lines.append("hidden = self.causal_mask[:, :, :T, :T]")
        lines.append("bias = hidden if bias is None else bias + hidden")
    return init, lines


def keys_visible(c, name):
    """The expression of the keys that padding leaves visible."""
    if c["padding"] == "product":
        return (f"({name}[:, None, None, :] * {name}[:, None, :, None])"
                ".bool()")
    return f"{name}[:, None, None, :].bool()"


def additive(c, name):
    """Lines that turn booleans into the numbers to add."""
    if not c["fill"].startswith("additive"):
        return []
    least = "-1e4" if c["fill"] == "additive-1e4" else \
        "torch.finfo(x.dtype).min"
    return [f"if {name} is not None:",
            f"    {name} = (1.0 - {name}.to(x.dtype)) * {least}"]
