"""Runs a case, from its source to the comparison."""

import json
import os
import re

import numpy as np
import torch

import blame
import exporting
import model_source
import reference
import running
from running import Verdict

# The verdicts, and those that are faults of pcc.
CLASSES = {
    "trained": "trained as PyTorch does",
    "refused": "refused with a reason",
    "warned": "wrong, but warnings name every tensor that is",
    "not exported": "an exporter of PyTorch failed",
    "wrong": "wrong without a word",
    "crash": "crashed, or took too long",
}
FAULTS = ("wrong", "crash")


def forward_bound(case, model, inputs):
    """The allowed difference of two forward passes; also PyTorch's first
    output."""
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
    """As running.train, but adds --seq if pcc requires it. Leaves out --freeze
    if its names match no parameter: then pcc has recognized the buffers
    itself."""
    while True:
        try:
            return running.train(case, case.flags(alone), *rest)
        except Verdict as verdict:
            if not case.length_told and re.search(
                    "--seq|not bound to a number", verdict.reason):
                case.length_told = True
            elif "--freeze" in verdict.reason and not case.freezes_itself:
                case.freezes_itself = True
            else:
                raise


def excused(case, verdict, model, arrays, targets, data):
    """The verdict on wrong numbers: warnings must name each tensor that is
    trained wrongly. They excuse neither a wrong first loss nor a file of
    pcc-export, which states all facts."""
    if verdict.kind != "wrong" or case.choices["exporter"] == "pcc-export" \
            or re.match("forward|loss of step 1 ", verdict.reason):
        return verdict
    left = blame.unnamed(case, model, arrays, targets, data)
    if left is None:
        return verdict
    if left:
        names = ", ".join(min(names) for names in left[:5])
        return Verdict("wrong", f"{verdict.reason}; no warning names {names}",
                       verdict.warnings)
    return Verdict("warned", verdict.reason, verdict.warnings)


def write_expected(case, data, curve, bounds):
    with open(case.path("expected.json"), "w") as file:
        json.dump({"flags": case.flags(False), "data": data,
                   "training": running.training_flags(case), "curve": curve,
                   "bounds": bounds}, file, indent=1)


def attempt(case, forward):
    arrays, targets = case.data()
    data = case.write_data(arrays, targets)
    model = case.build()
    curve, bounds = reference.curves(case, model, arrays, targets)
    if not all(np.isfinite(r["loss"]) for r in curve):
        raise Verdict("not exported", "PyTorch's loss is not finite")
    path = case.path("model.onnx")
    if os.path.exists(path):
        os.remove(path)
    exporting.export(case, arrays, path)
    static = case.choices["static"]
    count = case.micro_batch() if static else model_source.BATCH
    few = {n: a[:count] for n, a in arrays.items()}
    bound, ours = forward_bound(case, model, few)
    name, theirs = exporting.run(path, few)
    off = running.farthest(theirs, ours)
    if theirs.shape != ours.shape or not off <= 10 * bound:
        raise exporting.NotExported("the file does not compute what the "
                                    f"module does (differs by {off:.0e})")
    try:
        warnings = trained(case, data, curve, bounds)
        if forward:
            running.check_forward(case, few, name, theirs, bound)
    except Verdict as verdict:
        raise excused(case, verdict, model, arrays, targets, data)
    finally:
        write_expected(case, data, curve, bounds)
    return {"warnings": warnings}


def trained(case, data, curve, bounds):
    """Trains with the case's plan. If the plan is refused, the numbers must
    still be right on one rank."""
    try:
        return compiled(case, False, data, curve, bounds)
    except Verdict as verdict:
        plan, _ = case.plan()
        if plan == (1, 1, 1) or verdict.kind != "refused" or \
                case.choices["static"]:
            raise
        try:
            compiled(case, True, data, curve, bounds)
        except Verdict as single:
            if single.kind != "refused":
                raise
            raise verdict
        raise Verdict("refused", "(one rank trains) " + verdict.reason,
                      verdict.warnings)
