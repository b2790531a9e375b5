"""The kinds of exports: what their names mean, and lists of them in short.

    train-N, eval-N        TorchScript exporter, opset N, training or eval mode,
                           below opset 14 with attention by primitives
    dynamo-N, dynamo-raw-N the dynamo exporter at opset N (24 if left out),
                           optimized and as it is before
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


@dataclasses.dataclass(frozen=True)
class Kind:
    """variant: of VARIANTS or empty. exporter: of EXPORTERS."""

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
    """The kind that `name` names."""
    words = name.split("-")
    variant = words.pop(0) if words[0] in VARIANTS else ""
    opset = int(words.pop()) if words[-1].isdigit() else DYNAMO_OPSET
    exporter = "-".join(words)
    if exporter not in EXPORTERS:
        raise ValueError(f"no kind of export: '{name}'")
    return Kind(variant, exporter, opset)


def all_kinds():
    """Each exporter at each opset, each variant at one."""
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
    """Which variants are among `kinds`, with those exporters named of which
    not all that are `asked` for are there."""
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
