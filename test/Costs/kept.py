# RUN: %python %s %root %build
"""The residuals of a layer, by name and so in bytes: everything, with
--recompute selective the results of GEMMs and attention, with full the
layer's input. An additional residual is detected.
"""

import math
import os
import re
import subprocess
import sys
import tempfile

ROOT, BUILD = sys.argv[1:]
LAYER = 2  # of 4: between two other layers
B, S, H, HEADS, KV_HEADS, INNER = 2, 64, 64, 4, 2, 160
SIZES = {"layers": 4, "batch": B, "seq": S, "width": H, "inner": INNER,
         "heads": HEADS, "vocab": 96}


def expected(family, kind, width):
    """The bytes of each kind of residual. Statistics of attention and of norms
    are f32; all other elements have `width` bytes."""
    row = B * S * H * width
    inner = B * S * INNER * width
    kv = row * KV_HEADS // HEADS if family == "llama" else row
    lse, stats = B * HEADS * S * 4, B * S * 4
    if kind == "full":
        return {"input": row}
    kept = {"input": row, "q, k, v": row + 2 * kv, "attention": row, "lse": lse,
            "residual": row}
    if kind == "selective":
        # LLaMA has two GEMMs here: the gate and the up projection.
        kept["up"] = inner * (2 if family == "llama" else 1)
        return kept
    kept["norms"] = 2 * row
    # Layer norms have a mean and a deviation, RMS norms only the latter.
    kept["of norms"] = 2 * stats * (1 if family == "llama" else 2)
    kept["mlp"] = inner * (4 if family == "llama" else 2)
    return kept


def handed(text):
    """The bytes of the arguments and results that the layer's forward and
    backward task have in common, without inputs of the program and
    parameters."""
    sizes = {}
    for name, dims, bits in re.findall(
            r"pipe\.value (@\S+) : tensor<((?:\d+x)*)[a-z]+(\d+)>", text):
        sizes[name] = math.prod(map(int, dims.split("x")[:-1])) * int(bits) // 8

    def bound(task):
        found = re.search(rf"pipe\.task @{task} .*?(\(.*)", text).group(1)
        return set(re.findall(r"@[\w.]+", found))
    both = bound(f"forward.{LAYER}") & bound(f"backward.{LAYER}")
    return sum(sizes.get(name, 0) for name in both)


def compiled(family, kind, precision, folder):
    path = os.path.join(folder, family + ".mlir")
    if not os.path.exists(path):
        flags = [f"--{key}={value}" for key, value in SIZES.items()]
        if family == "llama":
            flags.append(f"--kv-heads={KV_HEADS}")
        made = subprocess.run(
            [sys.executable, os.path.join(ROOT, "test/Inputs/models/make.py"),
             family, *flags], check=True, text=True, stdout=subprocess.PIPE).stdout
        with open(path, "w") as file:
            file.write('module attributes {pcc.phase = "nn"} {\n' + made + "}\n")
    return subprocess.run(
        [os.path.join(BUILD, "bin", "pcc"), path, "-q", f"--recompute={kind}",
         f"--precision={precision}", "--emit=pipeline", "-o", "-"], check=True,
        text=True, stdout=subprocess.PIPE).stdout


with tempfile.TemporaryDirectory() as folder:
    for family in ("gpt", "llama"):
        for precision, width in (("f32", 4), ("bf16", 2)):
            for kind in ("none", "selective", "full"):
                text = compiled(family, kind, precision, folder)
                due = expected(family, kind, width)
                assert handed(text) == sum(due.values()), (
                    family, precision, kind, handed(text), due)
    # An additional residual.
    text = compiled("gpt", "full", "f32", folder)
    more = re.sub(rf"(pipe\.task @(?:forward|backward)\.{LAYER} [^\n]*)\(@",
                  r"\1(@value.more, @", text, flags=re.S)
    more = "pipe.value @value.more : tensor<2x4xf32>\n" + more
    assert handed(more) == handed(text) + 32, (handed(more), handed(text))
