#!/usr/bin/env python3
"""Samples with several documents train as in PyTorch, where each document goes
through the model alone: with learned positions and rotations, grouped heads,
windows and sinks, on several layouts and on the emulated GPU. Programs with other
ends of documents, and with positions that are not reset, differ. scripts/models --plans
documents compares more.

RUN: rm -rf %t && mkdir %t && cd %t && %python %s %root
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
MODELS = ROOT / "examples/models"
H = json.loads((MODELS / "hyperparameters.json").read_text())
BOUND = 2e-6


def call(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          text=True, timeout=600)
    if done.returncode:
        sys.exit(f"{command}: {done.returncode}: {done.stderr[-3000:]}")


def rows(path):
    return [json.loads(line)["loss"] for line in path.read_text().splitlines()]


def difference(model, *flags, documents=H["documents"]):
    """The largest relative difference of the losses from PyTorch's."""
    log = pathlib.Path("log.json")
    log.unlink(missing_ok=True)
    call("pcc", MODELS / f"{model}-dynamo.onnx", "-q", "-o", "program", "--seq",
         H["seq"], "--global-batch-size", H["global_batch_size"], "--documents",
         documents, *flags)
    call("./program", "--data", MODELS / H["data"], "--log-json", log,
         *(f"--{name.replace('_', '-')}={H[name]}" for name in
           ("steps", "lr", "min_lr", "warmup_steps", "lr_schedule", "weight_decay",
            "beta1", "beta2", "eps", "clip_grad")))
    wanted = rows(MODELS / "curves" / f"{model}-documents.jsonl")
    return max(abs(x - y) / y for x, y in zip(rows(log), wanted, strict=True))


for model, *plans in (
        ("gpt2", "", "--cp 2 --dp 2", "--pp 2 --tp 2 --micro-batch-size 2"),
        ("llama", "--cp 2 --cp-comm-type allgather --tp 2 --sequence-parallel"),
        ("gpt-oss", "--head-chunks 3 --recompute full", "--cp 2 --zero 2"),
        ("mistral", "--dp 2 --zero 3"),
        ("gemma", "--cp 4 --cp-comm-type allgather"),
        ("llama", "--target cuda-emulated --precision f32")):
    for plan in plans:
        worst = difference(model, *plan.split())
        print(f"{model} {plan}: {worst:.1e}")
        assert worst < BOUND, (model, plan, worst)
for flags in ({"documents": "10"}, {"documents": "32,10,101"}):
    assert difference("gpt2", **flags) > 1e-4, flags
assert difference("gpt2", "--keep-positions") > 1e-4
# Rotations depend on distances alone.
assert difference("llama", "--keep-positions") < BOUND
