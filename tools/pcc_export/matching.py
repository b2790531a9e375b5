"""Matches the initializers of a file to parameters, by name and by bytes.

A name alone proves nothing, so the values are compared, also transposed. Bytes
alone prove nothing either: two parameters may be equal, and an exporter may
create a scale of ones. So an initializer without a parameter's name matches
only if its elements are not all equal and exactly one parameter has them.
"""

import numpy as np
import torch
from onnx import numpy_helper

from .messages import AttemptFailed


def bytes_of(tensor):
    """A tensor's elements as rows of bytes, for types that numpy lacks."""
    flat = tensor.detach().cpu().contiguous().view(-1)
    return flat.view(torch.uint8).numpy().reshape(tensor.numel(), -1)


def of_initializer(initializer):
    array = np.ascontiguousarray(numpy_helper.to_array(initializer))
    return array.view(np.uint8).reshape(array.size, array.itemsize)


def how_equal(found, dims, tensor):
    """False if the bytes `found` of shape `dims` are `tensor`'s, True if they
    are its transpose's, None if neither."""
    if len(found) != tensor.numel() or (
            len(found) and found.shape[1] != tensor.element_size()):
        return None
    if list(dims) == list(tensor.shape) and np.array_equal(
            found, bytes_of(tensor)):
        return False
    if tensor.dim() == 2 and list(dims) == list(tensor.shape)[::-1] and (
            np.array_equal(found, bytes_of(tensor.t()))):
        return True
    return None


def match(model, facts):
    """Initializer's name -> (parameter or buffer's name, transposed)."""
    by_name = {}
    for p in facts.parameters:
        for name in [p.name, *p.aliases]:
            by_name[name] = (p.name, p.tensor)
    for name, tensor in facts.buffers.items():
        by_name.setdefault(name, (name, tensor))
    result, nameless = {}, []
    for initializer in model.graph.initializer:
        if initializer.name not in by_name:
            nameless.append(initializer)
            continue
        owner, tensor = by_name[initializer.name]
        equal = how_equal(of_initializer(initializer), initializer.dims, tensor)
        if equal is None:
            raise AttemptFailed(
                f"initializer '{initializer.name}' has other values than "
                f"'{owner}' of the module")
        result[initializer.name] = (owner, equal)
    for initializer in nameless:
        found = of_initializer(initializer)
        if len(found) < 2 or (found == found[0]).all():
            continue
        owners = [(p, equal) for p in facts.parameters
                  if (equal := how_equal(found, initializer.dims, p.tensor))
                  is not None]
        if len(owners) > 1:
            raise AttemptFailed(
                f"initializer '{initializer.name}' has the values of "
                f"'{owners[0][0].name}' and of '{owners[1][0].name}': it may "
                "be either")
        if owners:
            result[initializer.name] = (owners[0][0].name, owners[0][1])
    there = {owner for owner, _ in result.values()}
    for p in facts.trained():
        if p.name not in there:
            raise AttemptFailed(f"parameter '{p.name}' is in no initializer")
    return result
