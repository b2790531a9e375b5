"""The source of a whole module.

    MODULE.py holds sizes (D, H, ...), classes, `Model`, and
        INPUTS     name -> {"kind", "shape", "bound"}: how data are drawn
        TARGETS    the same for labels that the compiler's loss takes, or None
        LOSS       --loss, or None where the module computes its own
        TOLD       names of tensors that no export says are constants, of
                   TorchScript's and of others: a user passes --freeze
        SUSPECTS   tensors that a warning may name
    Shapes are without the batch; "T" is the sequence, "S" the encoder's.
"""

import attention_source
import block_source
import loss_source

VOCAB, CLASSES, BATCH = 50, 5, 8

# (lines of __init__, lines of forward) by choice of buffer.
BUFFERS = {
    "scale": (["self.register_buffer('scales', torch.rand(D) + 0.5)"],
              ["x = x * self.scales"], "scales"),
    "unsaved": (["self.register_buffer('factors', torch.rand(D) + 0.5, "
                 "persistent=False)"], ["x = x * self.factors"], "factors"),
    "shift": (["self.register_buffer('shift', torch.randn(1, 1, D) * 0.3)"],
              ["x = x + self.shift"], "shift"),
    "permutation": (["self.register_buffer('order', torch.randperm(D))"],
                    ["x = x[..., self.order]"], None),
    "single": (["self.register_buffer('factor', torch.tensor(0.7))"],
               ["x = x * self.factor"], "factor"),
    "statistics": (["self.register_buffer('mean', torch.randn(D) * 0.2)",
                    "self.register_buffer('std', torch.rand(D) + 0.5)"],
                   ["x = (x - self.mean) / self.std"], "mean|std"),
}
BUFFERS_OF_POSITIONS = {
    "sinusoid-buffer": ["pe"], "sinusoid-unsaved": ["pe"],
    "alibi-slopes": ["slopes"], "alibi-cached": ["alibi"],
    "rotary-cached": ["cos", "sin"],
}
SCALARS = {
    "temperature": (["self.temperature = nn.Parameter(torch.tensor(1.3))"],
                    ["x = x / self.temperature"], "temperature"),
    "gain": (["self.gain = nn.Parameter(torch.tensor([0.8]))"],
             ["x = x * self.gain"], "gain"),
    "gain-1x1": (["self.gain = nn.Parameter(torch.tensor([[0.8]]))"],
                 ["x = x * self.gain"], "gain"),
    "exp-scale": (["self.logit_scale = nn.Parameter(torch.tensor(0.3))"],
                  ["x = x * self.logit_scale.exp()"], "logit_scale"),
    "offset": (["self.offset = nn.Parameter(torch.tensor([0.2]))"],
               ["x = x + self.offset"], "offset"),
}
FOLDING = ("eval", "dynamo")
DETACHED = {
    "branch": (["self.side = nn.Linear(D, D)"],
               ["x = x + self.side(x.detach())"]),
    "no-grad": ([], ["with torch.no_grad():",
                     "    size = x.abs().mean(-1, keepdim=True) + 1.0",
                     "x = x / size"]),
    "data": (["self.side = nn.Linear(D, D)"],
             ["x = x + self.side(x.data)"]),
}
REVERSALS = {
    "flip-seq": ["x = x.flip(1)"],
    "flip-width": ["x = x.flip(-1)"],
    "roll": ["x = torch.roll(x, 1, dims=1)"],
    "shift": ["x = x + 0.5 * F.pad(x, (0, 0, 1, 0))[:, :-1]"],
}


def positions(c):
    """(lines of __init__, lines of forward on x, lines that make `bias`)."""
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
                 "self.register_buffer('index', grid)"], [],
                ["bias = self.bias_table[self.index[:T, :T]]"
                 ".permute(2, 0, 1)[None]"])
    return [], [], []


def masks(c):
    """(lines of __init__, lines that make `visible`, `causal` and `bias`)."""
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
    """The expression of what padding leaves visible."""
    if c["padding"] == "product":
        return (f"({name}[:, None, None, :] * {name}[:, None, :, None])"
                ".bool()")
    return f"{name}[:, None, None, :].bool()"


def additive(c, name):
    """Turns booleans into the numbers to be added."""
    if not c["fill"].startswith("additive"):
        return []
    least = "-1e4" if c["fill"] == "additive-1e4" else \
        "torch.finfo(x.dtype).min"
    return [f"if {name} is not None:",
            f"    {name} = (1.0 - {name}.to(x.dtype)) * {least}"]


class Module:
    """Collects the parts of the class Model."""

    def __init__(self, c):
        self.c = c
        self.init, self.body, self.inputs = [], [], {}
        self.told = {"torchscript": [], "any": []}
        self.suspects = []

    def part(self, init, body=()):
        self.init += init
        self.body += body

    def embed(self):
        c, kind = self.c, self.c["kind"]
        pad = ", padding_idx=3" if c["padding-idx"] else ""
        if kind == "vision":
            self.inputs["pixel_values"] = dict(kind="values",
                                               shape=(3, 8, 8))
            self.part(["self.patches = nn.Conv2d(3, D, 2, stride=2)"],
                      ["x = self.patches(pixel_values).flatten(2)"
                       ".transpose(1, 2)"])
        elif kind == "features":
            self.inputs["features"] = dict(kind="values", shape=("T", 6))
            self.part(["self.project = nn.Linear(6, D)"],
                      ["x = self.project(features)"])
        else:
            self.inputs["input_ids"] = dict(kind="ids", shape=("T",),
                                            bound=VOCAB)
            scale = " * math.sqrt(D)" if c["tie"] == "tied-scaled" else ""
            self.part([f"self.wte = nn.Embedding(V, D{pad})"],
                      [f"x = self.wte(input_ids){scale}"])
        if c["padding"] != "none":
            self.inputs["attention_mask"] = dict(kind="mask", shape=("T",))
        self.suspects += BUFFERS_OF_POSITIONS.get(c["positions"], [])
        init, body, self.bias = positions(c)
        self.part(init, body)

    def encode(self):
        """The encoder of an encoder-decoder, on the same table."""
        self.inputs["encoder_input_ids"] = dict(kind="ids", shape=("S",),
                                                bound=VOCAB)
        seen = ["seen = None"]
        if self.c["padding"] != "none":
            self.inputs["encoder_attention_mask"] = dict(kind="mask",
                                                         shape=("S",))
            seen = ["seen = encoder_attention_mask[:, None, None, :].bool()"]
        self.part(["self.encoder = Block0()"],
                  ["memory = self.wte(encoder_input_ids)"] + seen
                  + additive(self.c, "seen")
                  + ["memory = self.encoder(memory, seen, None, False, None)"])

    def blocks(self):
        c = self.c
        cross = c["kind"] == "encoder-decoder"
        self.body += ["T = x.shape[1]", "bias = None"] + self.bias
        init, lines = masks(c)
        self.part(init, lines)
        native = c["projection"] == "module"
        mask = "attention_mask" if c["padding"] != "none" else "None"
        if c["padding"] != "none" and not native:
            self.body += [f"keys = {keys_visible(c, mask)}",
                          "visible = keys if visible is None else "
                          "visible & keys"]
        if native:
            self.body.append("visible = None")
        self.body += additive(c, "visible")
        block = "CrossBlock()" if cross else "Block()"
        count = "1" if c["share"] == "block" else "L"
        self.init.append(f"self.blocks = nn.ModuleList([{block} "
                         f"for _ in range({count})])")
        call = (f"block(x, visible, bias, causal, {mask if native else None}"
                + (", memory, seen)" if cross else ")"))
        loop = "[self.blocks[0]] * L" if c["share"] == "block" else \
            "self.blocks"
        middle = []
        if c["buffer"] in BUFFERS:
            init, lines, name = BUFFERS[c["buffer"]]
            self.init += init
            self.body += lines
            if name:
                self.told["torchscript"].append(name)
                self.suspects += name.split("|")
        if c["detach"] != "none":
            init, lines = DETACHED[c["detach"]]
            self.part(init, lines)
        if c["reversal"] != "none":
            middle = REVERSALS[c["reversal"]]
            self.body += middle
        self.body += [f"for block in {loop}:", f"    x = {call}"]
        if c["reversal"] in ("flip-seq", "flip-width"):
            self.body += middle
        if c["share"] in ("attention", "mlp"):
            name = "attn" if c["share"] == "attention" else "mlp"
            self.init += ["for block in self.blocks[1:]:",
                          f"    block.{name} = self.blocks[0].{name}"]
            self.suspects.append(f".{name}.")
        # Used more than once: a bare file does not tell that from copies.
        self.suspects += {"norm": ["norm1"], "block": ["blocks.0"]}.get(
            c["share"], [])
        # tanh and exp of a parameter are folded: what is stored is no
        # parameter's value.
        if c["gate"] == "tanh-gate" and c["exporter"] in FOLDING:
            self.suspects.append("_gate")
        if c["scalar"] != "none":
            init, lines, name = SCALARS[c["scalar"]]
            self.part(init, lines)
            self.scalar = name
        if c["place"] == "pre":
            self.part([f"self.norm = {block_source.norm(c)}"],
                      ["x = self.norm(x)"])

    def pool(self):
        kind = self.c["pool"]
        lines = {
            "mean": ["x = x.mean(1)"], "first": ["x = x[:, 0]"],
            "last": ["x = x[:, -1]"], "max": ["x = x.amax(1)"],
            "masked-mean": ["m = attention_mask[:, :, None].to(x.dtype)",
                            "x = (x * m).sum(1) / m.sum(1)"],
            "pooler": ["x = torch.tanh(self.pooler(x[:, 0]))"],
            "attention": ["share = F.softmax(self.pool_score(x), dim=1)",
                          "x = (share * x).sum(1)"],
        }[kind]
        init = {"pooler": ["self.pooler = nn.Linear(D, D)"],
                "attention": ["self.pool_score = nn.Linear(D, 1)"]}
        self.part(init.get(kind, []), lines)

    def head(self):
        c = self.c
        if c["head"] in ("classes", "number", "numbers"):
            self.pool()
        if c["head"] == "lm":
            tie = c["tie"]
            if tie == "by-matmul":
                self.body.append("scores = x @ self.wte.weight.t()")
            else:
                self.part(["self.head = nn.Linear(D, V, bias=False)"],
                          ["scores = self.head(x)"])
            if tie in ("tied", "tied-scaled"):
                self.init.append("self.head.weight = self.wte.weight")
            if tie == "copied":
                self.init.append(
                    "self.head.weight.data.copy_(self.wte.weight.data)")
                self.suspects += ["head.weight", "wte.weight"]
            if c["buffer"] == "final-logits-bias":
                self.part(["self.register_buffer('final_logits_bias', "
                           "torch.zeros(1, V))"],
                          ["scores = scores + self.final_logits_bias"])
                self.suspects.append("final_logits_bias")
        else:
            width = {"number": 1, "numbers": 3}.get(c["head"], "C")
            self.part([f"self.head = nn.Linear(D, {width})"],
                      ["scores = self.head(x)"])

    def finish(self):
        """Weights that matter, copies, what is frozen."""
        c = self.c
        self.init += [
            "for name, parameter in self.named_parameters():",
            "    if name.endswith('bias'):",
            "        parameter.data.normal_(std=0.1)",
            "    elif name.endswith('wte.weight'):",
            "        parameter.data.mul_(0.3)"]
        if c["tie"] == "copied":
            self.init.append(
                "self.head.weight.data.copy_(self.wte.weight.data)")
        if c["copy"] == "block":
            self.init.append("self.blocks[1].load_state_dict("
                             "self.blocks[0].state_dict())")
            self.suspects.append("blocks.1")
            self.suspects.append("blocks.0")
        if c["copy"] == "bias":
            self.init += ["for block in self.blocks:",
                          "    block.mlp.down.bias.data.copy_("
                          "self.blocks[0].mlp.down.bias.data)"]
            self.suspects.append("mlp.down.bias")
        if c["copy"] == "table-rows":
            self.init.append("self.wte.weight.data[10:20].copy_("
                             "self.wte.weight.data[20:30])")
        if c["padding-idx"]:
            self.suspects.append("wte.weight")
        frozen = {
            "embedding": "wte", "block": "blocks.0.mlp", "head": "head",
            "norms": "norm", "scalar": getattr(self, "scalar", "?"),
        }.get(c["frozen"])
        if frozen:
            self.init += ["for name, parameter in self.named_parameters():",
                          f"    if {frozen!r} in name:",
                          "        parameter.requires_grad_(False)"]
            self.suspects.append(frozen)


def source(c):
    """The text of the module of choices `c`."""
    module = Module(c)
    cross = c["kind"] == "encoder-decoder"
    module.embed()
    if cross:
        module.encode()
    module.blocks()
    module.head()
    module.finish()
    loss = loss_source.add(c, module)
    inputs = ", ".join(module.inputs)
    text = ['"""Made by scripts/fuzz exports."""', "import math", "",
            "import torch", "import torch.nn.functional as F",
            "from torch import nn", "",
            f"D, H, L = {c['width']}, {c['heads']}, {c['layers']}",
            f"DH, INNER, T_MAX = D // H, {2 * c['width']}, {c['seq']}",
            f"V, C = {VOCAB}, {CLASSES}",
            f"INPUTS = {module.inputs!r}",
            f"TARGETS = {loss['targets']!r}", f"LOSS = {loss['name']!r}",
            f"TOLD = {module.told!r}", f"SUSPECTS = {module.suspects!r}", ""]
    text = "\n".join(text) + "\n"
    text += block_source.COMMON[1:] if c["projection"] == "conv1d" else "\n"
    if c["positions"].startswith("rotary"):
        text += block_source.ROTATIONS.get(
            c["positions"], block_source.ROTATE_HALF)[1:]
    text += attention_source.source(c)
    if cross:
        # Whatever asks and answers differ: nothing fused, no rotation.
        plain = dict(c, projection="separate", positions="none",
                     causal="none", extra="none")
        text += attention_source.source(plain).replace(
            "class Attention", "class CrossAttention")
    text += block_source.norm_source(c) + block_source.mlp_source(c)
    if cross:
        text += block_source.block_source(c, False).replace(
            "class Block", "class Block0").replace(
            "self.attn = Attention", "self.attn = CrossAttention")
    text += block_source.block_source(c, cross)
    lines = ["class Model(nn.Module):", "    def __init__(self):",
             "        super().__init__()"]
    lines += ["        " + l for l in module.init]
    lines += ["", f"    def forward(self, {inputs}):"]
    lines += ["        " + l for l in module.body]
    return text + "\n".join(lines) + "\n"
