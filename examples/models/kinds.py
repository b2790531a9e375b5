"""The kinds of exports: their names, and short lists of them.

    train-N, eval-N        TorchScript exporter, opset N, training or eval mode,
                           below opset 14 with attention by primitives
    dynamo-N, dynamo-raw-N dynamo exporter at opset N (24 if left out), with
                           and without its optimizer
    static-KIND            the same with static dims, batch 2
    inputs-KIND            with inputs attention_mask and position_ids
    f16-KIND, bf16-KIND    weights in half precision
"""

import dataclasses

DYNAMO_OPSET = 24
BY_TORCHSCRIPT = ("train", "eval")
BY_DYNAMO = ("dynamo", "dynamo-raw")
EXPORTERS = BY_TORCHSCRIPT + BY_DYNAMO
OPSETS = {e: range(11, 21) for e in BY_TORCHSCRIPT}
OPSETS.update({e: range(18, 26) for e in BY_DYNAMO})
VARIANTS = ("static", "inputs", "f16", "bf16")
# The models of mixtures.py, and the kinds of their exports that scripts/models
# trains.
MIXTURES = ("mixtral", "qwen2-moe", "qwen3-moe", "gpt-oss", "deepseek-v3",
            "glm4-moe", "olmoe", "granite-moe", "ernie4.5-moe")
OF_MIXTURES = ("train-17", "eval-17", "dynamo", "dynamo-raw")


@dataclasses.dataclass(frozen=True)
class Kind:
    """variant: one of VARIANTS or empty. exporter: one of EXPORTERS."""

    variant: str
    exporter: str
    opset: int

    def __str__(self):
        words = [self.variant] if self.variant else []
        words.append(self.exporter)
        if self.exporter in BY_TORCHSCRIPT or self.opset != DYNAMO_OPSET:
            words.append(str(self.opset))
        return "-".join(words)


def parse(name):
    """The kind of this name."""
    words = name.split("-")
    variant = words.pop(0) if words[0] in VARIANTS else ""
    opset = int(words.pop()) if words[-1].isdigit() else DYNAMO_OPSET
    exporter = "-".join(words)
    if exporter not in EXPORTERS:
        raise ValueError(f"unknown kind of export: '{name}'")
    return Kind(variant, exporter, opset)


def all_kinds():
    """Each exporter at each opset, and each variant at one opset."""
    kinds = [Kind("", e, opset) for e in EXPORTERS for opset in OPSETS[e]]
    for variant in VARIANTS:
        for exporter in EXPORTERS:
            opset = 17 if exporter in BY_TORCHSCRIPT else DYNAMO_OPSET
            kinds.append(Kind(variant, exporter, opset))
    return kinds


def ranges(numbers):
    """[11, 12, 13, 17] as "11-13, 17"."""
    parts = []
    for n in sorted(numbers):
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def opsets(kinds, exporter):
    """The opsets of plain exports by `exporter`."""
    return ranges(k.opset for k in kinds
                  if not k.variant and k.exporter == exporter)


def variants(kinds, asked):
    """The variants among `kinds`. Those with fewer exporters than `asked` are
    followed by the exporters that they have."""
    parts = []
    for variant in VARIANTS:
        there = [k.exporter for k in kinds if k.variant == variant]
        if not there:
            continue
        every = [k.exporter for k in asked if k.variant == variant]
        short = set(there) == set(every)
        parts.append(variant if short else f"{variant} {' '.join(there)}")
    return ", ".join(parts)


def in_short(kinds):
    """`kinds` in one line."""
    parts = [f"{e} {opsets(kinds, e)}" for e in EXPORTERS if opsets(kinds, e)]
    parts += [str(k) for k in kinds if k.variant]
    return ", ".join(parts)
