"""Runs pcc and its programs on a case."""

import json
import os
import re
import resource
import signal
import subprocess

import numpy as np

import case as cases

MEMORY = 6 << 30  # bytes of address space
SECONDS = 180


class Verdict(Exception):
    """The outcome of a case: a word of judge.CLASSES and the reason."""

    def __init__(self, kind, reason, warnings=()):
        super().__init__(reason)
        self.kind, self.reason, self.warnings = kind, reason, list(warnings)


def call(case, *command):
    """(exit code, standard error and output); None after a timeout."""
    with open(case.path("commands"), "a") as file:
        file.write(" ".join(command) + "\n")

    def limit():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    started = subprocess.Popen(command, cwd=case.folder, text=True,
                               errors="replace", preexec_fn=limit,
                               stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    try:
        text, _ = started.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        text, _ = started.communicate()
        return None, text
    return started.returncode, text


def general(message):
    """A message without names and numbers, by which refusals are counted."""
    message = re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", message)
    message = re.sub(r"\b[\w./:-]*\.(onnx|onnx\.data)\b:? ?", "", message)
    message = re.sub(r"tensor<[^>]*>", "tensor", message)
    message = re.sub(r"('\.\.\.' is trained by (pcc|the module), not by "
                     r"(pcc|the module) ?)+", "tensors", message)
    message = re.sub(r"\[[\d, ]*\]", "[N]", message)
    return re.sub(r"-?\d[\d,.]*(e[-+]?\d+)?", "N", message)[:200]


def compile_(case, *flags):
    """Compiles the case's file; returns its warnings, or raises a Verdict."""
    code, text = call(case, case.pcc, "model.onnx", *flags)
    warnings = [l.split("warning: ", 1)[1] for l in text.splitlines()
                if "warning: " in l]
    if code is None:
        raise Verdict("crash", "pcc took too long")
    errors = [l.split("error: ", 1)[1] for l in text.splitlines()
              if "error: " in l]
    internal = re.search("please report|internal error|Assertion|"
                         "pcc-reproducer|PLEASE submit", text)
    if code not in (0, 1, 2) or internal:
        said = errors[0] if errors else text[-200:].strip()
        raise Verdict("crash", f"pcc exit {code}: {said}")
    if code:
        raise Verdict("refused", errors[0] if errors else text[:200])
    return warnings


def check_forward(case, arrays, name, expected, bound):
    """The compiled forward pass against ONNX Runtime's output `name`."""
    size = len(next(iter(arrays.values())))
    compile_(case, "--forward", "-q", "-o", "forward", *case.dim_flags(),
             f"--micro-batch-size={size}")
    os.makedirs(case.path("inputs"), exist_ok=True)
    for given, array in arrays.items():
        np.save(case.path("inputs", given + ".npy"), array)
    code, text = call(case, "./forward", "--data", "inputs", "--outputs",
                      "outputs")
    if code != 0:
        raise Verdict("crash", f"forward exit {code}: {text[-200:]}")
    got = np.load(case.path("outputs", re.sub("[/:]", "_", name) + ".npy"))
    if got.shape != expected.shape:
        raise Verdict("wrong", f"forward is {got.shape}, not {expected.shape}")
    off = farthest(got, expected)
    if not off <= bound:
        raise Verdict("wrong", f"forward differs by {off:.1e}")


def farthest(got, expected):
    """The largest difference, relative to the largest element."""
    if not got.size:
        return 0.0
    return float(np.abs(got - expected).max()
                 / max(np.abs(expected).max(), 1e-30))


def relative(a, b):
    return abs(a - b) / max(abs(b), 1e-30)


def training_flags(case):
    return [f"--{n.replace('_', '-')}={v}"
            for n, v in cases.TRAINING.items()] + [
        f"--min-lr={cases.TRAINING['lr']}"]


def train(case, flags, data, curve, bounds):
    """Compiles with `flags` and trains. Raises a Verdict unless the numbers
    are PyTorch's; returns pcc's warnings."""
    warnings = compile_(case, "-o", "program", *flags)
    log = case.path("log.jsonl")
    if os.path.exists(log):
        os.remove(log)
    code, text = call(case, "./program", f"--data={data}",
                      "--log-json=log.jsonl", *training_flags(case))
    if code is None:
        raise Verdict("crash", "the program took too long")
    if code:
        lines = [l for l in text.splitlines() if "error" in l]
        said = (lines or text.splitlines()[-1:] or [""])[0]
        raise Verdict("wrong" if code == 5 else "crash",
                      f"program exit {code}: {said}")
    with open(log) as file:
        got = [r for r in map(json.loads, file) if "loss" in r]
    problem = difference(got, curve, bounds)
    if problem:
        raise Verdict("wrong", problem, warnings)
    return warnings


def difference(got, curve, bounds):
    """Describes the first difference from PyTorch's numbers; None if equal."""
    if len(got) != len(curve):
        return f"{len(got)} steps instead of {len(curve)}"
    if any(r["loss"] is None or r["norm"] is None for r in got):
        return "not finite"
    first = relative(got[0]["loss"], curve[0]["loss"])
    if first > bounds["loss"][0]:
        return f"loss of step 1 differs by {first:.1e}"
    norm = relative(got[0]["norm"], curve[0]["norm"])
    if norm > bounds["norm"]:
        return f"norm differs by {norm:.1e}"
    for step, (a, b) in enumerate(zip(got, curve)):
        off = relative(a["loss"], b["loss"])
        if off > bounds["loss"][step]:
            return f"loss of step {step + 1} differs by {off:.1e}"
    return None
