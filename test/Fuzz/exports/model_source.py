"""The source of a whole module.

    MODULE.py has sizes (D, H, ...), classes, `Model`, and
        INPUTS     name -> {"kind", "shape", "bound"}: how data are drawn
        TARGETS    the same for labels that the compiler's loss takes, or None
        LOSS       --loss, or None if the module computes its own
        TOLD       names of constant tensors that a TorchScript file does not
                   mark as such: a user passes --freeze
    Shapes are without the batch; "T" is the sequence, "S" the encoder's.
"""

import attention_source
import block_source
import extra_source
import loss_source
import position_source

VOCAB, CLASSES, BATCH = 50, 5, 8

class Module:
    """Collects the parts of the class Model."""

    def __init__(self, c):
        self.c = c
        self.init, self.body, self.inputs = [], [], {}
        self.told = {"torchscript": []}

    def part(self, init, body=()):
        self.init += init
        self.body += body

    def embed(self):
        c, kind = self.c, self.c["kind"]
        pad = ", padding_idx=3" if c["padding-idx"] else ""
        if kind == "vision":
            self.inputs["pixel_values"] = dict(kind="values",
                                               shape=(3, 8, 8))
            self.part(*extra_source.PATCHES)
            self.part(*extra_source.stem(c))
            self.body.append("x = x.flatten(2).transpose(1, 2)")
        elif kind == "features":
            self.inputs["features"] = dict(kind="values", shape=("T", 6))
            init, body = extra_source.PROJECT
            if c["front"] in ("speech", "speech-strided"):
                stride = 2 if c["front"] == "speech-strided" else 1
                init, body = extra_source.SPEECH
                init = [line.format(stride) for line in init]
            self.part(init, body)
        else:
            self.inputs["input_ids"] = dict(kind="ids", shape=("T",),
                                            bound=VOCAB)
            scale = " * math.sqrt(D)" if c["tie"] == "tied-scaled" else ""
            self.part([f"self.wte = nn.Embedding(V, D{pad})"],
                      [f"x = self.wte(input_ids){scale}"])
        if kind != "vision":
            self.part(*extra_source.front(c))
        if c["padding"] != "none":
            self.inputs["attention_mask"] = dict(kind="mask", shape=("T",))
        init, body, self.bias = position_source.positions(c)
        self.part(init, body)

    def encode(self):
        """The encoder of an encoder-decoder, with the same table."""
        self.inputs["encoder_input_ids"] = dict(kind="ids", shape=("S",),
                                                bound=VOCAB)
        seen = ["seen = None"]
        if self.c["padding"] != "none":
            self.inputs["encoder_attention_mask"] = dict(kind="mask",
                                                         shape=("S",))
            seen = ["seen = encoder_attention_mask[:, None, None, :].bool()"]
        self.part(["self.encoder = Block0()"],
                  ["memory = self.wte(encoder_input_ids)"] + seen
                  + position_source.additive(self.c, "seen")
                  + ["memory = self.encoder(memory, seen, None, False, None)"])

    def blocks(self):
        c = self.c
        cross = c["kind"] == "encoder-decoder"
        self.body += ["T = x.shape[1]", "bias = None"] + self.bias
        init, lines = position_source.masks(c)
        self.part(init, lines)
        native = c["projection"] == "module"
        mask = "attention_mask" if c["padding"] != "none" else "None"
        if c["padding"] != "none" and not native:
            self.body += [f"keys = {position_source.keys_visible(c, mask)}",
                          "visible = keys if visible is None else "
                          "visible & keys"]
        if native:
            self.body.append("visible = None")
        self.body += position_source.additive(c, "visible")
        block = "CrossBlock()" if cross else "Block()"
        count = "1" if c["share"] == "block" else "L"
        self.init.append(f"self.blocks = nn.ModuleList([{block} "
                         f"for _ in range({count})])")
        call = (f"block(x, visible, bias, causal, {mask if native else None}"
                + (", memory, seen)" if cross else ")"))
        loop = "[self.blocks[0]] * L" if c["share"] == "block" else \
            "self.blocks"
        middle = []
        if c["buffer"] in extra_source.BUFFERS:
            init, lines, name = extra_source.BUFFERS[c["buffer"]]
            self.init += init
            self.body += lines
            if name:
                self.told["torchscript"].append(name)
        if c["detach"] != "none":
            self.part(*extra_source.DETACHED[c["detach"]])
        if c["reversal"] != "none":
            middle = extra_source.REVERSALS[c["reversal"]]
            self.body += middle
        self.body += [f"for block in {loop}:", f"    x = {call}"]
        if c["reversal"] in ("flip-seq", "flip-width"):
            self.body += middle
        if c["share"] in ("attention", "mlp"):
            name = "attn" if c["share"] == "attention" else "mlp"
            self.init += ["for block in self.blocks[1:]:",
                          f"    block.{name} = self.blocks[0].{name}"]
        if c["scalar"] != "none":
            init, lines, name = extra_source.SCALARS[c["scalar"]]
            self.part(init, lines)
            self.scalar = name
        if c["place"] == "pre":
            self.part([f"self.norm = {block_source.norm(c)}"],
                      ["x = self.norm(x)"])

    def head(self):
        c = self.c
        if c["head"] in ("classes", "number", "numbers"):
            self.part(*extra_source.POOLS[c["pool"]])
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
            if c["buffer"] == "final-logits-bias":
                self.part(["self.register_buffer('final_logits_bias', "
                           "torch.zeros(1, V))"],
                          ["scores = scores + self.final_logits_bias"])
        else:
            width = {"number": 1, "numbers": 3}.get(c["head"], "C")
            self.part([f"self.head = nn.Linear(D, {width})"],
                      ["scores = self.head(x)"])

    def finish(self):
        """Initial values that affect the results, copies, and frozen parameters."""
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
        if c["copy"] == "bias":
            self.init += ["for block in self.blocks:",
                          "    block.mlp.down.bias.data.copy_("
                          "self.blocks[0].mlp.down.bias.data)"]
        if c["copy"] == "table-rows":
            self.init.append("self.wte.weight.data[10:20].copy_("
                             "self.wte.weight.data[20:30])")
        frozen = {
            "embedding": "wte", "block": "blocks.0.mlp", "head": "head",
            "norms": "norm", "scalar": getattr(self, "scalar", "?"),
        }.get(c["frozen"])
        if frozen:
            self.init += ["for name, parameter in self.named_parameters():",
                          f"    if {frozen!r} in name:",
                          "        parameter.requires_grad_(False)"]


def source(c):
    """The text of the module for choices `c`."""
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
            f"TOLD = {module.told!r}", ""]
    text = "\n".join(text) + "\n"
    text += block_source.COMMON[1:] if c["projection"] == "conv1d" else "\n"
    if c["positions"].startswith("rotary"):
        text += block_source.ROTATIONS.get(
            c["positions"], block_source.ROTATE_HALF)[1:]
    text += attention_source.source(c)
    if cross:
        # Queries and keys are of different sequences: no fused projection, no
        # rotation.
        plain = dict(c, projection=c["cross"], positions="none",
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
