# RUN: %python %s %root %build
"""Heads that are computed in chunks give the losses and norms of whole ones, on
one rank and on many: equal and unequal chunks of samples and of positions, with
pipelines, sequence and context parallelism, ZeRO, recomputation, tied and untied
tables, bf16 and fp16, on the emulated GPU. All-reduces of a split vocabulary
send as many bytes, one for each chunk; the gradient of the head's input is
reduced once. The number of kernels does not grow with that of chunks. A chunk
that is left out is seen. With PCC_TEST_ALL all plans."""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT, BUILD = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "test", "Costs", "Inputs"))
import messages  # noqa: E402

ALL = bool(os.environ.get("PCC_TEST_ALL"))
BOUND = 2e-6
DATA = os.path.join(ROOT, "examples", "data", "gpl-3.bin")
GPT, DROPOUT, LLAMA, GEMMA = (
    os.path.join(ROOT, "examples", *path) for path in (
        ("gpt2", "gpt2.onnx"), ("gpt2", "gpt2-dropout.onnx"),
        ("models", "llama-dynamo.onnx"), ("models", "gemma-dynamo.onnx")))
# A microbatch has 8 samples or fewer, of 16 tokens: 3 chunks are unequal.
PLANS = [
    (GPT, "", 3),
    (GPT, "--micro-batch-size 1", 16),
    (GPT, "--tp 2 --sequence-parallel --dp 2 --zero 3 --micro-batch-size 2", 3),
    (LLAMA, "--pp 2 --dp 2 --micro-batch-size 1 --zero 2", 2),
    (GPT, "--pp 2 --dp 2 --micro-batch-size 1 --zero 1 --schedule gpipe", 5),
    (LLAMA, "--tp 2 --cp 2 --zero 3 --sequence-parallel", 3),
    (DROPOUT, "--recompute full --pp 2 --micro-batch-size 2", 3),
    (GPT, "--target cuda-emulated --precision f32 --tp 2", 3),
] + ([
    (GPT, "--tp 2", 16),
    (GPT, "--cp 2 --zero 2 --micro-batch-size 4", 2),
    (GPT, "--pp 2 --dp 2 --micro-batch-size 1 --zero 2", 16),
    (DROPOUT, "--recompute selective --tp 2 --sequence-parallel", 5),
    (LLAMA, "--recompute full --dp 2 --zero 3", 7),
    (LLAMA, "--target cuda-emulated --precision f32", 16),
    (GEMMA, "--tp 2", 3),
] if ALL else [])
# Rounding to 16 bits depends on the order of a sum.
NARROW = [(LLAMA, "--precision bf16 --tp 2", 3),
          (LLAMA, "--precision fp16 --dp 2 --pp 2 --micro-batch-size 2", 3)]


def pcc(model, flags, *more):
    done = subprocess.run(
        [os.path.join(BUILD, "bin", "pcc"), model, "--seq=16",
         "--global-batch-size=8", *flags.split(), *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{flags} {more}: {done.stderr}")
    return done.stdout


def train(model, flags, heads, folder):
    """The rows of the log of three steps and two evaluations."""
    program, log = (os.path.join(folder, name) for name in ("program", "log"))
    pcc(model, flags, f"--head-chunks={heads}", "-q", "-o", program)
    if os.path.exists(log):
        os.remove(log)
    done = subprocess.run(
        [program, f"--data={DATA}", f"--val-data={DATA}", "--steps=3",
         "--eval-every=2", "--eval-batches=1", f"--log-json={log}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{flags}: {done.stdout}")
    with open(log) as file:
        return [json.loads(line) for line in file]


def compare(model, flags, heads, bound, folder):
    whole = train(model, flags, "off", folder)
    parts = train(model, flags, heads, folder)
    keys = [key for row in whole for key in row
            if key in ("loss", "norm", "val_loss")]
    assert len(keys) > 6 and "val_loss" in keys, keys
    far = max(abs(a[key] - b[key]) / abs(b[key])
              for a, b in zip(parts, whole, strict=True)
              for key in b if key in keys)
    print(f"{far:.1e} {flags} --head-chunks {heads}", flush=True)
    assert far <= bound, (flags, heads, far)


def text(model, flags, heads):
    return pcc(model, flags, f"--head-chunks={heads}", "-q", "--emit=rt",
               "-o", "-")


def check_messages():
    """One all_reduce of a maximum and one of statistics for each chunk, of the
    bytes of one; no other collective differs."""
    sent = []
    for heads in "off", "4":
        _, (stage,) = messages.read(text(GPT, "--tp 2", heads))
        sent.append(messages.sent(stage))
    assert sent[0].keys() == sent[1].keys(), sent
    (key,) = [key for key in sent[0] if sent[0][key] != sent[1][key]]
    assert key == ("all_reduce", ("tp",)), key
    whole, parts = sent[0][key], sent[1][key]
    assert len(parts) == len(whole) + 2 * 3 and sum(parts) == sum(whole), sent


def check_kernels():
    """Chunks of one size share kernels; the concatenations differ."""
    kernels = [len(re.findall("func.func private @kernel_",
                              text(LLAMA, "--tp 2", heads)))
               for heads in (4, 8)]
    assert kernels[0] == kernels[1], kernels


def check_fault(folder):
    """Leaves a chunk's term of the table's gradient out, and adds one twice."""
    rt = text(GPT, "", 4).split("\n")
    terms = [n for n, line in enumerate(rt) if "rt.gemm" in line
             and "trans_a" in line and "beta = 1.0" in line
             and "n = 64" in line and "m = 256" in line]
    assert len(terms) >= 3, terms
    path = os.path.join(folder, "fault.mlir")
    for what, lines in (
            ("left out", rt[:terms[1]] + rt[terms[1] + 1:]),
            ("twice", rt[:terms[1]] + [rt[terms[1]]] + rt[terms[1]:])):
        with open(path, "w") as file:
            file.write("\n".join(lines))
        done = subprocess.run(
            [os.path.join(BUILD, "bin", "pcc"), "verify", GPT, "--seq=16",
             "--global-batch-size=8", f"--plan={path}", "-q", "--report=json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1, (what, done)
        seen = done.stdout + done.stderr
        assert "wte" in seen or "forward.5" in seen, (what, seen)


with tempfile.TemporaryDirectory() as work:
    for plan in PLANS:
        compare(*plan, BOUND, work)
    for plan in NARROW[:None if ALL else 1]:
        compare(*plan, 1e-3, work)
    check_fault(work)
check_messages()
check_kernels()
