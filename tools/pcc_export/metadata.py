"""Writes the metadata that pcc reads; docs/Export.md lists its keys."""

import json

import torch

from . import __name__ as package

VERSION = "1"


def holders(owner, matches):
    result = []
    for initializer, (name, transposed) in matches.items():
        if name == owner:
            entry = {"name": initializer}
            if transposed:
                entry["transposed"] = True
            result.append(entry)
    return result


def entry_of(parameter, matches):
    result = {"name": parameter.name}
    if parameter.aliases:
        result["aliases"] = parameter.aliases
    result["initializers"] = holders(parameter.name, matches)
    result["trained"] = parameter.trained
    if parameter.padding_row is not None:
        result["padding_row"] = parameter.padding_row
    return result


def write(model, facts, matches, detached, context, attempt, source):
    """Writes all metadata under keys with the prefix "pcc."."""
    owned = {alias for p in facts.parameters for alias in [p.name, *p.aliases]}
    values = {
        "version": VERSION,
        "parameters": [entry_of(p, matches) for p in facts.parameters],
        "buffers": [{"name": name, "initializers": holders(name, matches)}
                    for name in facts.buffers if name not in owned],
        "context_length": context and str(context),
        "detached": list(detached.values()) or None,
        "source": source,
        "exporter": f"{package.replace('_', '-')} {VERSION}, torch "
                    f"{torch.__version__.split('+')[0]}, {attempt}",
    }
    kept = [p for p in model.metadata_props if not p.key.startswith("pcc.")]
    del model.metadata_props[:]
    model.metadata_props.extend(kept)
    for key, value in values.items():
        if value is None:
            continue
        text = value if isinstance(value, str) else json.dumps(value)
        model.metadata_props.add(key="pcc." + key, value=text)
