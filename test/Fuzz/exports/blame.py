"""Finds the tensors that pcc trains differently from PyTorch.

One step of SGD at a learning rate of 1 moves a tensor by its gradient and its
decay; each change is compared with PyTorch's. A tensor of pcc is matched with
the parameter with the same initial values, in any shape or order; or, if an
exporter stored a parameter plus a number, with the parameter that changes
equally. Names are hardly used, because exporters invent them.
"""

import re

import numpy as np
import torch

import reference
import running

DECAY = 0.1
FLAGS = ["--steps=1", "--lr-schedule=constant", f"--weight-decay={DECAY}",
         "--clip-grad=0"]


def of_pytorch(case, model, arrays, targets):
    """{name: (value, its change by SGD)} of every parameter."""
    model = reference.in_type(model, torch.float64)
    reference.backward(case, model, arrays, targets, 0)
    result = {}
    for name, p in model.named_parameters():
        value = p.detach().numpy()
        moved = np.zeros_like(value)
        if p.grad is not None and p.requires_grad:
            moved = p.grad.numpy() + (DECAY * value if p.dim() >= 2 else 0)
        result[name] = value, moved
    return result


def of_pcc(case, data):
    """The same of pcc's tensors, and its warnings."""
    flags = case.flags(True) + ["--optimizer=sgd"]
    warnings = running.compile_(case, "-o", "blamed", *flags)
    values = [weights_after(case, data, rate) for rate in (0, 1)]
    return {n: (v, v.astype(np.float64) - values[1][n])
            for n, v in values[0].items()}, warnings


def weights_after(case, data, rate):
    from safetensors.numpy import load_file
    folder = case.path(f"weights-{rate}")
    code, text = running.call(
        case, "./blamed", f"--data={data}", f"--lr={rate}",
        f"--min-lr={rate}", f"--save={folder}", *FLAGS)
    if code:
        raise running.Verdict("wrong", f"one step: exit {code}: "
                              + text[-100:].strip())
    return load_file(f"{folder}/step-00000001/model.safetensors")


def same(a, b):
    return np.allclose(a.reshape(-1), b.reshape(-1), rtol=1e-5, atol=1e-7)


def order(ours, theirs):
    """Indices that select `ours` from flat `theirs`: all elements in some
    order, or some rows. None if the values differ."""
    theirs = np.atleast_1d(theirs)
    plain = np.arange(theirs.size).reshape(theirs.shape)
    if not ours.size or theirs.size % ours.size:
        return None
    if ours.size < theirs.size and theirs.shape[0] % (
            theirs.size // ours.size):
        return None
    for rows in np.split(plain, theirs.size // ours.size):
        for indices in (rows.reshape(-1), rows.T.reshape(-1)):
            if same(theirs.reshape(-1)[indices], ours):
                return indices
    a, b = np.argsort(ours, None), np.argsort(theirs, None)
    if len(a) != len(b) or not same(ours.reshape(-1)[a],
                                    theirs.reshape(-1)[b]):
        return None
    indices = np.empty_like(b)
    indices[a] = b
    return indices


def moves_alike(ours, theirs, indices, scale):
    """scale: the largest change of all; differences below 1e-5 of it are
    ignored."""
    (value, moved), wanted = ours, theirs[1].reshape(-1)[indices]
    off = np.abs(moved.reshape(-1) - wanted).max()
    return off <= (1e-3 * np.abs(wanted).max() + 1e-5 * scale
                   + 1e-6 * np.abs(value).max())


def candidates(name, tensor, theirs, scale):
    """{name: indices} of the parameters that a tensor may be."""
    ours, moved = tensor
    found = {n: order(ours, value) for n, (value, _) in theirs.items()}
    found = {n: i for n, i in found.items() if i is not None}
    plain = np.arange(ours.size)
    if not found and np.abs(moved).max() > 1e-5 * scale:
        found = {n: plain for n, t in theirs.items() if t[0].size == ours.size
                 and moves_alike(tensor, t, plain, scale)}
    if name in theirs and theirs[name][0].shape == ours.shape:
        found.setdefault(name, plain)
    return found


def wrong(ours, theirs):
    """A set of names for every tensor that is trained wrongly: warnings must
    name one of each set."""
    scale = max(np.abs(m).max() for _, m in theirs.values())
    guilty = []
    twins = {n: set() for n in theirs}  # pcc's tensors with these values
    # Elements that some tensor of pcc trains as PyTorch does.
    served = {n: np.zeros(v.size, bool) for n, (v, _) in theirs.items()}
    for name, tensor in ours.items():
        found = candidates(name, tensor, theirs, scale)
        alike = {n: i for n, i in found.items()
                 if moves_alike(tensor, theirs[n], i, scale)}
        for twin, indices in alike.items():
            served[twin][indices] = True
        for twin in found:
            twins[twin].add(name)
        if not alike and np.abs(tensor[1]).max() > 1e-5 * scale:
            guilty.append({name, *found})
    for name, (_, moved) in theirs.items():
        if not served[name].all() and np.abs(moved).max() > 1e-5 * scale:
            guilty.append({name} | twins[name])
    return guilty


def aliases(model, names):
    """`names` and all other names of the same parameters, in shared modules."""
    by_id = {}
    for name, p in model.named_parameters(remove_duplicate=False):
        by_id.setdefault(id(p), set()).add(name)
    return names.union(*(s for s in by_id.values() if s & names))


def unnamed(case, model, arrays, targets, data):
    """None if the first step of one rank is right; else the sets of `wrong`
    that no warning names."""
    theirs = of_pytorch(case, model, arrays, targets)
    ours, warnings = of_pcc(case, data)
    guilty = wrong(ours, theirs)
    said = set(re.findall(r"'([^']*)'", " ".join(warnings)))
    left = [g for g in guilty if not aliases(model, g) & said]
    return left if guilty else None
