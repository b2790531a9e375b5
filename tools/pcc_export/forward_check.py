"""Compares the file's output in ONNX Runtime with the module's in PyTorch.

The reference is the module in training mode, as it is exported, without
dropout, in f64. The difference may be 1e-5 of the largest output, or ten times
the difference between the module's own precision and f64. If the module does
not run in f64, or is too large, the reference is in its own precision, within
1e-5.
"""

import os

import numpy as np
import torch

from . import graph, runtime
from .messages import AttemptFailed, first_line
from .recorder import Recorder
from .subject import as_it_was, computing_in

TOLERANCE = 1e-5
# Above this many parameters f64 would take too much memory.
F64_PARAMETERS = 1_000_000_000


def reference(subject, inputs, double):
    module = subject.module
    with as_it_was(module), torch.no_grad():
        wrapper = subject.wrapper(Recorder(dropout=False)).train()
        if not double:
            return wrapper(*inputs.values()).double().numpy()
        with computing_in(module, torch.float64):
            return wrapper(*cast(inputs, torch.float64).values()).numpy()


def runs_in_double(subject, log):
    """Whether the module can be the reference in f64."""
    count = sum(p.numel() for p in subject.module.parameters())
    if count > F64_PARAMETERS:
        return False
    try:
        reference(subject, subject.inputs, True)
    except Exception as error:  # For example, the module mixes types.
        log(f"precision: compared in the module's own, because it does not run "
            f"in f64: {first_line(error)}")
        return False
    return True


def cast(inputs, dtype):
    return {name: value.to(dtype) if value.is_floating_point() else value
            for name, value in inputs.items()}


def sizes(subject, context):
    """Extents of the dynamic dims for the comparisons."""
    here = subject.extents()
    result = [here]
    if "batch" in here:
        result.append(dict(here, batch=1))
        result.append(dict(here, batch=here["batch"] + 1))
    others = [label for label in here if label != "batch"]
    if others:
        result.append(dict(result[-1], **{
            label: max(2, here[label] // 2) for label in others}))
        # Distinct extents, within the length of the tables.
        longer = {label: here[label] + 3 + i for i, label in enumerate(others)}
        if "seq" in longer:
            longer["seq"] = min(longer["seq"], context or longer["seq"])
        result.append(dict(here, **longer))
    return result


def check(subject, model, folder, context):
    """Compares the outputs; returns the result as text, or None if ONNX Runtime
    lacks operators of this type. `model` has its external weights in `folder`.
    """
    double = runs_in_double(subject, lambda line: None)
    path = os.path.join(folder, "eval.onnx")
    types = {p.dtype for p in subject.module.parameters()}
    graph.save(graph.without_dropout(model), path, external=False)
    try:
        session = runtime.Session(path)
    except runtime.Failed as error:
        missing = error.kind == "NotImplemented"
        if missing and torch.bfloat16 in types:
            return None  # It lacks most operators of this type.
        raise AttemptFailed(
            f"ONNX Runtime rejects the file: {error}") from error
    except runtime.Died as error:
        raise AttemptFailed(f"ONNX Runtime crashes when it reads the file: "
                            f"{error}") from error
    with session:
        found = compare_sizes(subject, session, context, double)
    os.remove(path)
    return found


def compare_sizes(subject, session, context, double):
    """Compares at several sizes; returns the result as text."""
    missing = set(subject.inputs) - session.inputs
    if missing:
        raise AttemptFailed(f"input '{sorted(missing)[0]}' is not in the file:"
                            " the output does not depend on it")
    worst, count, beyond = 0.0, 0, []
    for seed, extents in enumerate(sizes(subject, context)):
        inputs = subject.resized(extents, seed)
        where = ", ".join(f"{label} {n}" for label, n in extents.items())
        try:
            wanted = reference(subject, inputs, double)
        except Exception as error:
            # For example, positions beyond a table: no such size is supported.
            if extents == subject.extents():
                raise AttemptFailed(f"the module fails at {where}: "
                                    f"{first_line(error)}") from error
            beyond.append(where)
            continue
        count += 1
        worst = max(worst, compare(subject, session, inputs, where, wanted,
                                   double))
    return (f"agrees with the module in ONNX Runtime to {worst:.1e} at "
            f"{count} sizes"
            + (f"; the module does not run at {' or '.join(beyond)}"
               if beyond else ""))


def compare(subject, session, inputs, where, wanted, double):
    """The difference of the file's output from `wanted`, the module's."""
    try:
        found = session.run(
            {name: value.numpy() for name, value in inputs.items()})
    except runtime.Failed as error:
        raise AttemptFailed(f"ONNX Runtime fails at {where}: "
                            f"{error}") from error
    except runtime.Died as error:
        raise AttemptFailed(f"ONNX Runtime crashes at {where}: "
                            f"{error}") from error
    found = found.astype(np.float64)
    if found.shape != wanted.shape:
        raise AttemptFailed(
            f"the file's output at {where} has shape {list(found.shape)}, the "
            f"module's {list(wanted.shape)}")
    scale = np.abs(wanted).max() or 1.0
    allowed = TOLERANCE
    if double:
        own = reference(subject, inputs, False)
        allowed = max(allowed, 10 * np.abs(own - wanted).max() / scale)
    difference = np.abs(found - wanted).max() / scale
    if not difference <= allowed:
        raise AttemptFailed(
            f"the file's output at {where} differs from the module's by "
            f"{difference:.1e} of the largest, more than {allowed:.1e}")
    return difference
