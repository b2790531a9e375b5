"""What becomes of a case, from its source to the comparison."""

import json
import os

import numpy as np
import torch

import exporting
import reference
import running
from running import Verdict

# The verdicts, and which of them are faults of pcc.
CLASSES = {
    "trained": "trained as PyTorch does",
    "refused": "refused with a reason",
    "warned": "wrong, but a warning names the tensor",
    "not exported": "an exporter of PyTorch failed",
    "wrong": "wrong without a word",
    "crash": "crashed, or took too long",
}
FAULTS = ("wrong", "crash")


def forward_bound(case, model, inputs):
    """How far two forward passes may be apart; also PyTorch's first output."""
    results = []
    for dtype in (torch.float32, torch.float64):
        try:
            with torch.no_grad():
                result = case.build(dtype).eval()(**{
                    n: reference.as_type(a, dtype)
                    for n, a in inputs.items()})
        except RuntimeError:
            break
        result = result[0] if isinstance(result, tuple) else result
        results.append(result.numpy())
    off = running.farthest(results[-1], results[0])
    return max(1e-5, 10 * off), results[0]


def judge(case, forward=True):
    """{"class", "reason", "warnings"} of a case."""
    try:
        return dict({"class": "trained", "reason": ""}, **attempt(case,
                                                                  forward))
    except Verdict as verdict:
        return {"class": verdict.kind, "reason": verdict.reason,
                "warnings": verdict.warnings}
    except exporting.NotExported as error:
        return {"class": "not exported", "reason": str(error),
                "warnings": []}
    except exporting.Refused as error:
        return {"class": "refused", "reason": str(error), "warnings": []}


def compiled(case, alone, *rest):
    """As running.train. A name that --freeze asks for may be none of a
    parameter: pcc found out what the user would have told it."""
    flags = case.flags(alone)
    try:
        return running.train(case, flags, *rest)
    except Verdict as verdict:
        if "--freeze" not in verdict.reason:
            raise
    return running.train(case, [f for f in flags if "--freeze" not in f],
                         *rest)


def attempt(case, forward):
    arrays, targets = case.data()
    data = case.write_data(arrays, targets)
    model = case.build()
    curve, bounds = reference.curves(case, model, arrays, targets)
    if not all(np.isfinite(r["loss"]) for r in curve):
        raise Verdict("not exported", "PyTorch's loss is not finite")
    with open(case.path("expected.json"), "w") as file:
        json.dump({"flags": case.flags(False), "data": data,
                   "training": running.training_flags(case), "curve": curve,
                   "bounds": bounds}, file, indent=1)
    path = case.path("model.onnx")
    if os.path.exists(path):
        os.remove(path)
    exporting.export(case, arrays, path)
    count = case.micro_batch() if case.choices["static"] else 2
    few = {n: a[:count] for n, a in arrays.items()}
    bound, ours = forward_bound(case, model, few)
    name, theirs = exporting.run(path, few)
    off = running.farthest(theirs, ours)
    if theirs.shape != ours.shape or not off <= 10 * bound:
        raise exporting.NotExported("the file does not compute what the "
                                    f"module does (differs by {off:.0e})")
    if forward:
        running.check_forward(case, few, name, theirs, bound)
    plan, _ = case.plan()
    alone = plan == (1, 1, 1)
    try:
        warnings = compiled(case, False, data, curve, bounds)
    except Verdict as verdict:
        if alone or verdict.kind != "refused":
            raise
        # The plan may be at fault, the numbers must be right all the same.
        if case.choices["static"]:
            raise
        try:
            compiled(case, True, data, curve, bounds)
        except Verdict as single:
            if single.kind != "refused":
                raise
            raise verdict
        raise Verdict("refused", "(one rank trains) " + verdict.reason,
                      verdict.warnings)
    return {"warnings": warnings}
