"""What the metadata key "pcc.source" says of an exported model directory: its
path, the types of its tensors, and the files that complete a directory of
trained weights. The programs that pcc compiles write such directories.
"""

import collections
import json
import os
import struct

import torch

from .companions import files_of, read_json
from .messages import Refused

TYPES = {"F32": "float32", "F64": "float64", "F16": "float16",
         "BF16": "bfloat16"}


def describe(folder, model):
    """The value of "pcc.source" for a model that was loaded from `folder`."""
    result = {"folder": os.path.abspath(folder),
              "types": types_of(folder, model),
              "files": files_of(folder)}
    names = names_of(model)
    return dict(result, names=names) if names else result


def names_of(model):
    """The names that save_pretrained gives to parameters, where the module has
    others. Tensors that it divides, such as those of experts, are left out."""
    try:
        from transformers.core_model_loading import revert_weight_conversion
    except ImportError:
        return {}  # of an earlier version, which renames nothing
    own = {name: torch.empty_like(tensor, device="meta")
           for name, tensor in model.named_parameters()}
    saved = revert_weight_conversion(model, dict(own))
    names = {id(tensor): name for name, tensor in saved.items()}
    return {name: names[id(tensor)] for name, tensor in own.items()
            if names.get(id(tensor), name) != name}


def unsaved(model):
    """The tensors of a directory that checkpoints lack: buffers, which are not
    trained."""
    own = {name for name, _ in
           model.named_parameters(remove_duplicate=False)}
    return [name for name in model.state_dict() if name not in own]


def types_of(folder, model):
    """The type of each parameter in the directory, by its name in the module;
    one type if all have the same."""
    renamed = names_of(model)
    stored = stored_types(folder)
    configured = getattr(model.config, "dtype", None) or "float32"
    usual = str(configured).replace("torch.", "")
    if stored:
        usual = collections.Counter(stored.values()).most_common(1)[0][0]
    result = {}
    for name, tensor in model.named_parameters():
        if tensor.is_floating_point():
            result[name] = next(
                (stored[n]
                 for n in spellings(renamed.get(name, name), model)
                 if n in stored),
                usual)
    kinds = set(result.values())
    return kinds.pop() if len(kinds) == 1 else result


def spellings(name, model):
    """The names that a parameter may have in the directory, which may be of
    the model without its head."""
    prefix = getattr(model, "base_model_prefix", "") + "."
    yield name
    if name.startswith(prefix):
        yield name[len(prefix):]
    yield prefix + name


def stored_types(folder):
    """Name -> type of the floating-point tensors in safetensors files."""
    index = os.path.join(folder, "model.safetensors.index.json")
    names = ["model.safetensors"]
    if not os.path.exists(os.path.join(folder, names[0])):
        listed = read_json(index).get("weight_map")
        names = sorted({name for name in listed.values()
                        if isinstance(name, str)}
                       if isinstance(listed, dict) else ())
    result = {}
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            result.update(types_of_file(path))
    return result


def types_of_file(path):
    """Name -> type of the floating-point tensors in a safetensors file."""
    try:
        with open(path, "rb") as file:
            length, = struct.unpack("<Q", file.read(8))
            if length > os.path.getsize(path):
                raise ValueError(f"its header of {length} bytes is longer than "
                                 "the file")
            header = json.loads(file.read(length))
        return {tensor: TYPES[entry["dtype"]]
                for tensor, entry in header.items()
                if entry.get("dtype") in TYPES}
    except (ValueError, AttributeError, TypeError, RecursionError,
            struct.error) as error:
        raise Refused(f"'{path}' is not a file of safetensors: {error}",
                      ["remove it if --random-weights is to replace it"]
                      ) from error
