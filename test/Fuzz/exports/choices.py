"""What is drawn of a seed: a dict of choices, from which sources.py writes a
module and plan.py a command line.

Every choice has a plain value, its first. A case is made smaller by setting
one choice after another back to it (reduce.py), so every combination must be
a module that works: `repaired` sets back what contradicts another choice.
"""

import random

# name -> (plain value and share of it, then other values with theirs).
CHOICES = {
    # The module's outer form.
    "kind": {"decoder": 55, "encoder": 24, "encoder-decoder": 9, "vision": 6,
             "features": 6},
    "head": {"lm": 60, "classes": 16, "tokens": 10, "number": 8,
             "numbers": 6},
    "layers": {1: 35, 2: 45, 3: 20},
    "width": {16: 50, 32: 35, 24: 15},
    "heads": {2: 50, 4: 50},
    "seq": {8: 40, 12: 35, 16: 25},
    # Attention.
    "projection": {"separate": 26, "fused-split": 9, "fused-chunk": 7,
                   "fused-view": 8, "fused-unbind": 6, "fused-by-head": 6,
                   "fused-slices": 5, "parameter": 4, "einsum": 4, "conv1d": 5,
                   "heads-stacked": 3, "heads-apart": 4, "grouped": 8,
                   "one-kv-head": 5, "module": 4},
    "scores": {"div": 18, "mul": 12, "sdpa": 20, "sdpa-scale": 4,
               "scaled-query": 8, "scaled-both": 5, "einsum": 8, "bmm": 8,
               "baddbmm": 7, "unscaled": 4, "manual-softmax": 5},
    "attention-bias": {True: 60, False: 40},
    "extra": {"none": 66, "sink": 7, "softcap": 6, "query-norm": 8,
              "temperature": 6, "head-gate": 7},
    "positions": {"learned": 24, "parameter": 7, "sinusoid-buffer": 7,
                  "sinusoid-unsaved": 5, "sinusoid-computed": 5,
                  "rotary-half": 9, "rotary-pairs": 6, "rotary-cached": 7,
                  "rotary-partial": 4, "alibi-computed": 5,
                  "alibi-slopes": 4, "alibi-cached": 3, "t5-buckets": 5,
                  "t5-shared": 4, "table": 5, "shaw": 3, "none": 6},
    # Masks: how causality is found, how padding, how both are applied.
    "causal": {"tril": 18, "buffer": 16, "triu-buffer": 8, "compare": 14,
               "is-causal": 16, "additive": 10, "additive-buffer": 6,
               "window": 9, "ones-like": 3},
    "padding": {"none": 62, "keys": 18, "keys-additive": 12, "product": 8},
    "fill": {"masked-fill-inf": 26, "where": 16, "masked-fill-min": 22,
             "additive-min": 20, "additive-1e4": 9, "multiply": 7},
    # Blocks.
    "norm": {"layer": 30, "layer-manual": 8, "layer-no-bias": 5,
             "layer-plain": 6, "rms": 10, "rms-module": 6, "rms-div": 6,
             "rms-plus-one": 8, "scale": 8, "l2": 4, "none": 3},
    "place": {"pre": 55, "post": 22, "parallel": 12, "sandwich": 11},
    "mlp": {"gelu": 20, "gelu-tanh": 14, "relu": 10, "silu": 8, "tanh": 5,
            "swiglu": 14, "geglu": 7, "glu-chunk": 6, "squared-relu": 6,
            "residual": 4, "quick-gelu": 6},
    "gate": {"none": 62, "rezero": 8, "layer-scale": 8, "highway": 8,
             "residual-scalar": 8, "tanh-gate": 6},
    # Parameters.
    "tie": {"none": 58, "tied": 20, "tied-scaled": 7, "copied": 10,
            "by-matmul": 5},
    "share": {"none": 74, "block": 9, "attention": 6, "mlp": 5, "norm": 6},
    "copy": {"none": 80, "block": 10, "bias": 5, "table-rows": 5},
    "frozen": {"none": 82, "embedding": 5, "block": 4, "norms": 3, "head": 3,
               "scalar": 3},
    "scalar": {"none": 72, "temperature": 8, "gain": 7, "gain-1x1": 4,
               "exp-scale": 5, "offset": 4},
    "buffer": {"none": 68, "scale": 7, "unsaved": 5, "shift": 4,
               "final-logits-bias": 5, "permutation": 4, "single": 4,
               "statistics": 3},
    "reversal": {"none": 80, "flip-seq": 6, "flip-width": 5, "roll": 5,
                 "shift": 4},
    "detach": {"none": 72, "branch": 11, "no-grad": 9, "data": 8},
    "padding-idx": {False: 70, True: 30},
    # What comes of it.
    "pool": {"mean": 30, "masked-mean": 18, "first": 18, "last": 10,
             "max": 8, "attention": 10, "pooler": 6},
    "loss": {"outside": 55, "ce": 5, "ce-sum": 5, "ce-weighted": 4,
             "smoothed": 5, "z-loss": 4, "two-terms": 5, "masked-mean": 5,
             "sample-weights": 3, "focal": 3, "kl": 3, "bce": 3, "nll": 3,
             "shifted": 4},
    "outputs": {"one": 88, "loss-and-scores": 12},
    # How it is exported.
    "exporter": {"train": 24, "eval": 16, "dynamo": 14, "dynamo-raw": 11,
                 "pcc-export": 35},
    "opset": {17: 55, 14: 15, 18: 15, 20: 15},
    "static": {False: 88, True: 12},
    # The plan.
    "tp": {1: 60, 2: 40},
    "pp": {1: 65, 2: 35},
    "dp": {1: 70, 2: 30},
    "microbatches": {1: 40, 2: 40, 4: 20},
    "sp": {False: 80, True: 20},
    "schedule": {"1f1b": 60, "gpipe": 40},
}

# What the summary counts and --only takes: a name, the choice that has it.
FEATURES = {
    "fused projections": ("projection", lambda v: str(v).startswith("fused")),
    "grouped heads": ("projection", lambda v: v in ("grouped", "one-kv-head")),
    "heads as modules": ("projection", lambda v: str(v).startswith("heads")),
    "sdpa": ("scores", lambda v: str(v).startswith("sdpa")),
    "rotary": ("positions", lambda v: str(v).startswith("rotary")),
    "alibi": ("positions", lambda v: str(v).startswith("alibi")),
    "relative bias": ("positions",
                      lambda v: v in ("t5-buckets", "t5-shared", "table",
                                      "shaw")),
    "sinusoids": ("positions", lambda v: str(v).startswith("sinusoid")),
    "padding masks": ("padding", lambda v: v != "none"),
    "norms": ("norm", lambda v: v != "layer"),
    "gates": ("gate", lambda v: v != "none"),
    "ties": ("tie", lambda v: v in ("tied", "tied-scaled", "by-matmul")),
    "shared": ("share", lambda v: v != "none"),
    "frozen": ("frozen", lambda v: v != "none"),
    "scalars": ("scalar", lambda v: v != "none"),
    "copies": ("copy", lambda v: v != "none"),
    "buffers": ("buffer", lambda v: v != "none"),
    "reversals": ("reversal", lambda v: v != "none"),
    "detached": ("detach", lambda v: v != "none"),
    "padding_idx": ("padding-idx", bool),
    "losses": ("loss", lambda v: v != "outside"),
    "cross attention": ("kind", lambda v: v == "encoder-decoder"),
    "tensor parallel": ("tp", lambda v: v > 1),
    "pipeline": ("pp", lambda v: v > 1),
    "data parallel": ("dp", lambda v: v > 1),
}

PLAIN = {name: next(iter(values)) for name, values in CHOICES.items()}

# Where the head gives one result per position.
BY_POSITION = ("lm", "tokens")
# Of classes; of numbers.
CLASS_LOSSES = ("ce", "ce-sum", "ce-weighted", "smoothed", "z-loss",
                "two-terms", "masked-mean", "sample-weights", "focal", "kl",
                "nll")


def has(choices, feature):
    """`feature` of FEATURES, NAME=VALUE, or a kind of exporter."""
    if feature in FEATURES:
        name, test = FEATURES[feature]
        return bool(test(choices[name]))
    name, _, value = feature.partition("=")
    if not value:
        name, value = "exporter", name
    if name not in CHOICES or value not in map(str, CHOICES[name]):
        raise ValueError(f"no feature: '{feature}'")
    return str(choices[name]) == value


def repaired(choices):
    """`choices` without what contradicts others; returns it."""
    c = choices

    def plain(*names):
        for name in names:
            c[name] = PLAIN[name]

    text = c["kind"] in ("decoder", "encoder", "encoder-decoder")
    if c["kind"] not in ("decoder", "encoder-decoder"):
        c["causal"] = "none"
    elif c["causal"] == "none":
        plain("causal")
    if c["kind"] == "encoder-decoder" and c["head"] != "tokens":
        c["head"] = "lm"
    if not text and c["head"] == "lm":
        c["head"] = "classes"
    if not text:
        plain("padding-idx", "copy") if c["copy"] == "table-rows" else None
        plain("padding-idx")
        if c["frozen"] == "embedding":
            plain("frozen")
    if c["kind"] == "vision":
        plain("padding")
        c["seq"] = 16
    if c["kind"] == "encoder-decoder" and c["projection"] == "module":
        plain("projection")
    if c["head"] != "lm":
        c["tie"] = "none"
        if c["buffer"] == "final-logits-bias":
            c["buffer"] = "scale"
    if c["head"] in BY_POSITION:
        plain("pool")
        if c["kind"] == "decoder" and c["reversal"] in ("flip-seq", "roll"):
            c["reversal"] = "flip-width"
    # A class of the padding mask itself.
    if c["pool"] == "masked-mean" and c["padding"] == "none":
        if c["kind"] == "vision":
            plain("pool")
        else:
            c["padding"] = "keys"
    # One module that does it all.
    if c["projection"] == "module":
        plain("extra", "scores")
        if c["positions"] in ("t5-buckets", "t5-shared", "table", "shaw",
                              "none") or "rotary" in c["positions"] or \
                "alibi" in c["positions"]:
            plain("positions")
        if c["causal"] in ("is-causal", "additive-buffer"):
            c["causal"] = "tril"
        if c["fill"] == "multiply":
            plain("fill")
        if c["padding"] == "product":
            c["padding"] = "keys"
    if c["scores"].startswith("sdpa"):
        if c["extra"] in ("sink", "softcap"):
            plain("extra")
        if c["fill"] == "multiply":
            plain("fill")
    if c["positions"] == "shaw" and c["scores"].startswith("sdpa"):
        c["scores"] = "mul"
    # SDPA's own causality takes no mask beside it.
    if c["causal"] == "is-causal" and (
            not c["scores"].startswith("sdpa") or c["padding"] != "none"
            or any(w in c["positions"] for w in ("alibi", "t5", "table"))):
        plain("causal")
    # Rows that are masked everywhere are not finite with -inf.
    if c["causal"] == "window" and c["padding"] != "none":
        plain("causal")
    if c["padding"] == "product" and c["fill"] == "masked-fill-inf":
        c["fill"] = "masked-fill-min"
    if c["share"] == "block" and c["copy"] == "block":
        plain("copy")
    if c["layers"] == 1:
        if c["share"] in ("block", "attention", "mlp"):
            plain("share")
        if c["copy"] == "block":
            plain("copy")
        plain("pp", "schedule")
    if c["norm"] in ("none", "layer-plain", "l2"):
        if c["frozen"] == "norms":
            plain("frozen")
        if c["share"] == "norm":
            plain("share")
    if c["frozen"] == "scalar" and c["scalar"] == "none":
        c["scalar"] = "gain"
    if c["place"] == "parallel" and c["gate"] == "highway":
        plain("gate")
    # Numbers have losses of their own.
    if c["head"] in ("number", "numbers"):
        if c["loss"] in CLASS_LOSSES or c["loss"] == "shifted":
            c["loss"] = {"ce-sum": "mse-sum", "sample-weights": "mse-weights",
                         "focal": "huber"}.get(c["loss"], "mse")
    elif c["loss"] == "shifted" and (c["head"] != "lm"
                                     or c["kind"] != "decoder"):
        c["loss"] = "ce"
    elif c["loss"] == "bce" and c["head"] == "lm":
        c["loss"] = "ce"
    if c["loss"] == "masked-mean" and (c["head"] not in BY_POSITION
                                       or c["padding"] == "none"):
        c["loss"] = "nll"
    if c["loss"] == "outside":
        plain("outputs")
    # What TorchScript and raw files do not say, nobody can know: only files
    # of pcc-export have it.
    if c["exporter"] != "pcc-export":
        plain("detach", "padding-idx")
    if c["exporter"] in ("dynamo", "dynamo-raw"):
        c["opset"] = 18
    if c["tp"] == 1:
        plain("sp")
    if c["static"]:  # a batch that the file fixes cannot be shared out
        plain("dp")
    if c["tp"] * c["pp"] * c["dp"] > 4:
        plain("dp")
    if c["pp"] == 1:
        plain("schedule")
    return c


def draw(seed):
    """The choices of `seed`."""
    generator = random.Random(seed)
    choices = {}
    for name, values in CHOICES.items():
        choices[name] = generator.choices(list(values),
                                          list(values.values()))[0]
    return repaired(choices)
