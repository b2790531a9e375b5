"""Compares cuDNN's attention at large batches with tiled attention.

In other projects cuDNN's low-precision backward pass on sm_90 returned NaNs:
at batch 128 (kyutai-labs/pocket-tts, pull request 264), and if the number of
keys is 64 more than a multiple of 128 and a query's logsumexp is below -88.7,
which is -ln(FLT_MAX) (pytorch/pytorch, issue 196678; NVIDIA/cudnn-frontend,
pull request 628): positions after the last key were not masked unless the mask
is causal. The first report has the shape of the second: 16 heads of 64, an
explicit mask, and lengths of up to about 450, which differ by batch.

pcc uses tiled attention for a bias, and for such numbers of keys without a
causal mask. This piece runs the remaining case: a causal mask at such lengths,
with all scores about -128.
"""

import json
import math
import os
import shutil
import struct
import tempfile

import cases
import checks
import machine
import prepare

BATCH, STEPS = 128, 3
# 64 more than a multiple of 128, twice; a multiple of 128; neither.
LENGTHS = (192, 448, 512, 437)
HEADS, SIZE = 16, 64
# Added to the first element of each query, subtracted from that of each key.
SHIFT = 32.0
MODEL = ["gpt", "--layers", "1", "--width", str(HEADS * SIZE), "--inner", "1024",
         "--heads", str(HEADS), "--vocab", "512", "--batch", str(BATCH)]
BIAS = "h.0.attn.c_attn.bias"


def case_of(length, suffix, device):
    return cases.Case(f"attention B {BATCH} T {length}{suffix}",
                      [*MODEL, "--seq", str(length)], "bf16",
                      ["--global-batch-size", str(BATCH)], STEPS, device)


PAIRS = [(case_of(length, "", ["--attention-backend", "cudnn"]),
          case_of(length, " tiles", cases.TILES)) for length in LENGTHS]
CASES = [case for pair in PAIRS for case in pair]


def shift(path):
    """Changes the biases of queries and keys of a saved model (safetensors, [3,
    heads, SIZE] of f32) so that all scores are about -SHIFT^2 / sqrt(SIZE)."""
    with open(path, "r+b") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        tensor = json.loads(file.read(length))[BIAS]
        _, heads, size = tensor["shape"]
        begin = 8 + length + tensor["data_offsets"][0]
        for part, value in ((0, SHIFT), (1, -SHIFT)):
            for head in range(heads):
                file.seek(begin + 4 * (part * heads + head) * size)
                file.write(struct.pack("<f", value))


def train(folder, case, log, steps, **more):
    return prepare.train(
        [os.path.join(folder, cases.file_of(case)), "--steps", str(steps)],
        os.path.join(folder, prepare.TOKENS), log, **more)


def run_pair(pair, folder, scratch):
    """Trains the cuDNN program and the tiled program from the same weights.
    Returns (logs with random weights and with very negative scores, "") or
    (None, the problem)."""
    by_library, by_tiles = pair
    saved, log = os.path.join(scratch, "saved"), os.path.join(scratch, "log")
    logs = []
    done, rows = train(folder, by_tiles, log + "1", 1, save=saved)
    if "no CUDA device" in done.stderr:
        raise checks.NoDevice(done.stderr)
    if rows is None:
        return None, f"ends with {done.returncode}: {done.stderr[-400:]}"
    # A copy: next to its checkpoint's hashes a changed file counts as damaged.
    model = os.path.join(scratch, "model.safetensors")
    shutil.copy(os.path.join(saved, "step-00000001", "model.safetensors"), model)
    for _ in ("drawn", "shifted"):
        for case in (by_library, by_tiles):
            done, rows = train(folder, case, log, STEPS, init=model)
            # The log also has losses and norms that are not finite.
            if rows is None:
                return None, (f"{case.name} ends with {done.returncode}: "
                              f"{done.stderr[-400:]}")
            os.remove(log)  # the next run would append to it
            logs.append(rows)
        shift(model)
    return logs, ""


def is_finite(rows):
    """Whether all losses and gradient norms are finite."""
    return all(row[key] is not None and math.isfinite(row[key])
               for row in rows for key in ("loss", "norm"))


def run(manifest, folder, only):
    """All lengths."""
    del manifest
    results, wrong = [], []
    chosen = {pair[0].name: pair for pair in PAIRS if only in pair[0].name and all(
        os.path.exists(os.path.join(folder, cases.file_of(case))) for case in pair)}
    for case in checks.within([pair[0] for pair in chosen.values()], wrong):
        scratch = tempfile.mkdtemp()
        logs, problem = run_pair(chosen[case.name], folder, scratch)
        shutil.rmtree(scratch)
        found = {"case": case.name}
        if problem:
            wrong.append(f"{case.name}: {problem}")
        for i, scores in enumerate(("drawn", "about -128") if logs else ()):
            rows, due = logs[2 * i:2 * i + 2]
            found[scores] = {key: checks.difference(rows, due, key)
                             for key in ("loss", "norm")}
            found[scores]["finite"] = is_finite(rows)
            if not is_finite(rows):
                wrong.append(f"{case.name}: scores {scores}: not finite")
            wrong += [f"{case.name}: scores {scores}: {key} differs by {worst:.1e} "
                      f"from that of tiles, at most {bound:g}"
                      for key, bound in cases.BOUNDS["bf16"].items()
                      for worst in [found[scores][key]] if not worst <= bound]
        results.append(found)
    checks.table(
        ("attention by cuDNN", "scores", "finite", "loss to tiles'", "norm to tiles'"),
        [(found["case"], scores, "yes" if found[scores]["finite"] else "no",
          f"{found[scores]['loss']:.1e}", f"{found[scores]['norm']:.1e}")
         for found in results for scores in ("drawn", "about -128")
         if scores in found])
    return results, wrong
