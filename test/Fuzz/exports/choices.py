"""The random choices of a seed: a dict from which model_source.py writes a
module and case.py a command line.

Every choice has a plain value, its first. A case is reduced by setting one
choice after another back to it (reduce.py), so every combination must be a
module that works: `repaired` resets choices that contradict others.
"""

import random

# name -> weights of its values; the first value is the plain one.
CHOICES = {
    # The module's outer form.
    "kind": {"decoder": 49, "encoder": 26, "encoder-decoder": 11,
             "vision": 6, "features": 8},
    "head": {"lm": 52, "classes": 20, "tokens": 10, "number": 11,
             "numbers": 7},
    "layers": {1: 35, 2: 45, 3: 20},
    "width": {16: 50, 32: 35, 24: 15},
    "heads": {2: 50, 4: 50},
    "seq": {8: 40, 12: 35, 16: 25},
    # Attention.
    "projection": {"separate": 26, "fused-split": 9, "fused-chunk": 7,
                   "fused-view": 8, "fused-unbind": 6, "fused-by-head": 6,
                   "fused-slices": 5, "parameter": 4, "einsum": 4, "conv1d": 5,
                   "heads-stacked": 4, "heads-apart": 4, "grouped": 8,
                   "one-kv-head": 5, "module": 4},
    "scores": {"div": 18, "mul": 12, "sdpa": 20, "sdpa-scale": 4,
               "scaled-query": 8, "scaled-both": 5, "einsum": 8, "bmm": 8,
               "baddbmm": 7, "unscaled": 4, "manual-softmax": 5},
    "attention-bias": {True: 60, False: 40},
    "extra": {"none": 57, "sink": 10, "softcap": 6, "query-norm": 8,
              "temperature": 6, "head-gate": 7, "einsum-gate": 6},
    "positions": {"learned": 24, "parameter": 7, "sinusoid-buffer": 7,
                  "sinusoid-unsaved": 5, "sinusoid-computed": 5,
                  "rotary-half": 9, "rotary-pairs": 6, "rotary-cached": 7,
                  "rotary-partial": 4, "alibi-computed": 5,
                  "alibi-slopes": 4, "alibi-cached": 3, "t5-buckets": 5,
                  "t5-shared": 4, "table": 5, "shaw": 3, "none": 6},
    # Masks: how causality is found, how padding, how both are applied.
    "causal": {"tril": 18, "buffer": 16, "triu-buffer": 8, "compare": 14,
               "is-causal": 16, "additive": 10, "additive-buffer": 6,
               "window": 15, "ones-like": 3},
    "padding": {"none": 58, "keys": 18, "keys-additive": 13, "product": 11},
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
    "tie": {"none": 54, "tied": 20, "tied-scaled": 7, "copied": 14,
            "by-matmul": 5},
    "share": {"none": 68, "block": 11, "attention": 7, "mlp": 6, "norm": 8},
    "copy": {"none": 80, "block": 10, "bias": 5, "table-rows": 5},
    "frozen": {"none": 82, "embedding": 5, "block": 4, "norms": 3, "head": 3,
               "scalar": 3},
    "scalar": {"none": 72, "temperature": 8, "gain": 7, "gain-1x1": 4,
               "exp-scale": 5, "offset": 4},
    "buffer": {"none": 68, "scale": 7, "unsaved": 5, "shift": 4,
               "final-logits-bias": 6, "permutation": 4, "single": 4,
               "statistics": 3},
    "reversal": {"none": 74, "flip-seq": 7, "flip-width": 4, "roll": 5,
                 "shift": 4, "stride-width": 6},
    "detach": {"none": 72, "branch": 11, "no-grad": 9, "data": 8},
    "padding-idx": {False: 70, True: 30},
    # Results and losses.
    "pool": {"mean": 15, "masked-mean": 18, "first": 12, "last": 8,
             "max": 5, "attention": 8, "pooler": 5, "strided": 4,
             "adaptive": 5, "masked-max": 3, "query": 17},
    "loss": {"outside": 52, "ce": 5, "ce-sum": 6, "ce-weighted": 4,
             "smoothed": 5, "z-loss": 4, "two-terms": 4, "two-heads": 4,
             "masked-mean": 5, "sample-weights": 3, "focal": 3, "kl": 3,
             "bce": 3, "nll": 3, "shifted": 4, "smoothed-by-hand": 1},
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
    # Convolutions over positions, which read inputs in addition to a table.
    "front": {"none": 84, "conv": 6, "depthwise": 6, "speech": 2,
              "speech-strided": 2},
    # Projections of cross attention.
    "cross": {"separate": 35, "fused-cross": 40, "fused-keys": 25},
    # Whether --seq is given if the file has a length.
    "length": {"told": 75, "default": 25},
}


def among(*values):
    return lambda value: value in values


def but(value):
    return lambda other: other != value


def starts(text):
    return lambda value: value.startswith(text)


# The features that the summary counts and --only accepts: a name, and its
# choice.
FEATURES = {
    "fused projections": ("projection", starts("fused")),
    "grouped heads": ("projection", among("grouped", "one-kv-head")),
    "heads as modules": ("projection", starts("heads")),
    "sdpa": ("scores", starts("sdpa")),
    "sinks": ("extra", among("sink")),
    "learned scales of heads": ("extra", among("query-norm", "temperature",
                                               "head-gate", "einsum-gate")),
    "rotary": ("positions", starts("rotary")),
    "alibi": ("positions", starts("alibi")),
    "relative bias": ("positions", among("t5-buckets", "t5-shared", "table",
                                         "shaw")),
    "sinusoids": ("positions", starts("sinusoid")),
    "windows": ("causal", among("window")),
    "padding masks": ("padding", but("none")),
    "products of masks": ("padding", among("product")),
    "norms": ("norm", but("layer")),
    "gates": ("gate", but("none")),
    "ties": ("tie", among("tied", "tied-scaled", "by-matmul")),
    "heads started from tables": ("tie", among("copied")),
    "shared": ("share", but("none")),
    "blocks used again": ("share", among("block")),
    "norms used again": ("share", among("norm")),
    "frozen": ("frozen", but("none")),
    "scalars": ("scalar", but("none")),
    "copies": ("copy", but("none")),
    "buffers": ("buffer", but("none")),
    "reversals": ("reversal", among("flip-seq", "flip-width", "roll")),
    "strides": ("reversal", among("stride-width")),
    "convolutions": ("front", but("none")),
    "einsum": ("scores", among("einsum")),
    "detached": ("detach", but("none")),
    "padding_idx": ("padding-idx", bool),
    "masked pooling": ("pool", among("masked-mean", "masked-max")),
    "learned query": ("pool", among("query")),
    "one number a row": ("head", among("number")),
    "losses": ("loss", but("outside")),
    "losses of several terms": ("loss", among("z-loss", "two-terms",
                                              "two-heads")),
    "weighted losses": ("loss", among("ce-weighted", "masked-mean",
                                      "sample-weights", "mse-weights")),
    "sums": ("loss", among("ce-sum", "mse-sum")),
    "cross attention": ("kind", among("encoder-decoder")),
    "fused cross attention": ("cross", starts("fused")),
    "default length": ("length", among("default")),
    "tensor parallel": ("tp", but(1)),
    "pipeline": ("pp", but(1)),
    "data parallel": ("dp", but(1)),
}

PLAIN = {name: next(iter(values)) for name, values in CHOICES.items()}

# Heads with one result per position.
BY_POSITION = ("lm", "tokens")
# Losses of classes, not of numbers.
CLASS_LOSSES = ("ce", "ce-sum", "ce-weighted", "smoothed", "z-loss",
                "two-terms", "two-heads", "masked-mean", "sample-weights",
                "focal", "kl", "nll", "shifted", "smoothed-by-hand")


def has(choices, feature):
    """Whether choices have `feature`: one of FEATURES, NAME=VALUE, or an
    exporter."""
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
    """Resets those of `choices` that contradict others; returns it."""
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
    # Pooling by the padding mask.
    if c["pool"].startswith("masked") and c["padding"] == "none":
        if c["kind"] == "vision":
            plain("pool")
        else:
            c["padding"] = "keys"
    # PyTorch's module contains the whole attention.
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
    # SDPA with is_causal accepts no other mask.
    if c["causal"] == "is-causal" and (
            not c["scores"].startswith("sdpa") or c["padding"] != "none"
            or any(w in c["positions"] for w in ("alibi", "t5", "table"))):
        plain("causal")
    # With -inf, rows that are masked everywhere are not finite.
    if c["causal"] == "window" and c["padding"] != "none":
        plain("causal")
    if c["padding"] == "product" and c["fill"] == "masked-fill-inf":
        c["fill"] = "masked-fill-min"
    # With boolean masks PyTorch returns zeros for such rows, but exports do
    # not.
    if c["padding"] == "product" and c["scores"].startswith("sdpa") \
            and not c["fill"].startswith("additive"):
        c["fill"] = "additive-min"
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
    # Numbers need other losses.
    if c["head"] in ("number", "numbers"):
        if c["loss"] in CLASS_LOSSES:
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
    # Facts that TorchScript and raw files cannot express: only files of
    # pcc-export have them.
    if c["exporter"] != "pcc-export":
        plain("detach", "padding-idx")
    if c["exporter"] in ("dynamo", "dynamo-raw"):
        c["opset"] = 18
    # TorchScript's exporter cannot write these.
    if c["exporter"] in ("train", "eval"):
        if c["norm"] == "rms-module":
            c["norm"] = "rms"
        if c["loss"] == "huber":
            c["loss"] += "-by-hand"
    # PyTorch's exporters do not write label smoothing; dynamo's leaves it out.
    if c["loss"] == "smoothed" and c["exporter"] != "pcc-export":
        c["loss"] = "smoothed-by-hand"
    if c["kind"] != "encoder-decoder":
        plain("cross")
    if c["kind"] != "features":
        if c["front"].startswith("speech"):
            c["front"] = "conv"
    elif c["front"] in ("conv", "speech-strided"):
        pooled = c["head"] not in BY_POSITION and c["padding"] == "none"
        c["front"] = "speech-strided" if pooled else "speech"
    # These files have no length of tokens, or a fixed one.
    if c["static"] or c["kind"] in ("vision", "features"):
        plain("length")
    if c["tp"] == 1:
        plain("sp")
    if c["static"]:  # a batch that the file fixes cannot be sharded
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
